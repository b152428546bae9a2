import { GATEWAY_ANNOTATION, GROUP, RUNTIME_TRUST, TRUST_DOMAIN } from '../../src/api/names.ts';
import type { Resource } from '../../src/kubernetes/resource.ts';
import type { ClusterClient, KubernetesObject } from '../../world/cluster-client.ts';
import {
  certificatesPath,
  gatewaySecretPath,
  istioSystem,
  kcp,
  pathOf,
  runtimeSecretPath,
  webhookPath,
} from '../hub-objects.ts';
import type { LiveRun } from '../live-run.ts';

/**
 * Takes away all that the operator remembers outside the material itself: the statuses of its kinds, and its annotations on
 * the gateway Secret, on Certificates and their Secrets, and in the runtimes.
 *
 * @returns how many objects were changed
 */
export async function forgetEverything({ world, watchers, signal }: LiveRun): Promise<number> {
  const { client } = world.hub;
  const list = async (path: string): Promise<readonly KubernetesObject[]> =>
    ((await client.send('GET', path, { signal }))['items'] ?? []) as readonly KubernetesObject[];
  const secretsPath = `/api/v1/namespaces/${istioSystem}/secrets`;
  const annotated = [
    [client, gatewaySecretPath] as const,
    ...(await list(certificatesPath)).map(
      (object) => [client, `${certificatesPath}/${object.metadata?.name}`] as const,
    ),
    ...(await list(secretsPath)).map((object) => [client, `${secretsPath}/${object.metadata?.name}`] as const),
    ...[...watchers.keys()].flatMap((name) => {
      const runtime = world.runtime(name).client;
      return [[runtime, runtimeSecretPath] as const, [runtime, webhookPath] as const];
    }),
  ];
  const wiped = await Promise.all([
    ...[TRUST_DOMAIN, RUNTIME_TRUST].map((resource) => wipeStatuses(client, resource, signal)),
    ...annotated.map(([of, path]) => wipeAnnotations(of, path, signal)),
  ]);
  return wiped.reduce((sum, count) => sum + count, 0);
}

/** What we write for the lifecycle-manager is ours as well. */
function isOurs(annotation: string): boolean {
  return annotation.startsWith(`${GROUP}/`) || annotation === GATEWAY_ANNOTATION.caAddedToBundleAt;
}

async function wipeStatuses(client: ClusterClient, resource: Resource, signal: AbortSignal): Promise<number> {
  const path = pathOf(resource, kcp);
  const list = (await client.send('GET', path, { signal }))['items'] as readonly KubernetesObject[];
  for (const { metadata } of list) {
    await client.send('PATCH', `${path}/${metadata?.name}/status`, {
      body: { status: null },
      contentType: 'application/merge-patch+json',
      signal,
    });
  }
  return list.length;
}

async function wipeAnnotations(client: ClusterClient, path: string, signal: AbortSignal): Promise<number> {
  const object = await client.find(path, signal);
  const ours = Object.keys(object?.metadata?.annotations ?? {}).filter(isOurs);
  if (ours.length === 0) return 0;
  await client.send('PATCH', path, {
    body: { metadata: { annotations: Object.fromEntries(ours.map((name) => [name, null])) } },
    contentType: 'application/merge-patch+json',
    signal,
  });
  return 1;
}
