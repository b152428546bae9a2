import { expect, test } from 'vitest';
import { systemClock } from '../../controller/clock.ts';
import { silenceOf, untilSilentMs } from './hub-silence.ts';

const clock = { ...systemClock, nowMs: () => new Date(2026, 0, 1, 12, 0, 10).getTime() };
const works = { trouble: () => undefined };
const failing = (sinceMs: number) => ({
  trouble: () => ({
    sinceMs,
    problem: { phase: 'watching', failures: 1, error: new Error('connection refused') } as const,
  }),
});

test('a hub that fails for less than two seconds is waited for in silence', () => {
  expect(silenceOf([works, works], clock)).toBeNull();
  expect(untilSilentMs([works])).toBe(Number.POSITIVE_INFINITY);
  expect(silenceOf([works, failing(1_500)], clock)).toBeNull();
  expect(untilSilentMs([works, failing(1_500)])).toBe(500);
});

test('a longer silence is told with its beginning and its cause, by the watch that fails longest', () => {
  expect(silenceOf([failing(2_000), failing(5_000), works], clock)).toBe(
    'The hub has not answered since 12:00:05 (connection refused): trying again',
  );
});
