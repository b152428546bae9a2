import type { Entry } from '../../checker/history.ts';
import type { Clock } from '../../controller/clock.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { isDenied } from '../../kubernetes/errors.ts';
import {
  type KubeObject,
  keyOf,
  type ObjectRef,
  qualifiedName,
  type Resource,
  SECRET,
  type SecretObject,
  VALIDATING_WEBHOOK_CONFIGURATION,
} from '../../kubernetes/resource.ts';
import { startClusterWatch } from '../../recorder/cluster-watch.ts';
import { gapEntry, secretEntry, webhookEntry } from './entries.ts';
import type { Parties } from './parties.ts';

/** Where only single reads are allowed, as the operator's own rights in a runtime are: so often. */
const readEveryMs = 1_000;
const finishTimeoutMs = 5_000;
const requestTimeoutMs = 10_000;

/** Something that is followed for a while. */
interface Followed {
  readonly client: KubeClient;
  readonly cluster: string;
  readonly resource: Resource;
  readonly ref: ObjectRef;
  readonly onVersion: (object: KubeObject, deleted: boolean) => void;
}

/**
 * Every version of what is judged, for this long. Resolves with what was seen once the time is over.
 *
 * @param onSeen called after each version, with how many there were
 */
export async function follow(
  { hub, domain, runtimes, settings }: Parties,
  forMs: number,
  clock: Clock,
  onSeen: (versions: number) => void,
  signal: AbortSignal,
): Promise<readonly Entry[]> {
  const entries: Entry[] = [settings];
  const record = (entry: Entry): void => {
    entries.push(entry);
    onSeen(entries.length - 1);
  };
  const { secret, webhook } = domain.spec.runtimes;
  const followed: Followed[] = [
    {
      client: hub,
      cluster: 'hub',
      resource: SECRET,
      ref: domain.spec.gatewaySecretRef,
      onVersion: (object, deleted) =>
        record(secretEntry('gateway', 'hub', object as SecretObject, clock.nowMs(), deleted)),
    },
  ];
  for (const { name, client, ...rest } of runtimes) {
    if (client === null) {
      record(gapEntry(name, 'runtime', 'why' in rest ? rest.why : '', clock.nowMs()));
      continue;
    }
    followed.push(
      {
        client,
        cluster: name,
        resource: SECRET,
        ref: secret,
        onVersion: (object, deleted) =>
          record(secretEntry('runtime', name, object as SecretObject, clock.nowMs(), deleted)),
      },
      {
        client,
        cluster: name,
        resource: VALIDATING_WEBHOOK_CONFIGURATION,
        ref: { name: webhook.name },
        onVersion: (object, deleted) => record(webhookEntry(name, object, clock.nowMs(), deleted)),
      },
    );
  }
  const gap = (cluster: string, what: string, detail: string): void =>
    record(gapEntry(cluster, what, detail, clock.nowMs()));
  await Promise.all(followed.map((one) => followOne(one, forMs, clock, gap, signal)));
  return entries;
}

async function followOne(
  one: Followed,
  forMs: number,
  clock: Clock,
  gap: (cluster: string, what: string, detail: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { client, cluster, resource, ref, onVersion } = one;
  const what = `${qualifiedName(resource)} ${keyOf(ref)}`;
  const selection = {
    ...(ref.namespace === undefined ? {} : { namespace: ref.namespace }),
    fieldSelector: `metadata.name=${ref.name}`,
  };
  try {
    // A right to read one object does not hold the right to watch it.
    await client.list(resource, selection, { signal, timeoutMs: requestTimeoutMs });
  } catch (error) {
    if (signal.aborted) throw error;
    if (isDenied(error)) return readAgainAndAgain(one, forMs, clock, gap, signal);
    return gap(cluster, what, messageOf(error));
  }
  const watch = startClusterWatch({
    client,
    resource,
    selection,
    clock,
    signal,
    onVersion,
    onGap: (kind, detail) => gap(cluster, kind, detail),
  });
  try {
    await watch.ready();
    await clock.delay(forMs, signal);
    await watch.finish(finishTimeoutMs);
  } catch (error) {
    await watch.abandon();
    if (signal.aborted) throw error;
    gap(cluster, what, messageOf(error));
  }
}

async function readAgainAndAgain(
  { client, cluster, resource, ref, onVersion }: Followed,
  forMs: number,
  clock: Clock,
  gap: (cluster: string, what: string, detail: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const untilMs = clock.monotonicMs() + forMs;
  let last: KubeObject | undefined;
  for (;;) {
    try {
      const now = await client.find<KubeObject>(resource, ref, { signal, timeoutMs: requestTimeoutMs });
      if (now !== undefined && now.metadata.resourceVersion !== last?.metadata.resourceVersion) onVersion(now, false);
      if (now === undefined && last !== undefined) onVersion(last, true);
      last = now;
    } catch (error) {
      if (signal.aborted) throw error;
      return gap(cluster, `${qualifiedName(resource)} ${keyOf(ref)}`, messageOf(error));
    }
    if (clock.monotonicMs() >= untilMs) return;
    await clock.delay(Math.min(readEveryMs, Math.max(0, untilMs - clock.monotonicMs())), signal);
  }
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
