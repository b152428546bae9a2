import type { Clock } from '../controller/clock.ts';

/** How long a process stood still, as one does that gets no processor: nothing that it then judges by time says much. */
export interface Standstill {
  /** The longest so far. */
  longestMs(): number;
  stop(): void;
}

const everyMs = 100;

export function watchForStandstill(clock: Clock): Standstill {
  let longest = 0;
  let stopped = false;
  let dueMs = clock.monotonicMs() + everyMs;
  const look = (): void => {
    longest = Math.max(longest, clock.monotonicMs() - dueMs);
    if (stopped) return;
    dueMs = clock.monotonicMs() + everyMs;
    timer = clock.setTimer(everyMs, look);
  };
  let timer = clock.setTimer(everyMs, look);
  return {
    longestMs: () => longest,
    stop() {
      stopped = true;
      timer.cancel();
    },
  };
}
