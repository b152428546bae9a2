import type { Clock } from '../controller/clock.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import type { Selection } from '../kubernetes/request.ts';
import { type KubeObject, qualifiedName, type Resource } from '../kubernetes/resource.ts';
import { runWatch } from '../kubernetes/watch.ts';
import { VersionLog } from './version-log.ts';

export interface ClusterWatchOptions {
  readonly client: KubeClient;
  readonly resource: Resource;
  readonly selection: Selection;
  readonly onVersion: (object: KubeObject, deleted: boolean) => void;
  readonly onGap: (what: string, detail: string) => void;
  readonly clock: Clock;
  readonly signal: AbortSignal;
}

export interface ClusterWatch {
  /** Resolves when the present objects are recorded: from then on no version is missed. Rejects when the signal aborts. */
  ready(): Promise<void>;
  /** Compares with a live list, tells a gap when the watch has not shown everything within `timeoutMs`, and ends. */
  finish(timeoutMs: number): Promise<void>;
  /** Ends at once, for a cluster that is gone. */
  abandon(): Promise<void>;
}

// Every re-list is a chance to miss a version, so none is made without need.
const neverMs = Number.MAX_SAFE_INTEGER / 4;
const pollMs = 50;
const compareEveryMs = 250;
/** A version counts from when it is seen: behind a cluster that was away the recorder must not be late. */
const backoff = { baseMs: 50, maxMs: 200 };

export function startClusterWatch(options: ClusterWatchOptions): ClusterWatch {
  const { client, resource, selection, clock } = options;
  const what = qualifiedName(resource);
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  const log = new VersionLog({ onVersion: options.onVersion, onGap: (detail) => options.onGap(what, detail) });
  let problem: unknown;
  const running = runWatch({
    client,
    resource,
    selection,
    clock,
    signal,
    relistAfterMs: neverMs,
    backoff,
    onEvent: (event) => log.take(event),
    onProblem: ({ error }) => {
      problem = error;
    },
  });

  const lagging = async (timeoutMs: number): Promise<string | undefined> => {
    const untilMs = clock.monotonicMs() + timeoutMs;
    try {
      for (;;) {
        // Read anew each time: what is written meanwhile makes the log run ahead of an older list.
        const { items } = await client.list(resource, selection, { signal, timeoutMs });
        const behind = log.lagsBehind(items);
        if (behind.length === 0) return undefined;
        if (clock.monotonicMs() >= untilMs)
          return `the newest version of ${behind.join(', ')} was not shown by the watch`;
        await clock.delay(compareEveryMs, signal);
      }
    } catch (error) {
      return `could not be compared with a list at the end: ${messageOf(error)}`;
    }
  };

  return {
    async ready() {
      const warnAtMs = clock.monotonicMs() + 30_000;
      while (!log.complete) {
        await clock.delay(pollMs, signal);
        if (clock.monotonicMs() > warnAtMs) {
          throw new Error(`Recording ${what} did not begin within 30 s: ${messageOf(problem)}`, { cause: problem });
        }
      }
    },
    async finish(timeoutMs) {
      const detail = options.signal.aborted ? undefined : await lagging(timeoutMs);
      if (detail !== undefined) options.onGap(what, detail);
      ending.abort();
      await running;
    },
    async abandon() {
      ending.abort();
      await running;
    },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error ?? 'no answer');
}
