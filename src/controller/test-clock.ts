import { type Clock, delayWith, type Timer } from './clock.ts';

/** A clock that stands still until it is moved. */
export interface TestClock extends Clock {
  /** Moves both clocks on, firing timers in order of their time and letting what they wake run before the next. */
  advance(ms: number): Promise<void>;
  /** Moves the wall clock alone, as a correction by NTP does. */
  jump(ms: number): void;
  /** Timers that wait. */
  pending(): number;
  /** Milliseconds until the next timer; undefined without one. */
  nextTimerMs(): number | undefined;
}

export function createTestClock(startMs = Date.UTC(2026, 0, 1)): TestClock {
  let wallMs = startMs;
  let monotonicMs = 1_000;
  const timers = new Set<{ readonly dueMs: number; readonly callback: () => void }>();

  const setTimer = (ms: number, callback: () => void): Timer => {
    const timer = { dueMs: monotonicMs + Math.max(0, ms), callback };
    timers.add(timer);
    return { cancel: () => timers.delete(timer) };
  };
  const next = () => {
    let earliest: { readonly dueMs: number; readonly callback: () => void } | undefined;
    for (const timer of timers) if (earliest === undefined || timer.dueMs < earliest.dueMs) earliest = timer;
    return earliest;
  };
  const moveTo = (targetMs: number): void => {
    wallMs += targetMs - monotonicMs;
    monotonicMs = targetMs;
  };

  return {
    nowMs: () => wallMs,
    monotonicMs: () => monotonicMs,
    setTimer,
    delay: (ms, signal) => delayWith(setTimer, ms, signal),
    async advance(ms) {
      const endMs = monotonicMs + ms;
      await settled();
      for (let timer = next(); timer !== undefined && timer.dueMs <= endMs; timer = next()) {
        timers.delete(timer);
        moveTo(timer.dueMs);
        timer.callback();
        await settled();
      }
      moveTo(endMs);
    },
    jump: (ms) => {
      wallMs += ms;
    },
    pending: () => timers.size,
    nextTimerMs: () => {
      const timer = next();
      return timer === undefined ? undefined : timer.dueMs - monotonicMs;
    },
  };
}

/** Resolves when all promise reactions that are ready now have run. */
function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
