import type { JsonObject } from '../json.ts';

const apiVersion = 'rbac.authorization.k8s.io/v1';
const bootstrapped = { 'kubernetes.io/bootstrapping': 'rbac-defaults' };

interface Grant {
  readonly role: string;
  readonly rules: readonly JsonObject[];
  /** Groups that have it from the start. */
  readonly groups?: readonly string[];
  /** Label of cluster roles whose rules are part of it. */
  readonly aggregates?: string;
}

const reads = ['get', 'list', 'watch'];
const writes = ['create', 'delete', 'deletecollection', 'patch', 'update'];
const everyday = ['configmaps', 'endpoints', 'pods', 'services', 'serviceaccounts', 'events'];

const grants: readonly Grant[] = [
  {
    role: 'cluster-admin',
    groups: ['system:masters'],
    rules: [
      { apiGroups: ['*'], resources: ['*'], verbs: ['*'] },
      { nonResourceURLs: ['*'], verbs: ['*'] },
    ],
  },
  {
    role: 'system:discovery',
    groups: ['system:authenticated'],
    rules: [
      {
        nonResourceURLs: [
          '/api',
          '/api/*',
          '/apis',
          '/apis/*',
          '/healthz',
          '/livez',
          '/openapi',
          '/openapi/*',
          '/readyz',
          '/version',
          '/version/',
        ],
        verbs: ['get'],
      },
    ],
  },
  {
    role: 'system:public-info-viewer',
    groups: ['system:authenticated', 'system:unauthenticated'],
    rules: [{ nonResourceURLs: ['/healthz', '/livez', '/readyz', '/version', '/version/'], verbs: ['get'] }],
  },
  {
    role: 'system:basic-user',
    groups: ['system:authenticated'],
    rules: [
      {
        apiGroups: ['authorization.k8s.io'],
        resources: ['selfsubjectaccessreviews', 'selfsubjectrulesreviews'],
        verbs: ['create'],
      },
      { apiGroups: ['authentication.k8s.io'], resources: ['selfsubjectreviews'], verbs: ['create'] },
    ],
  },
  {
    role: 'view',
    aggregates: 'view',
    rules: [{ apiGroups: [''], resources: [...everyday, 'namespaces'], verbs: reads }],
  },
  {
    role: 'edit',
    aggregates: 'edit',
    rules: [{ apiGroups: [''], resources: [...everyday, 'secrets'], verbs: [...reads, ...writes] }],
  },
  {
    role: 'admin',
    aggregates: 'admin',
    rules: [
      { apiGroups: [''], resources: [...everyday, 'secrets'], verbs: [...reads, ...writes] },
      { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles', 'rolebindings'], verbs: [...reads, ...writes] },
    ],
  },
];

/** The cluster roles and bindings that every cluster has from its start. */
export function bootstrapRoles(): readonly JsonObject[] {
  return grants.flatMap(({ role, rules, groups, aggregates }): JsonObject[] => [
    {
      apiVersion,
      kind: 'ClusterRole',
      metadata: { name: role, labels: bootstrapped },
      rules,
      ...(aggregates === undefined
        ? {}
        : {
            aggregationRule: {
              clusterRoleSelectors: [
                { matchLabels: { [`rbac.authorization.k8s.io/aggregate-to-${aggregates}`]: 'true' } },
              ],
            },
          }),
    },
    ...(groups === undefined
      ? []
      : [
          {
            apiVersion,
            kind: 'ClusterRoleBinding',
            metadata: { name: role, labels: bootstrapped },
            roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: role },
            subjects: groups.map((name) => ({ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name })),
          },
        ]),
  ]);
}
