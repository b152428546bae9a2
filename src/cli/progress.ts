import type { Clock } from '../controller/clock.ts';
import { approximately } from './table.ts';

/** Text on how fast something goes and how long it still takes: `, 2.5 a second, 8 s left`; empty until that can be told. */
export type Progress = (what: string, done: number, whole: number) => string;

/** Measures from the first count that it is given of each thing, by this process's own clock. */
export function progressOf(clock: Clock): Progress {
  const begun = new Map<string, { readonly atMs: number; readonly done: number }>();
  return (what, done, whole) => {
    const nowMs = clock.monotonicMs();
    const begin = begun.get(what);
    // Fewer than before is another rotation that began meanwhile.
    if (begin === undefined || done < begin.done) {
      begun.set(what, { atMs: nowMs, done });
      return '';
    }
    const seconds = (nowMs - begin.atMs) / 1000;
    const perSecond = (done - begin.done) / seconds;
    if (seconds < 0.5 || perSecond <= 0) return '';
    return `, ${perSecond >= 10 ? Math.round(perSecond) : perSecond.toFixed(1)} a second, ${approximately(((whole - done) / perSecond) * 1000)} left`;
  };
}
