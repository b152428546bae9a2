import { setMaxListeners } from 'node:events';
import { type Clock, systemClock } from '../controller/clock.ts';
import type { KubeClient } from './client.ts';
import { isAlreadyExists, isConflict } from './errors.ts';
import { onAbort } from './on-abort.ts';
import { type KubeObject, LEASE } from './resource.ts';

export interface LeaseSpec {
  readonly holderIdentity?: string;
  readonly leaseDurationSeconds?: number;
  readonly acquireTime?: string;
  readonly renewTime?: string;
  readonly leaseTransitions?: number;
  readonly [field: string]: unknown;
}

export interface LeaseObject extends KubeObject {
  readonly spec?: LeaseSpec;
}

export interface Leadership {
  /** Aborts when the lease is lost or the election ends. */
  readonly signal: AbortSignal;
  /**
   * Ask right before each act: a process that was paused wakes up before its timers run, and another may
   * lead by then.
   */
  held(): boolean;
}

export interface ElectionOptions {
  readonly client: KubeClient;
  readonly namespace: string;
  readonly name: string;
  /** Unique among the candidates: the pod's name. */
  readonly identity: string;
  /** What the leader does. Its end, or what it throws, ends the election. */
  readonly lead: (leadership: Leadership) => Promise<void>;
  /** Stops: waits for `lead` to end, then gives the lease back so that the next one need not wait. */
  readonly signal: AbortSignal;
  readonly clock?: Clock;
  /** In [0, 1). */
  readonly random?: () => number;
  /** A candidate takes a lease that it has not seen renewed for this time. @default 15000 */
  readonly durationMs?: number;
  /** A leader that could not renew for this time stops leading. Well below `durationMs`. @default 10000 */
  readonly renewDeadlineMs?: number;
  /** Between two attempts to take or renew. @default 2000 */
  readonly retryMs?: number;
  /** Called with each failed request; candidates go on trying. */
  readonly onProblem?: (error: unknown) => void;
}

/** `ended`: `lead` came to its end. `lost`: another may lead now; start a new election or, better, exit. */
export type ElectionEnd = 'stopped' | 'ended' | 'lost';

/**
 * Leader election over a Lease, in the protocol of client-go, so that both can stand in one election. How long ago
 * a lease was renewed is measured on our own monotonic clock from our own reading of it; the times written in it
 * are for people (S6).
 */
export async function runElection(options: ElectionOptions): Promise<ElectionEnd> {
  const { signal, clock = systemClock, random = Math.random } = options;
  const { durationMs = 15_000, renewDeadlineMs = 10_000, retryMs = 2_000 } = options;
  const claim = createClaim(options, clock, durationMs, renewDeadlineMs / 2);

  for (;;) {
    if (signal.aborted) return 'stopped';
    const beganMs = clock.monotonicMs();
    const taken = await attempt(options, () => claim.take(signal));
    if (taken === 'held') return leadWhileHeld(options, { clock, claim, beganMs, renewDeadlineMs, retryMs });
    // Candidates that started together must not ask together for ever.
    await clock.delay(retryMs * (1 + random() / 5), signal).catch(() => undefined);
  }
}

interface Tenure {
  readonly clock: Clock;
  readonly claim: Claim;
  readonly beganMs: number;
  readonly renewDeadlineMs: number;
  readonly retryMs: number;
}

async function leadWhileHeld(options: ElectionOptions, tenure: Tenure): Promise<ElectionEnd> {
  const { clock, claim, renewDeadlineMs, retryMs } = tenure;
  const ending = new AbortController();
  setMaxListeners(0, ending.signal);
  let renewedAtMs = tenure.beganMs;
  let lost = false;
  const lose = (): void => {
    lost = true;
    ending.abort(new Error(`The lease "${options.namespace}/${options.name}" is lost`));
  };
  const unlisten = onAbort(options.signal, () => ending.abort(options.signal.reason));
  // Counted from the start of the last request that succeeded: from then on the others count, too.
  const leftMs = (): number => renewedAtMs + renewDeadlineMs - clock.monotonicMs();
  const expire = (): void => {
    if (leftMs() > 0) expiry = clock.setTimer(leftMs(), expire);
    else lose();
  };
  let expiry = clock.setTimer(leftMs(), expire);

  const renewing = (async () => {
    while (!ending.signal.aborted) {
      await clock.delay(retryMs, ending.signal).catch(() => undefined);
      if (ending.signal.aborted) return;
      const beganMs = clock.monotonicMs();
      const taken = await attempt(options, () => claim.take(ending.signal));
      if (taken === 'held') renewedAtMs = beganMs;
      else if (taken === 'other') lose();
    }
  })();
  try {
    await options.lead({ signal: ending.signal, held: () => !ending.signal.aborted && leftMs() > 0 });
  } finally {
    unlisten();
    expiry.cancel();
    if (!ending.signal.aborted) ending.abort(new Error('The leader has come to its end'));
    await renewing;
    if (!lost) await attempt(options, claim.release);
  }
  if (lost) return 'lost';
  return options.signal.aborted ? 'stopped' : 'ended';
}

