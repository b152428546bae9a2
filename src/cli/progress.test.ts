import { expect, test } from 'vitest';
import { createTestClock } from '../controller/test-clock.ts';
import { progressOf } from './progress.ts';

test('rate and remaining time are told once there is something to measure', async () => {
  const clock = createTestClock();
  const progress = progressOf(clock);
  expect(progress('runtimes', 0, 100)).toBe('');
  expect(progress('runtimes', 10, 100)).toBe('');
  await clock.advance(5_000);
  expect(progress('runtimes', 10, 100)).toBe(', 2.0 a second, 45 s left');
  await clock.advance(5_000);
  expect(progress('runtimes', 10, 100)).toBe(', 1.0 a second, 90 s left');
});

test('a count that falls back begins anew', async () => {
  const clock = createTestClock();
  const progress = progressOf(clock);
  progress('runtimes', 50, 100);
  await clock.advance(10_000);
  expect(progress('runtimes', 0, 100)).toBe('');
  await clock.advance(1_000);
  expect(progress('runtimes', 20, 100)).toBe(', 20 a second, 4 s left');
});
