import { type Backoff, backoffMs } from './backoff.ts';
import { type Clock, systemClock } from './clock.ts';
import type { Priority } from './fair-turns.ts';
import { createWorkQueue } from './queue.ts';

export interface ReconcileResult {
  /** Look at the key again after this time, unless something happens before. */
  readonly againAfterMs?: number;
}

/**
 * Brings what the key names to what it should be. Knows the key only, never the event, so a lost or doubled
 * event costs nothing. To throw means "a fault: try again after a back-off".
 */
// biome-ignore lint/suspicious/noConfusingVoidType: a reconcile that asks for nothing returns nothing
export type Reconcile = (key: string, signal: AbortSignal) => Promise<ReconcileResult | void>;

/** One finished run, for metrics and logs. */
export interface RunRecord {
  readonly controller: string;
  readonly key: string;
  readonly outcome: 'done' | 'failed';
  readonly durationMs: number;
  /** Of a failed run. */
  readonly error?: unknown;
  /** When the key runs again by itself. */
  readonly againAfterMs?: number;
}

export interface ControllerOptions {
  readonly name: string;
  readonly reconcile: Reconcile;
  /** Keys worked on at once. @default 1 */
  readonly concurrency?: number;
  /** Per key. @default 500 ms doubling to 5 min */
  readonly backoff?: Backoff;
  readonly clock?: Clock;
  /** In [0, 1). */
  readonly random?: () => number;
  readonly onRun?: (record: RunRecord) => void;
}

export interface ControllerState {
  readonly ready: number;
  readonly delayed: number;
  readonly running: number;
  /** Age of the oldest run under way; 0 without one. A health check bounds it. */
  readonly oldestRunMs: number;
}

export interface Controller {
  readonly name: string;
  add(key: string, priority?: Priority): void;
  addAfter(key: string, ms: number, priority?: Priority): void;
  state(): ControllerState;
  /** Starts no more runs, aborts those under way, and waits for them. */
  stop(): Promise<void>;
}

const DEFAULT_BACKOFF: Backoff = { baseMs: 500, maxMs: 300_000 };

/** Starts at once; keys wait until they are added. */
export function startController(options: ControllerOptions): Controller {
  const { name, reconcile, concurrency = 1, backoff = DEFAULT_BACKOFF, random = Math.random, onRun } = options;
  const clock = options.clock ?? systemClock;
  const stopping = new AbortController();
  const running = new Map<string, { readonly beganMs: number; readonly run: Promise<void> }>();
  const failures = new Map<string, number>();
  let pumping = false;

  const pump = (): void => {
    // Reconciles start in a later turn, so that a burst of adds is de-duplicated before the first runs.
    if (pumping || stopping.signal.aborted) return;
    pumping = true;
    queueMicrotask(() => {
      pumping = false;
      while (running.size < concurrency && !stopping.signal.aborted) {
        const key = queue.take();
        if (key === undefined) return;
        running.set(key, { beganMs: clock.monotonicMs(), run: runOnce(key) });
      }
    });
  };
  const queue = createWorkQueue(clock, pump);

  const runOnce = async (key: string): Promise<void> => {
    const beganMs = clock.monotonicMs();
    // A reconcile that throws before its first await must look like any other.
    await Promise.resolve();
    const record = await attempt(key);
    running.delete(key);
    // Behind fresh events: a thousand clusters that fail must not slow down the rest (L2).
    if (record.againAfterMs !== undefined) queue.addAfter(key, record.againAfterMs, 'low');
    queue.done(key);
    pump();
    onRun?.({ controller: name, key, durationMs: clock.monotonicMs() - beganMs, ...record });
  };

  const attempt = async (key: string): Promise<Pick<RunRecord, 'outcome' | 'error' | 'againAfterMs'>> => {
    try {
      const result = await reconcile(key, stopping.signal);
      failures.delete(key);
      const againAfterMs = result?.againAfterMs;
      return againAfterMs === undefined ? { outcome: 'done' } : { outcome: 'done', againAfterMs };
    } catch (error) {
      const count = (failures.get(key) ?? 0) + 1;
      failures.set(key, count);
      return { outcome: 'failed', error, againAfterMs: backoffMs(backoff, count, random()) };
    }
  };

  return {
    name,
    add: queue.add,
    addAfter: queue.addAfter,
    state() {
      const { ready, delayed } = queue.sizes();
      const nowMs = clock.monotonicMs();
      const ages = [...running.values()].map(({ beganMs }) => nowMs - beganMs);
      return { ready, delayed, running: running.size, oldestRunMs: Math.max(0, ...ages) };
    },
    async stop() {
      if (!stopping.signal.aborted) stopping.abort(new Error(`The controller "${name}" is stopping`));
      queue.close();
      await Promise.all([...running.values()].map(({ run }) => run));
    },
  };
}
