import { createHash } from 'node:crypto';
import type { Swap } from '../../src/sandbox/kubelet/mount.ts';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';
import type { ClusterClient, KubernetesObject } from '../cluster-client.ts';
import { pause } from '../wait.ts';
import { openSecretVolume, type SecretVolume } from './secret-volume.ts';

export interface KubeletOptions {
  /** Client of the runtime; only `find` is used. */
  readonly client: Pick<ClusterClient, 'find'>;
  /** Folder to mount into; removed by `stop`. */
  readonly folder: string;
  /** Default kyma-system/skr-webhook-tls. */
  readonly secret?: { readonly namespace: string; readonly name: string };
  /** Delay between a change of the Secret and the swap, drawn anew for each change. Default 0 to 5,000. */
  readonly delay?: { readonly minMs: number; readonly maxMs: number };
  readonly seed: number;
  /** What a deletion of the Secret does to the files. `keep` (default) is what kubelet does for a volume that is not optional. */
  readonly onDeletion?: 'keep' | 'empty';
  readonly onSwap?: (swap: Swap) => void;
  /** How often the Secret is read, default 200. */
  readonly pollMs?: number;
  readonly signal?: AbortSignal;
}

export interface Kubelet {
  readonly folder: string;
  /** What is mounted now. */
  mounted(): Swap | undefined;
  stop(): Promise<void>;
}

/** Stands in for kubelet of one runtime: projects one Secret into a folder, late and in one step. */
export async function startKubelet(options: KubeletOptions): Promise<Kubelet> {
  const volume = await openSecretVolume(options.folder);
  const stopping = new AbortController();
  const signal = options.signal === undefined ? stopping.signal : AbortSignal.any([options.signal, stopping.signal]);
  const state: { mounted: Swap | undefined } = { mounted: undefined };
  const loop = project(options, volume, state, signal);
  return {
    folder: options.folder,
    mounted: () => state.mounted,
    stop: async () => {
      stopping.abort();
      await loop;
      await volume.remove();
    },
  };
}

async function project(
  options: KubeletOptions,
  volume: SecretVolume,
  state: { mounted: Swap | undefined },
  signal: AbortSignal,
): Promise<void> {
  const random = seededRandom(options.seed);
  const { minMs, maxMs } = options.delay ?? { minMs: 0, maxMs: 5_000 };
  let seen: string | undefined;
  for (;;) {
    await pause(options.pollMs ?? 200, signal);
    if (signal.aborted) return;
    const noticed = await read(options, signal);
    if (noticed === 'unknown' || versionOf(noticed) === seen) continue;
    await pause(minMs + random() * (maxMs - minMs), signal);
    // The newest value at the moment of the swap, as kubelet does it: values in between are never mounted.
    const newest = await read(options, signal);
    if (newest === 'unknown') continue;
    if (signal.aborted) return;
    seen = versionOf(newest);
    const swap = await swapTo(newest, options, volume, state.mounted);
    if (swap === undefined) continue;
    state.mounted = swap;
    options.onSwap?.(swap);
  }
}

async function swapTo(
  secret: KubernetesObject | undefined,
  options: KubeletOptions,
  volume: SecretVolume,
  mounted: Swap | undefined,
): Promise<Swap | undefined> {
  if (secret === undefined && (options.onDeletion ?? 'keep') === 'keep') return undefined;
  const data = filesOf(secret);
  const sha256 = Object.fromEntries(
    [...data].map(([file, content]) => [file, createHash('sha256').update(content).digest('hex')]),
  );
  // Only the data counts: kubelet does not touch the files for a change of labels.
  if (JSON.stringify(sha256) === JSON.stringify(mounted?.sha256 ?? {})) return undefined;
  await volume.replace(data);
  return { atMs: Date.now(), resourceVersion: secret?.metadata?.resourceVersion, sha256, data };
}

async function read(options: KubeletOptions, signal: AbortSignal): Promise<KubernetesObject | undefined | 'unknown'> {
  const { namespace, name } = options.secret ?? { namespace: 'kyma-system', name: 'skr-webhook-tls' };
  try {
    return await options.client.find(`/api/v1/namespaces/${namespace}/secrets/${name}`, signal);
  } catch {
    // The API server is away; what is mounted stays, as with kubelet.
    return 'unknown';
  }
}

function versionOf(secret: KubernetesObject | undefined): string | undefined {
  return secret?.metadata?.resourceVersion;
}

function filesOf(secret: KubernetesObject | undefined): Map<string, Buffer> {
  const data = (secret?.['data'] ?? {}) as Readonly<Record<string, string>>;
  return new Map(
    Object.entries(data)
      .sort(([a], [b]) => (a < b ? -1 : 1))
      .map(([file, base64]) => [file, Buffer.from(base64, 'base64')]),
  );
}
