import { readFile } from 'node:fs/promises';
import { parseAllDocuments } from 'yaml';
import { type ClusterClient, ClusterError, type KubernetesObject } from './cluster-client.ts';
import { waitUntil } from './wait.ts';

const collection = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';

/** All CRDs in YAML files; other documents in them are left out. */
export async function readCrds(files: readonly string[]): Promise<KubernetesObject[]> {
  const texts = await Promise.all(files.map((file) => readFile(file, 'utf8')));
  return texts
    .flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as KubernetesObject | null))
    .filter((object) => object !== null)
    .filter(({ kind }) => kind === 'CustomResourceDefinition')
    .map((crd) => withoutDescriptions(crd) as KubernetesObject);
}

/** Leaves out the texts only: a property that is called description has a schema, not a string. */
function withoutDescriptions(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutDescriptions);
  if (typeof value !== 'object' || value === null) return value;
  const kept = Object.entries(value).filter(([key, field]) => key !== 'description' || typeof field !== 'string');
  return Object.fromEntries(kept.map(([key, field]) => [key, withoutDescriptions(field)]));
}

/** Applies CRDs side by side and waits until the API server serves each of them. */
export async function applyCrds(
  client: ClusterClient,
  crds: readonly KubernetesObject[],
  signal?: AbortSignal,
): Promise<void> {
  await Promise.all(
    crds.map(async (crd) => {
      const path = `${collection}/${crd.metadata?.name}`;
      await put(client, crd, signal);
      const established = await waitUntil(
        async () => isEstablished(await client.send('GET', path, { signal })) && (await isServed(client, crd, signal)),
        { everyMs: 200, timeoutMs: 60_000, signal },
      );
      signal?.throwIfAborted();
      if (!established) throw new Error(`CRD ${crd.metadata?.name} was not served within 60 s: look at its conditions`);
    }),
  );
}

/** A plain create is much cheaper than an apply, which keeps an owner for each field of the schemas. */
async function put(client: ClusterClient, crd: KubernetesObject, signal?: AbortSignal): Promise<void> {
  try {
    await client.send('POST', collection, { body: crd, signal });
  } catch (error) {
    if (!(error instanceof ClusterError) || error.status !== 409) throw error;
    await client.apply(`${collection}/${crd.metadata?.name}`, crd, signal);
  }
}

function isEstablished(crd: KubernetesObject): boolean {
  const status = crd['status'] as { conditions?: readonly { type: string; status: string }[] } | undefined;
  return status?.conditions?.some(({ type, status: value }) => type === 'Established' && value === 'True') ?? false;
}

/** Established is said a moment before the storage is there, and in that moment a write is answered 404 or 429. */
async function isServed(client: ClusterClient, crd: KubernetesObject, signal?: AbortSignal): Promise<boolean> {
  const spec = crd['spec'] as {
    readonly group: string;
    readonly names: { readonly plural: string };
    readonly versions: readonly { readonly name: string; readonly served: boolean }[];
  };
  for (const { name, served } of spec.versions) {
    if (served) await client.send('GET', `/apis/${spec.group}/${name}/${spec.names.plural}?limit=1`, { signal });
  }
  return true;
}
