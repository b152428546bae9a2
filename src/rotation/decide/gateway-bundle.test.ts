import { expect, test } from 'vitest';
import { marginMs, nowMs, renewal, root } from '../../../test/decisions/build.ts';
import { addedBy, expired, outlived, withRoot } from './gateway-bundle.ts';

const a = root('a');
const a2 = renewal(a, 'a2');
const a3 = renewal(a2, 'a3');
const b = root('b');
const c = root('c');
const names = (bundle: readonly { readonly digest: string }[]): string => bundle.map(({ digest }) => digest).join(' ');

test('a new root goes to the front and the others keep their order', () => {
  expect(names(withRoot([b, a], c))).toBe('c b a');
  expect(names(withRoot([], a))).toBe('a');
});

test('a root that is there already changes nothing, not even the list', () => {
  const bundle = [b, a];
  expect(withRoot(bundle, a)).toBe(bundle);
});

test('a renewed root goes before the earlier one of its key', () => {
  expect(names(withRoot([b, a], a2))).toBe('a2 b a');
});

test('an earlier root that comes back goes behind those of its key that outlive it', () => {
  expect(names(withRoot([a2, b], a))).toBe('a2 a b');
  expect(names(withRoot([c, a2, b], a))).toBe('c a2 a b');
});

test('outlived are the roots of a key that another of that key outlives, wherever they stand', () => {
  expect(outlived([a2, b, a], nowMs, 0)).toEqual(['a']);
  expect(outlived([a, a3, a2], nowMs, 0)).toEqual(['a', 'a2']);
  expect(outlived([a, b, c], nowMs, 0)).toEqual([]);
});

test('of two roots with one key and one end neither is outlived', () => {
  expect(outlived([a, root('a9', { keyId: 'a' })], nowMs, 0)).toEqual([]);
});

test('a root is not outlived before the start of the other is past everybody’s clock', () => {
  const fresh = root('a2', { keyId: 'a', notBeforeMs: nowMs - marginMs, notAfterMs: a.notAfterMs + 1 });
  expect(outlived([fresh, a], nowMs - 1, marginMs)).toEqual([]);
  expect(outlived([fresh, a], nowMs, marginMs)).toEqual(['a']);
});

test('a root is expired from its last instant on', () => {
  const old = root('old', { notAfterMs: nowMs });
  expect(expired([a, old, root('last', { notAfterMs: nowMs + 1 })], nowMs)).toEqual(['old']);
});

test('the record of additions keeps what stood there, and names the replaced version for what is new', () => {
  expect(addedBy([b, a], { a: '3' }, [a], '7')).toEqual({ b: '7', a: '3' });
});

test('a root that was dropped and comes back gets another record than the one it had', () => {
  // Its old record may still lie about in the annotation; what counts is whether it stands in the bundle.
  expect(addedBy([b, a], { a: '3', b: '4' }, [a], '9')).toEqual({ b: '9', a: '3' });
});

test('a root without a record gets one, so that it can be proven at all', () => {
  expect(addedBy([a], {}, [a], '7')).toEqual({ a: '7' });
});

test('the record forgets roots that have left', () => {
  expect(addedBy([a], { a: '3', b: '4' }, [b, a], '7')).toEqual({ a: '3' });
});
