import { setMaxListeners } from 'node:events';
import { type Clock, systemClock } from '../../controller/clock.ts';
import { onAbort } from '../../kubernetes/on-abort.ts';
import { seededRandom } from '../seeded-random.ts';
import { type Connection, dial } from './connection.ts';
import type { Verifier } from './judge-server.ts';
import { type MountedCredential, type MountedFiles, readMounted } from './mounted-credential.ts';
import { createSlots, type Slots } from './slots.ts';

export interface TrafficOptions {
  /** The runtime whose watcher this stands in for. */
  readonly runtime: string;
  /** The files that are mounted now; another object for each version. */
  readonly mounted: () => MountedFiles | undefined;
  /** Of the gateway, taken in turn. */
  readonly endpoints: readonly { readonly host: string; readonly port: number }[];
  readonly serverName: string;
  /** @default /v2/lifecycle-manager/event */
  readonly path?: string;
  /** Requests a second, at most, with a new connection each; one a second on the kept connection comes on top. @default 10 */
  readonly ratePerSecond?: number;
  /** A request has failed when it got no HTTP 200 within this time of its start. @default 10,000 */
  readonly requestTimeoutMs?: number;
  /** @default go, as the watcher of Kyma is written in it */
  readonly verifier?: Verifier;
  /** Of the spread of the requests over time. */
  readonly seed: number;
  /** Must not throw, as `onFailure`. */
  readonly onSecond?: (second: TrafficSecond) => void;
  readonly onFailure?: (failure: TrafficFailure) => void;
  readonly clock?: Clock;
  /** Ends at once when aborted; what was under way is unfinished then. */
  readonly signal?: AbortSignal;
}

export interface TrafficCounts {
  readonly sent: number;
  readonly ok: number;
  /** No HTTP 200 within `requestTimeoutMs` of the start. */
  readonly failed: number;
  /** Further tries within that time; no failures by themselves. */
  readonly retried: number;
  /** Neither answered nor failed when the client was ended at once; 0 after `stop`. */
  readonly unfinished: number;
}

/** What the client used and met last; absent before its first credential. */
export interface TrafficView {
  /** RFC 3339. */
  readonly t: string;
  /** Serial number of the client certificate, hex. */
  readonly clientSerial?: string;
  /** Authority key identifier of the client certificate, hex. */
  readonly clientIssuerKeyId?: string;
  readonly caCount?: number;
  /** Subject key identifiers of the roots in ca.crt, hex, in their order. */
  readonly caKeyIds?: readonly string[];
  /** SHA-256 of the server certificate met last, hex DER digest; empty before. */
  readonly serverLeafSha256: string;
  /** The same by gateway address. */
  readonly servers: Readonly<Record<string, string>>;
  readonly lastError?: string;
}

export interface TrafficSecond extends TrafficCounts, TrafficView {
  /** Connections made so far for the one that is kept alive. */
  readonly keptDials: number;
}

export interface TrafficFailure extends TrafficView {
  readonly kind: 'new' | 'kept';
  /** RFC 3339. */
  readonly startedAt: string;
  /** Error of each try, repetitions left out. */
  readonly errors: readonly string[];
}

export interface Traffic {
  readonly runtime: string;
  /** Since the start. */
  counts(): TrafficCounts;
  /** The last full second. */
  latest(): TrafficSecond | undefined;
  /** The latest of them, 100 at most; all are counted. */
  failures(): readonly TrafficFailure[];
  /** True when the client ended without being asked to. */
  hasFailed(): boolean;
  /** No new requests; waits until each request under way is answered or has failed (`requestTimeoutMs` at most). @returns the final count. */
  stop(): Promise<TrafficCounts>;
}

/** One try may not use up the time of the whole request: a gateway that is being replaced can swallow a connection. */
const tryTimeoutMs = 3_000;
const retryAfterMs = 500;
const mountPollMs = 50;
/** A request that still waits for its turn then tries the next endpoint. */
const slotWaitMs = 5_000;
/** Requests under way of one client; beyond that it sends less often than asked. */
const mostUnfinished = 5;
/** Handshakes at once with one endpoint, of all clients in this process: what is begun is ended soon, however many wait. */
const mostHandshakes = 8;
/**
 * While so many wait for each endpoint nobody sends another one: on a machine that is too slow for the rate all would wait
 * for each other until none is answered in time, and that would say nothing of the gateway.
 */
const mostWaiting = 32;
const mostFailuresKept = 100;

