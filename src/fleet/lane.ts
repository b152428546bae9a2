/** A bounded number of places. */
export interface Lane {
  /** Waits for a place, first come, first served. @returns gives the place back; may be called twice */
  enter(signal: AbortSignal): Promise<() => void>;
}

/** @param width places */
export function createLane(width: number): Lane {
  let free = width;
  const waiting = new Set<() => void>();
  const leave = (): void => {
    const [next] = waiting;
    if (next === undefined) {
      free += 1;
      return;
    }
    waiting.delete(next);
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
    enter(signal) {
      if (signal.aborted) return Promise.reject(signal.reason);
      if (free > 0) {
        free -= 1;
        return Promise.resolve(place());
      }
      return new Promise((resolve, reject) => {
        const abort = (): void => {
          waiting.delete(go);
          reject(signal.reason);
        };
        const go = (): void => {
          signal.removeEventListener('abort', abort);
          resolve(place());
        };
        waiting.add(go);
        signal.addEventListener('abort', abort, { once: true });
      });
    },
  };
}
