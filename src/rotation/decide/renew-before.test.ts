import { expect, test } from 'vitest';
import { nowMs, root } from '../../../test/decisions/build.ts';
import { renewBeforeMs } from './renew-before.ts';

const dayMs = 24 * 60 * 60_000;

test('far from the end of the root a leaf is renewed when it was wished', () => {
  expect(renewBeforeMs(dayMs, root('a', { notAfterMs: nowMs + 60 * dayMs }), nowMs)).toBe(dayMs);
  expect(renewBeforeMs(dayMs, null, nowMs)).toBe(dayMs);
});

test('a leaf that ends with its root is never due, so it is not asked for again and again', () => {
  for (const leftMs of [1, 1_000, dayMs, 3 * dayMs]) {
    const ending = root('a', { notAfterMs: nowMs + leftMs });
    expect(ending.notAfterMs - renewBeforeMs(2 * dayMs, ending, nowMs)).toBeGreaterThan(nowMs);
  }
});

test('an expired root makes no negative time', () => {
  expect(renewBeforeMs(dayMs, root('a', { notAfterMs: nowMs - 1 }), nowMs)).toBe(0);
});
