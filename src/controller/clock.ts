import { setMaxListeners } from 'node:events';

export interface Timer {
  cancel(): void;
}

/**
 * All time that the program knows. Injected everywhere: decisions about elapsed time rest on
 * `monotonicMs` (S6), and tests move time instead of sleeping.
 */
export interface Clock {
  /** Wall clock, milliseconds since the epoch. Jumps; only for dates that are shown or compared with certificates. */
  nowMs(): number;
  /** Never goes back; meaningful only as a difference within this process. */
  monotonicMs(): number;
  /** Rejects with the signal's reason on abort. A negative time counts as zero. */
  delay(ms: number, signal: AbortSignal): Promise<void>;
  /** Calls back once. A negative time counts as zero. */
  setTimer(ms: number, callback: () => void): Timer;
}

/** `setTimeout` fires at once for anything longer. */
const LONGEST_TIMEOUT_MS = 2 ** 31 - 1;

function setTimer(ms: number, callback: () => void): Timer {
  const dueMs = performance.now() + ms;
  let handle: NodeJS.Timeout;
  const arm = (leftMs: number): void => {
    handle = setTimeout(
      () => {
        const stillMs = dueMs - performance.now();
        if (stillMs > 1) arm(stillMs);
        else callback();
      },
      Math.min(Math.max(0, leftMs), LONGEST_TIMEOUT_MS),
    );
  };
  arm(ms);
  return { cancel: () => clearTimeout(handle) };
}

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  monotonicMs: () => performance.now(),
  setTimer,
  delay: (ms, signal) => delayWith(setTimer, ms, signal),
};

/** `delay` in terms of `setTimer`, for any clock. */
export function delayWith(timer: Clock['setTimer'], ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    // Many loops rightly wait on one signal; Node would warn of a leak at eleven.
    setMaxListeners(0, signal);
    const abort = (): void => {
      running.cancel();
      reject(signal.reason);
    };
    const running = timer(ms, () => {
      signal.removeEventListener('abort', abort);
      resolve();
    });
    signal.addEventListener('abort', abort, { once: true });
  });
}
