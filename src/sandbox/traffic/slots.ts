import { onAbort } from '../../kubernetes/on-abort.ts';

/** Places for so many at once; the others wait in the order of their coming. */
export interface Slots {
  /** Rejects with the signal's reason when that aborts first. @returns a function that gives the place back, once */
  take(signal: AbortSignal): Promise<() => void>;
  /** How many wait. */
  waiting(): number;
}

export function createSlots(places: number): Slots {
  const waiting: (() => void)[] = [];
  let free = places;

  const release = (): void => {
    const next = waiting.shift();
    if (next === undefined) free += 1;
    else next();
  };
  const once = (): (() => void) => {
    let given = false;
    return () => {
      if (!given) release();
      given = true;
    };
  };
  return {
    waiting: () => waiting.length,
    take: (signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) {
          reject(signal.reason);
          return;
        }
        if (free > 0) {
          free -= 1;
          resolve(once());
          return;
        }
        const go = (): void => {
          forget();
          resolve(once());
        };
        const forget = onAbort(signal, () => {
          waiting.splice(waiting.indexOf(go), 1);
          reject(signal.reason);
        });
        waiting.push(go);
      }),
  };
}
