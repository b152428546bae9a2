import { KYMA } from '../api/names.ts';

const anything = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } as const;

/** The hub's Kyma resource as far as a rotation looks at it: names, version and status are Kyma's own, its fields are not described. */
export const kymaCrd: object = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${KYMA.plural}.${KYMA.group}` },
  spec: {
    group: KYMA.group,
    scope: 'Namespaced',
    names: { kind: KYMA.kind, listKind: `${KYMA.kind}List`, plural: KYMA.plural, singular: 'kyma' },
    versions: [
      {
        name: KYMA.version,
        served: true,
        storage: true,
        subresources: { status: {} },
        additionalPrinterColumns: [{ name: 'State', type: 'string', jsonPath: '.status.state' }],
        schema: { openAPIV3Schema: { type: 'object', properties: { spec: anything, status: anything } } },
      },
    ],
  },
};
