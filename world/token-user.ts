import { kubeconfigOf } from '../src/sandbox/api-server/identity.ts';
import type { Cluster } from './world.ts';

export interface PolicyRule {
  readonly apiGroups?: readonly string[];
  readonly resources?: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly nonResourceURLs?: readonly string[];
  readonly verbs: readonly string[];
}

export interface TokenUserOptions {
  readonly name: string;
  /** Namespace of the account, which must exist. */
  readonly namespace: string;
  /** Rules by namespace; those under `*` hold for the whole cluster. */
  readonly rules: Readonly<Record<string, readonly PolicyRule[]>>;
  readonly signal?: AbortSignal;
}

/** Makes a service account with exactly these rights. @returns a kubeconfig (YAML) with a token of it that lives a day. */
export async function createTokenUser(cluster: Cluster, options: TokenUserOptions): Promise<string> {
  const { name, namespace, signal } = options;
  const { client } = cluster;
  const account = `/api/v1/namespaces/${namespace}/serviceaccounts/${name}`;
  await client.apply(account, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } }, signal);
  for (const [scope, rules] of Object.entries(options.rules)) await grant(cluster, options, scope, rules);
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 86_400 } };
  const answer = await client.send('POST', `${account}/token`, { body: request, signal });
  const { token } = answer['status'] as { token: string };
  return kubeconfigOf({ name: cluster.name, server: cluster.server, caPem: cluster.caPem, token });
}

async function grant(
  cluster: Cluster,
  user: TokenUserOptions,
  scope: string,
  rules: readonly PolicyRule[],
): Promise<void> {
  const kind = scope === '*' ? 'ClusterRole' : 'Role';
  const group = '/apis/rbac.authorization.k8s.io/v1';
  const base = scope === '*' ? `${group}/cluster` : `${group}/namespaces/${scope}/`;
  const metadata = { name: user.name, ...(scope === '*' ? {} : { namespace: scope }) };
  const apiVersion = 'rbac.authorization.k8s.io/v1';
  await cluster.client.apply(`${base}roles/${user.name}`, { apiVersion, kind, metadata, rules }, user.signal);
  const binding = {
    apiVersion,
    kind: `${kind}Binding`,
    metadata,
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind, name: user.name },
    subjects: [{ kind: 'ServiceAccount', name: user.name, namespace: user.namespace }],
  };
  await cluster.client.apply(`${base}rolebindings/${user.name}`, binding, user.signal);
}
