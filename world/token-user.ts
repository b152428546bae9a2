import { kubeconfigOf } from '../src/sandbox/api-server/identity.ts';
import type { KubernetesObject } from './cluster-client.ts';
import type { Cluster } from './world.ts';

/**
 * Makes the service account that these manifests hold, with the rights that they give it and no others.
 *
 * @returns a kubeconfig (YAML) with a token of it that lives a day
 */
export async function createTokenUser(
  cluster: Cluster,
  manifests: readonly KubernetesObject[],
  signal?: AbortSignal,
): Promise<string> {
  const { client, name, server, caPem } = cluster;
  const account = manifests.find(({ kind }) => kind === 'ServiceAccount');
  if (account === undefined)
    throw new Error('There is no ServiceAccount among the manifests: nobody gets these rights');
  for (const manifest of manifests) await client.apply(manifestPath(manifest), manifest, signal);
  const request = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: 86_400 } };
  const answer = await client.send('POST', `${manifestPath(account)}/token`, { body: request, signal });
  const { token } = answer['status'] as { token: string };
  return kubeconfigOf({ name, server, caPem, token });
}

/** Of the kinds that are applied here the plural is the kind with an s. */
export function manifestPath({ apiVersion = 'v1', kind = '', metadata }: KubernetesObject): string {
  const group = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
  const scope = metadata?.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
  return `${group}${scope}/${kind.toLowerCase()}s/${metadata?.name}`;
}