/** A failed request decides nothing: undefined. */
async function attempt<T>({ onProblem, signal }: ElectionOptions, run: () => Promise<T>): Promise<T | undefined> {
  try {
    return await run();
  } catch (error) {
    if (!signal.aborted) onProblem?.(error);
    return undefined;
  }
}

interface Claim {
  /** Takes or renews. `other`: somebody else holds it. `undecided`: the lease changed under our hands. */
  take(signal: AbortSignal): Promise<'held' | 'other' | 'undecided'>;
  release(): Promise<void>;
}

function createClaim(options: ElectionOptions, clock: Clock, durationMs: number, timeoutMs: number): Claim {
  const { client, namespace, name, identity } = options;
  const ref = { namespace, name };
  let ours: LeaseObject | undefined;
  let seen: { readonly spec: string; readonly atMs: number } | undefined;

  const now = (): string => microTime(clock.nowMs());
  const ownSpec = (before: LeaseSpec): LeaseSpec => {
    const continued = before.holderIdentity === identity;
    return {
      ...before,
      holderIdentity: identity,
      leaseDurationSeconds: Math.ceil(durationMs / 1000),
      renewTime: now(),
      acquireTime: continued ? (before.acquireTime ?? now()) : now(),
      leaseTransitions: (before.leaseTransitions ?? 0) + (continued ? 0 : 1),
    };
  };
  const write = async (lease: LeaseObject, call: { signal: AbortSignal; timeoutMs: number }) => {
    const spec = ownSpec(lease.spec ?? {});
    ours = await client.replace<LeaseObject>(LEASE, { ...lease, spec }, call);
  };

  const takeRead = async (call: { signal: AbortSignal; timeoutMs: number }): Promise<'held' | 'other'> => {
    const lease = await client.find<LeaseObject>(LEASE, ref, call);
    if (lease === undefined) {
      const spec = { ...ownSpec({}), leaseTransitions: 0 };
      ours = await client.create<LeaseObject>(LEASE, { metadata: ref, spec }, call);
      return 'held';
    }
    const spec = JSON.stringify(lease.spec);
    if (seen?.spec !== spec) seen = { spec, atMs: clock.monotonicMs() };
    const holder = lease.spec?.holderIdentity ?? '';
    const validMs = Math.max(durationMs, (lease.spec?.leaseDurationSeconds ?? 0) * 1000);
    const free = holder === '' || holder === identity || clock.monotonicMs() - seen.atMs >= validMs;
    if (!free) return 'other';
    await write(lease, call);
    return 'held';
  };

  return {
    async take(signal) {
      const call = { signal, timeoutMs };
      try {
        if (ours === undefined) return await takeRead(call);
        await write(ours, call);
        return 'held';
      } catch (error) {
        // What we hold of it is out of date, or a lost answer has left us in doubt: read it next time.
        ours = undefined;
        if (isConflict(error) || isAlreadyExists(error)) return 'undecided';
        throw error;
      }
    },
    async release() {
      // The election's own signal has aborted by now; the time limit bounds this last request.
      const call = { signal: new AbortController().signal, timeoutMs };
      const lease = ours ?? (await client.find<LeaseObject>(LEASE, ref, call));
      if (lease?.spec?.holderIdentity !== identity) return;
      const spec = { ...lease.spec, holderIdentity: '', leaseDurationSeconds: 1, renewTime: now(), acquireTime: now() };
      await client.replace<LeaseObject>(LEASE, { ...lease, spec }, call);
    },
  };
}

/** RFC 3339 with six fractional digits: the server refuses fewer. */
export function microTime(epochMs: number): string {
  return new Date(epochMs).toISOString().replace('Z', '000Z');
}
