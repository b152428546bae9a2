import { expect, test } from 'vitest';
import { createTestClock } from '../controller/test-clock.ts';
import { watchForStandstill } from './standstill.ts';

test('a process that is kept waiting knows for how long', async () => {
  const clock = createTestClock();
  let aheadMs = 0;
  const standstill = watchForStandstill({ ...clock, monotonicMs: () => clock.monotonicMs() + aheadMs });
  await clock.advance(1_000);
  expect(standstill.longestMs()).toBe(0);
  aheadMs = 2_300;
  await clock.advance(100);
  expect(standstill.longestMs()).toBe(2_300);
  await clock.advance(1_000);
  expect(standstill.longestMs()).toBe(2_300);
  standstill.stop();
});
