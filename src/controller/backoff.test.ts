import fc from 'fast-check';
import { expect, test } from 'vitest';
import { backoffMs } from './backoff.ts';

const backoff = { baseMs: 500, maxMs: 300_000 };

test('the wait doubles with each failure up to the maximum', () => {
  expect([1, 2, 3, 4].map((failures) => backoffMs(backoff, failures, 0))).toEqual([500, 1_000, 2_000, 4_000]);
  expect(backoffMs(backoff, 1_000_000, 0)).toBe(300_000);
});

test('the wait is never shorter than half of it and never longer than the maximum', () => {
  fc.assert(
    fc.property(fc.nat(10_000), fc.double({ min: 0, max: 0.999, noNaN: true }), (failures, random) => {
      const ms = backoffMs(backoff, failures, random);
      expect(ms).toBeGreaterThanOrEqual(backoff.baseMs / 2);
      expect(ms).toBeLessThanOrEqual(backoff.maxMs);
    }),
  );
});
