import { GATEWAY } from '../../api/names.ts';

/** Istio's Gateway, as far as it is written and read here. What else people put into one is kept. */
export const gatewayCrds: readonly object[] = [
  {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${GATEWAY.plural}.${GATEWAY.group}` },
    spec: {
      group: GATEWAY.group,
      names: {
        kind: GATEWAY.kind,
        listKind: 'GatewayList',
        plural: GATEWAY.plural,
        singular: 'gateway',
        shortNames: ['gw'],
      },
      scope: 'Namespaced',
      versions: [
        {
          name: GATEWAY.version,
          served: true,
          storage: true,
          subresources: { status: {} },
          schema: {
            openAPIV3Schema: {
              type: 'object',
              properties: {
                spec: {
                  type: 'object',
                  'x-kubernetes-preserve-unknown-fields': true,
                  properties: {
                    selector: { type: 'object', additionalProperties: { type: 'string' } },
                    servers: {
                      type: 'array',
                      items: {
                        type: 'object',
                        'x-kubernetes-preserve-unknown-fields': true,
                        required: ['port', 'hosts'],
                        properties: {
                          hosts: { type: 'array', items: { type: 'string' } },
                          port: {
                            type: 'object',
                            required: ['number', 'protocol', 'name'],
                            properties: {
                              name: { type: 'string' },
                              number: { type: 'integer', minimum: 0 },
                              protocol: { type: 'string' },
                            },
                          },
                          tls: {
                            type: 'object',
                            'x-kubernetes-preserve-unknown-fields': true,
                            properties: {
                              mode: {
                                type: 'string',
                                enum: [
                                  'PASSTHROUGH',
                                  'SIMPLE',
                                  'MUTUAL',
                                  'AUTO_PASSTHROUGH',
                                  'ISTIO_MUTUAL',
                                  'OPTIONAL_MUTUAL',
                                ],
                              },
                              credentialName: { type: 'string' },
                            },
                          },
                        },
                      },
                    },
                  },
                },
                status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
              },
            },
          },
        },
      ],
    },
  },
];
