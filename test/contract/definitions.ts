/** A kind with one of each of what schemas can say and our own CRDs say in long. */
export const widgetCrd = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'widgets.contract.example' },
  spec: {
    group: 'contract.example',
    scope: 'Namespaced',
    names: { kind: 'Widget', listKind: 'WidgetList', plural: 'widgets', singular: 'widget' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        subresources: { status: {} },
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: {
                type: 'object',
                properties: {
                  size: { type: 'integer', minimum: 1, maximum: 10, default: 3 },
                  color: { type: 'string', enum: ['red', 'green'] },
                  label: { type: 'string', maxLength: 5, pattern: '^[a-z]*$', nullable: true },
                  wait: { type: 'string', default: '5s' },
                  limit: { type: 'string', default: '10s' },
                  free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
                  numbers: { type: 'array', maxItems: 3, items: { type: 'integer' } },
                  tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: { type: 'string' } },
                  whole: { type: 'array', 'x-kubernetes-list-type': 'atomic', items: { type: 'string' } },
                  ports: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['name'],
                    items: {
                      type: 'object',
                      required: ['name'],
                      properties: { name: { type: 'string' }, port: { type: 'integer', default: 80 } },
                    },
                  },
                  words: { type: 'object', additionalProperties: { type: 'string' } },
                  fixed: {
                    type: 'string',
                    'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed cannot be changed' }],
                  },
                },
                'x-kubernetes-validations': [
                  {
                    rule: 'duration(self.wait) <= duration(self.limit)',
                    message: 'wait must not be above limit',
                    fieldPath: '.wait',
                  },
                ],
              },
              status: {
                type: 'object',
                properties: {
                  phase: { type: 'string' },
                  conditions: {
                    type: 'array',
                    'x-kubernetes-list-type': 'map',
                    'x-kubernetes-list-map-keys': ['type'],
                    items: {
                      type: 'object',
                      required: ['type', 'status'],
                      properties: { type: { type: 'string' }, status: { type: 'string' } },
                    },
                  },
                },
              },
            },
          },
        },
      },
    ],
  },
} as const;

/** Kinds of others as far as a rotation looks at them: names, versions and the status are theirs, the fields are not described. */
export const opaqueCrds = [
  opaqueCrd('networking.istio.io', 'v1beta1', 'gateways', 'Gateway'),
  opaqueCrd('cert-manager.io', 'v1', 'issuers', 'Issuer'),
  opaqueCrd('cert-manager.io', 'v1', 'clusterissuers', 'ClusterIssuer', 'Cluster'),
  opaqueCrd('cert.gardener.cloud', 'v1alpha1', 'certificates', 'Certificate'),
  opaqueCrd('cert-manager.io', 'v1', 'certificaterequests', 'CertificateRequest'),
];

function opaqueCrd(group: string, version: string, plural: string, kind: string, scope = 'Namespaced') {
  const unknown = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const openAPIV3Schema = { type: 'object', properties: { spec: unknown, status: unknown } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      scope,
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [
        { name: version, served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema } },
      ],
    },
  };
}
