import { expect, test } from 'vitest';
import { nowMs, renewal, root } from '../../../test/decisions/build.ts';
import { accepts, acceptsByDigest } from './accepts.ts';

const a = root('a');
const a2 = renewal(a, 'a2');
const b = root('b');

test('a bundle accepts by key, so a renewed root vouches for the leaves of the earlier one', () => {
  expect(accepts([a2], a.keyId, nowMs)).toBe(true);
  expect(accepts([b], a.keyId, nowMs)).toBe(false);
});

test('any root of a bundle will do, wherever it stands', () => {
  expect(accepts([b, a], 'a', nowMs)).toBe(true);
  expect(accepts([a, b], 'a', nowMs)).toBe(true);
});

test('nothing accepts a leaf whose signer is not known', () => {
  expect(accepts([a], null, nowMs)).toBe(false);
  expect(acceptsByDigest(['a'], [a], null, nowMs)).toBe(false);
});

test('an expired root accepts nothing, and one within the margin of its end neither', () => {
  expect(accepts([a], 'a', a.notAfterMs - 1)).toBe(true);
  expect(accepts([a], 'a', a.notAfterMs)).toBe(false);
  expect(accepts([a], 'a', a.notAfterMs - 10, 10)).toBe(false);
  expect(acceptsByDigest(['a'], [a], 'a', a.notAfterMs)).toBe(false);
  expect(acceptsByDigest(['a'], [a], 'a', a.notAfterMs - 10, 10)).toBe(false);
});

test('a digest that no known root has counts for nothing', () => {
  expect(acceptsByDigest(['a'], [a, b], 'a', nowMs)).toBe(true);
  expect(acceptsByDigest(['a'], [b], 'a', nowMs)).toBe(false);
  // The key is known by its renewal, but the renewal is not what the bundle holds.
  expect(acceptsByDigest(['a'], [a2], 'a', nowMs)).toBe(false);
});
