import { expect, test } from 'vitest';
import { systemClock } from './clock.ts';
import { createTestClock } from './test-clock.ts';

const forever = new AbortController().signal;

test('the system clock fires a timer once its time has passed', async () => {
  const beganMs = systemClock.monotonicMs();
  await systemClock.delay(15, forever);
  expect(systemClock.monotonicMs() - beganMs).toBeGreaterThanOrEqual(14);
});

test('the system clock does not fire a timer of more than 24 days at once', async () => {
  let fired = false;
  const timer = systemClock.setTimer(60 * 24 * 3600 * 1000, () => {
    fired = true;
  });
  await systemClock.delay(20, forever);
  timer.cancel();
  expect(fired).toBe(false);
});

test('a delay ends with the reason of its signal and leaves no timer behind', async () => {
  const clock = createTestClock();
  const controller = new AbortController();
  const waiting = clock.delay(1_000, controller.signal);
  controller.abort(new Error('stop'));
  await expect(waiting).rejects.toThrow('stop');
  expect(clock.pending()).toBe(0);
  await expect(clock.delay(1, controller.signal)).rejects.toThrow('stop');
});

test('the test clock fires timers in order of time, also those that are set on the way', async () => {
  const clock = createTestClock();
  const fired: string[] = [];
  clock.setTimer(300, () => fired.push('last'));
  clock.setTimer(100, () => {
    fired.push('first');
    clock.setTimer(100, () => fired.push('second'));
  });
  await clock.advance(250);
  expect(fired).toEqual(['first', 'second']);
  await clock.advance(50);
  expect(fired).toEqual(['first', 'second', 'last']);
});

test('a jump of the wall clock moves no monotonic time', () => {
  const clock = createTestClock();
  const before = { wallMs: clock.nowMs(), monotonicMs: clock.monotonicMs() };
  clock.jump(-3_600_000);
  expect(clock.nowMs()).toBe(before.wallMs - 3_600_000);
  expect(clock.monotonicMs()).toBe(before.monotonicMs);
});
