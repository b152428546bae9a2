import { fairTurns, type Priority } from '../controller/fair-turns.ts';

/** A bounded number of places. */
export interface Lane {
  /**
   * Waits for a place, first come, first served among those of one priority.
   *
   * @param priority @default 'low'
   * @returns gives the place back; may be called twice
   */
  enter(signal: AbortSignal, priority?: Priority): Promise<() => void>;
}

/** @param width places */
export function createLane(width: number): Lane {
  let free = width;
  const turn = fairTurns();
  const waiting = { high: new Set<() => void>(), low: new Set<() => void>() };
  const leave = (): void => {
    const line = waiting[turn({ high: waiting.high.size, low: waiting.low.size })];
    const [next] = line;
    if (next === undefined) {
      free += 1;
      return;
    }
    line.delete(next);
    next();
  };
  const place = (): (() => void) => {
    let held = true;
    return () => {
      if (held) leave();
      held = false;
    };
  };
  return {
    enter(signal, priority = 'low') {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (free > 0) {
        free -= 1;
        return Promise.resolve(place());
      }
      return new Promise((resolve, reject) => {
        const line = waiting[priority];
        const abort = (): void => {
          line.delete(go);
          reject(signal.reason);
        };
        const go = (): void => {
          signal.removeEventListener('abort', abort);
          resolve(place());
        };
        line.add(go);
        signal.addEventListener('abort', abort, { once: true });
      });
    },
  };
}
