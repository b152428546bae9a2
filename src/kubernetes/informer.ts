import { type Clock, systemClock } from '../controller/clock.ts';
import type { KubeObject } from './resource.ts';
import { createStore, type StoreOptions, type StoreReader } from './store.ts';
import { runWatch, type WatchProblem, type WatchRunOptions } from './watch.ts';

export interface Informer<T extends KubeObject> {
  readonly store: StoreReader<T>;
  /** Time since the watch last worked, and what its last problem was; undefined while it works. */
  trouble(): { readonly sinceMs: number; readonly problem: WatchProblem } | undefined;
  /** Resolves when the signal has aborted and the watch has ended; rejects with what a subscriber threw. */
  readonly ended: Promise<void>;
}

export type InformerOptions<T extends KubeObject> = Omit<WatchRunOptions<T>, 'onEvent'> & StoreOptions;

/** Starts a watch that fills a store. Subscribe to the store before the next await to miss nothing. */
export function startInformer<T extends KubeObject>(options: InformerOptions<T>): Informer<T> {
  const clock: Clock = options.clock ?? systemClock;
  const { reader, write } = createStore<T>(options);
  let trouble: { readonly beganMs: number; readonly problem: WatchProblem } | undefined;
  const ended = runWatch<T>({
    ...options,
    onEvent: write,
    onConnected() {
      trouble = undefined;
      options.onConnected?.();
    },
    onProblem(problem) {
      trouble = { beganMs: trouble?.beganMs ?? clock.monotonicMs(), problem };
      options.onProblem?.(problem);
    },
  });
  return {
    store: reader,
    ended,
    trouble: () =>
      trouble === undefined ? undefined : { sinceMs: clock.monotonicMs() - trouble.beganMs, problem: trouble.problem },
  };
}
