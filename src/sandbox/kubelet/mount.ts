import { type Clock, systemClock } from '../../controller/clock.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { type ObjectRef, SECRET, type SecretObject } from '../../kubernetes/resource.ts';
import { runWatch } from '../../kubernetes/watch.ts';
import type { WatchEvent } from '../../kubernetes/watch-machine.ts';
import { sha256Hex } from '../../pki/certificate.ts';
import { seededRandom } from '../seeded-random.ts';

export interface MountOptions {
  /** Client of the runtime; only watched with. */
  readonly client: KubeClient;
  /** @default kyma-system/skr-webhook-tls */
  readonly secret?: { readonly namespace: string; readonly name: string };
  /** Time between a change of the Secret and the swap, drawn anew for each change. @default 0 to 5,000 */
  readonly delay?: { readonly minMs: number; readonly maxMs: number };
  /** Of the delays. */
  readonly seed: number;
  /** What a deletion of the Secret does to the files. `keep` is what kubelet does for a volume that is not optional. @default keep */
  readonly onDeletion?: 'keep' | 'empty';
  /** Called after each swap. Must not throw. */
  readonly onSwap?: (swap: Swap) => void;
  readonly clock?: Clock;
  /** Ends the mount when aborted, as `stop` does. */
  readonly signal?: AbortSignal;
}

/** One replacement of all files at once; from then on readers see this and nothing older. */
export interface Swap {
  /** Wall clock of the swap. */
  readonly atMs: number;
  /** Undefined when the files were emptied. */
  readonly resourceVersion: string | undefined;
  /** By file name, hex. */
  readonly sha256: Readonly<Record<string, string>>;
  /** By file name. Holds the private key: never to be written anywhere (S4). */
  readonly data: ReadonlyMap<string, Buffer>;
}

export interface Mount {
  /** What is mounted now; undefined before the Secret was first there. */
  mounted(): Swap | undefined;
  /** The mounted files stay readable; nothing new arrives. */
  stop(): Promise<void>;
}

/** Nothing may make a change later than the delay that was asked for, an API server that was away included. */
const backoff = { baseMs: 50, maxMs: 200 };

/** Stands in for the kubelet of one runtime: shows one Secret as files held in memory, late and in one step. */
export function startMount(options: MountOptions): Mount {
  const { client, secret: ref = { namespace: 'kyma-system', name: 'skr-webhook-tls' }, seed, onSwap } = options;
  const { minMs, maxMs } = options.delay ?? { minMs: 0, maxMs: 5_000 };
  const clock = options.clock ?? systemClock;
  const random = seededRandom(seed);
  const ending = new AbortController();
  const signal = options.signal === undefined ? ending.signal : AbortSignal.any([options.signal, ending.signal]);
  const newest = newestOf(ref);
  let mounted: Swap | undefined;
  /** Whether a swap is already on its way: what changes until then travels with it. */
  let underWay = false;

  const swap = (): void => {
    const secret = newest.secret();
    if (secret === undefined && (options.onDeletion ?? 'keep') === 'keep') return;
    const data = filesOf(secret);
    const sha256 = Object.fromEntries([...data].map(([file, content]) => [file, sha256Hex(content)]));
    // Only the data counts: kubelet leaves the files alone when a label changes.
    if (JSON.stringify(sha256) === JSON.stringify(mounted?.sha256 ?? {})) return;
    mounted = { atMs: clock.nowMs(), resourceVersion: secret?.metadata.resourceVersion, sha256, data };
    onSwap?.(mounted);
  };
  const changed = (): void => {
    if (underWay) return;
    underWay = true;
    const late = async (): Promise<void> => {
      await clock.delay(minMs + random() * (maxMs - minMs), signal);
      underWay = false;
      swap();
    };
    // Only an abort ends the wait early, and then nothing is mounted any more.
    late().catch(() => undefined);
  };

  const watching = runWatch<SecretObject>({
    client,
    resource: SECRET,
    selection: { namespace: ref.namespace, fieldSelector: `metadata.name=${ref.name}` },
    signal,
    clock,
    random,
    backoff,
    onEvent: (event) => {
      if (newest.take(event)) changed();
    },
  });
  return {
    mounted: () => mounted,
    async stop() {
      ending.abort();
      await watching;
    },
  };
}

/** The Secret as the watch last showed it. */
function newestOf({ name }: ObjectRef): {
  secret(): SecretObject | undefined;
  /** @returns whether there is another version now */
  take(event: WatchEvent<SecretObject>): boolean;
} {
  let secret: SecretObject | undefined;
  let arriving: SecretObject | undefined;
  const set = (next: SecretObject | undefined): boolean => {
    const another = next?.metadata.resourceVersion !== secret?.metadata.resourceVersion;
    secret = next;
    return another;
  };
  return {
    secret: () => secret,
    take(event) {
      if (event.type === 'InitDone') return set(arriving);
      if (event.type === 'Init') {
        arriving = undefined;
        return false;
      }
      if (event.object.metadata.name !== name) return false;
      if (event.type === 'InitApply') {
        arriving = event.object;
        return false;
      }
      return set(event.type === 'Apply' ? event.object : undefined);
    },
  };
}

function filesOf(secret: SecretObject | undefined): ReadonlyMap<string, Buffer> {
  const entries = Object.entries(secret?.data ?? {}).sort(([a], [b]) => (a < b ? -1 : 1));
  return new Map(entries.map(([file, base64]) => [file, Buffer.from(base64, 'base64')]));
}
