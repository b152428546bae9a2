import type { Entry, SecretRole } from '../../checker/history.ts';
import { redactPrivateKeys } from '../../checker/private-keys.ts';
import type { KubeObject, SecretObject } from '../../kubernetes/resource.ts';
import { redactedData, redactedTexts } from '../../recorder/redacted.ts';

/** One version of a Secret, as the checker takes it: without any private key. */
export function secretEntry(
  role: Extract<SecretRole, 'gateway' | 'runtime'>,
  cluster: string,
  object: SecretObject,
  atMs: number,
  deleted = false,
): Entry {
  const { namespace = '', name, resourceVersion = '', uid = '', annotations } = object.metadata;
  return {
    entry: 'secret',
    atMs,
    role,
    ...(role === 'runtime' ? { runtime: cluster } : {}),
    cluster,
    namespace,
    name,
    resourceVersion,
    uid,
    data: deleted ? null : redactedData(role, object.data),
    ...(annotations === undefined ? {} : { annotations: redactedTexts(annotations) }),
  };
}

/** One version of a webhook configuration. */
export function webhookEntry(cluster: string, object: KubeObject, atMs: number, deleted = false): Entry {
  const { name, resourceVersion = '' } = object.metadata;
  const webhooks = (object['webhooks'] ?? []) as readonly { readonly clientConfig?: { readonly caBundle?: string } }[];
  const caBundles = webhooks.map(({ clientConfig }) =>
    redactPrivateKeys(Buffer.from(clientConfig?.caBundle ?? '', 'base64').toString('utf8')),
  );
  return { entry: 'webhook', atMs, cluster, name, resourceVersion, caBundles: deleted ? null : caBundles };
}

/** Something that could not be looked at: a judgement without it is not whole. */
export function gapEntry(cluster: string, what: string, detail: string, atMs: number): Entry {
  return { entry: 'gap', atMs, cluster, what, detail };
}