const slots = new Map<string, Slots>();
function slotsOf(address: string): Slots {
  const found = slots.get(address) ?? createSlots(mostHandshakes);
  slots.set(address, found);
  return found;
}

type Counts = { -readonly [K in keyof TrafficCounts]: TrafficCounts[K] };
const none = (): Counts => ({ sent: 0, ok: 0, failed: 0, retried: 0, unfinished: 0 });

/** Starts the client of one runtime. Its requests begin when a usable credential is first mounted. */
export function startTraffic(options: TrafficOptions): Traffic {
  const { serverName, path = '/v2/lifecycle-manager/event', ratePerSecond = 10, endpoints, verifier = 'go' } = options;
  const { requestTimeoutMs = 10_000 } = options;
  const clock = options.clock ?? systemClock;
  const random = seededRandom(options.seed);
  const cutting = new AbortController();
  const cut = options.signal === undefined ? cutting.signal : AbortSignal.any([options.signal, cutting.signal]);
  const draining = new AbortController();
  const sending = AbortSignal.any([cut, draining.signal]);
  for (const signal of [cut, sending]) setMaxListeners(0, signal);

  const total = none();
  let current = none();
  let latest: TrafficSecond | undefined;
  const failures: TrafficFailure[] = [];
  const servers: Record<string, string> = {};
  let serverLeafSha256 = '';
  let lastError = '';
  let keptDials = 0;
  let turn = 0;
  let unfinished = 0;
  let fault: unknown;

  const count = (what: keyof TrafficCounts): void => {
    total[what] += 1;
    current[what] += 1;
  };
  const { credential, last } = credentialOf(options.mounted);
  const view = (): TrafficView => {
    const used = last();
    return {
      t: new Date(clock.nowMs()).toISOString(),
      ...(used === undefined
        ? {}
        : {
            clientSerial: used.serial,
            clientIssuerKeyId: used.issuerKeyId,
            caCount: used.bundle.length,
            caKeyIds: used.bundle.map(({ subjectKeyId }) => subjectKeyId ?? ''),
          }),
      serverLeafSha256,
      servers: { ...servers },
      lastError,
    };
  };

  /** @param use what is done before the next one may begin */
  const withConnection = async <T>(
    signal: AbortSignal,
    use: (connection: Connection, limit: AbortSignal) => T | Promise<T>,
  ): Promise<T> => {
    const endpoint = endpoints[turn++ % endpoints.length];
    if (endpoint === undefined) throw new Error('the gateway has no endpoint');
    const { host, port } = endpoint;
    const address = `${host}:${port}`;
    const release = await withTimeout(slotWaitMs, `too many requests are under way to ${address}`, signal, (limit) =>
      slotsOf(address).take(limit),
    );
    try {
      return await withTimeout(
        tryTimeoutMs,
        `${address} did not answer within ${tryTimeoutMs} ms`,
        signal,
        async (limit) => {
          const nowMs = () => clock.nowMs();
          const options = { host, port, serverName, credential: credential(), verifier, nowMs, signal: limit };
          const connection = await dial(options);
          servers[address] = connection.serverDigest;
          serverLeafSha256 = connection.serverDigest;
          return use(connection, limit);
        },
      );
    } finally {
      release();
    }
  };
  /** Runs with a signal that aborts after this time, or with the other one. */
  const withTimeout = async <T>(
    ms: number,
    why: string,
    signal: AbortSignal,
    run: (limit: AbortSignal) => Promise<T>,
  ): Promise<T> => {
    const limit = new AbortController();
    const timer = clock.setTimer(ms, () => limit.abort(new Error(why)));
    const forget = onAbort(signal, () => limit.abort(signal.reason));
    try {
      return await run(limit.signal);
    } finally {
      timer.cancel();
      forget();
    }
  };
  const crowded = (): boolean =>
    endpoints.every(({ host, port }) => slotsOf(`${host}:${port}`).waiting() >= mostWaiting);
  let kept: Connection | undefined;
  onAbort(cut, () => {
    kept = closed(kept);
  });
  const tryNew = (signal: AbortSignal): Promise<number> =>
    withConnection(signal, async (connection, limit) => {
      try {
        return await connection.get(path, false, limit);
      } finally {
        connection.close();
      }
    });
  const tryKept = async (signal: AbortSignal): Promise<number> => {
    if (kept?.open !== true) {
      keptDials += 1;
      kept = await withConnection(signal, (connection) => connection);
    }
    const connection = kept;
    return withTimeout(tryTimeoutMs, `no answer within ${tryTimeoutMs} ms`, signal, (limit) =>
      connection.get(path, true, limit),
    );
  };

  /** Tries until the answer is 200 or the time of the request is over. */
  const request = async (kind: 'new' | 'kept'): Promise<void> => {
    const startedMs = clock.monotonicMs();
    const startedAt = new Date(clock.nowMs()).toISOString();
    const errors: string[] = [];
    count('sent');
    for (;;) {
      const leftMs = startedMs + requestTimeoutMs - clock.monotonicMs();
      const why = await attempt(kind === 'new' ? tryNew : tryKept, leftMs);
      if (why === null) return count('ok');
      if (cut.aborted) return count('unfinished');
      kept = kind === 'kept' ? closed(kept) : kept;
      lastError = why;
      if (errors.at(-1) !== why) errors.push(why);
      if (clock.monotonicMs() + retryAfterMs >= startedMs + requestTimeoutMs) break;
      await clock.delay(retryAfterMs, cut).catch(() => undefined);
      if (cut.aborted) return count('unfinished');
      count('retried');
    }
    count('failed');
    const failure: TrafficFailure = { ...view(), kind, startedAt, errors };
    failures.push(failure);
    if (failures.length > mostFailuresKept) failures.shift();
    options.onFailure?.(failure);
  };
  /** @returns the error of one try, or `null` */
  const attempt = async (make: (signal: AbortSignal) => Promise<number>, leftMs: number): Promise<string | null> => {
    try {
      const status = await withTimeout(leftMs, 'the time of the request is over', cut, make);
      return status === 200 ? null : `HTTP status ${status}`;
    } catch (error) {
      return error instanceof Error ? error.message : 'aborted';
    }
  };

  const second = (): void => {
    latest = { ...current, keptDials, ...view() };
    current = none();
    lastError = '';
    options.onSecond?.(latest);
  };
  const underWay = new Set<Promise<void>>();
  const launch = (work: Promise<void>): void => {
    const watched = work
      .catch((error: unknown) => {
        if (!sending.aborted) fault = error;
      })
      .finally(() => underWay.delete(watched));
    underWay.add(watched);
  };
  const everySecond = async (act: () => void): Promise<void> => {
    for (let dueMs = clock.monotonicMs() + 1_000; ; dueMs += 1_000) {
      await clock.delay(dueMs - clock.monotonicMs(), sending);
      act();
    }
  };
  const run = async (): Promise<void> => {
    launch(everySecond(second));
    while (usable(credential) !== null) await clock.delay(mountPollMs, sending);
    launch(everySecond(() => launch(request('kept'))));
    const periodMs = 1_000 / ratePerSecond;
    for (let nextMs = clock.monotonicMs(); ; nextMs = Math.max(nextMs + periodMs, clock.monotonicMs() - periodMs)) {
      // Somewhere within its period: runtimes with different seeds do not knock at the same moments.
      const dueMs = nextMs + random() * periodMs;
      await clock.delay(dueMs - clock.monotonicMs(), sending);
      if (unfinished >= mostUnfinished || crowded()) continue;
      unfinished += 1;
      launch(
        request('new').finally(() => {
          unfinished -= 1;
        }),
      );
    }
  };
  launch(run());
  const whenIdle = async (): Promise<void> => {
    while (underWay.size > 0) await Promise.all(underWay);
    kept = closed(kept);
  };

  return {
    runtime: options.runtime,
    counts: () => ({ ...total }),
    latest: () => latest,
    failures: () => failures,
    hasFailed: () => fault !== undefined,
    async stop() {
      draining.abort();
      await whenIdle();
      cutting.abort();
      return { ...total };
    },
  };
}

function closed(connection: Connection | undefined): undefined {
  connection?.close();
  return undefined;
}

/** Reads each version of the files once: a private key is not parsed for every request. */
function credentialOf(mounted: TrafficOptions['mounted']) {
  let files: MountedFiles | undefined;
  let read: ReturnType<typeof readMounted> = { unusable: 'the Secret is not mounted yet' };
  let last: MountedCredential | undefined;
  return {
    credential(): MountedCredential {
      const now = mounted();
      if (now !== files && now !== undefined) read = readMounted(now);
      files = now;
      if ('unusable' in read) throw new Error(read.unusable);
      last = read;
      return read;
    },
    /** What was used last. */
    last: () => last,
  };
}

function usable(credential: () => MountedCredential): string | null {
  try {
    credential();
    return null;
  } catch (error) {
    return error instanceof Error ? error.message : 'unusable';
  }
}
