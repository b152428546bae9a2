import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../json.ts';
import { mergePatched, mergePatchedObject } from './merge-patch.ts';

const json = fc.jsonValue({ maxDepth: 3 }).map((value) => JSON.parse(JSON.stringify(value)) as Json);

function hasNull(value: Json): boolean {
  return value === null || (typeof value === 'object' && Object.values(value).some(hasNull));
}

describe('a merge patch', () => {
  test.each<readonly [Json, Json, Json]>([
    [{ a: 'b' }, { a: 'c' }, { a: 'c' }],
    [{ a: 'b' }, { b: 'c' }, { a: 'b', b: 'c' }],
    [{ a: 'b', b: 'c' }, { a: null }, { b: 'c' }],
    [{ a: ['b'] }, { a: 'c' }, { a: 'c' }],
    [{ a: { b: 'c' } }, { a: { b: 'd', c: null } }, { a: { b: 'd' } }],
    [{ a: [{ b: 'c' }] }, { a: [1] }, { a: [1] }],
    [
      ['a', 'b'],
      ['c', 'd'],
      ['c', 'd'],
    ],
    [{ a: 'foo' }, null, null],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: 'b', c: null }, { a: 'b' }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ])('of the standard: %j with %j becomes %j', (target, patch, expected) => {
    expect(mergePatched(target, patch)).toEqual(expected);
  });

  test('applied twice does what it does once', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        const once = mergePatched(target, patch);
        expect(mergePatched(once, patch)).toEqual(once);
      }),
    );
  });

  test('with no null in it puts all of it there, and an empty one changes nothing', () => {
    fc.assert(
      fc.property(json, json, (target, patch) => {
        fc.pre(!hasNull(patch));
        expect(mergePatched(mergePatched({}, patch), patch)).toEqual(mergePatched({}, patch));
        expect(mergePatched(target, target)).toEqual(hasNull(target) ? mergePatched(target, target) : target);
      }),
    );
  });

  test('cannot turn an object into something else', () => {
    expect(mergePatchedObject({ a: 1 }, [1])).toMatchObject({ ok: false, refusal: { code: 400 } });
    expect(mergePatchedObject({ a: 1 }, { b: 2 })).toEqual({ ok: true, value: { a: 1, b: 2 } });
  });

  test('may name a field like those that every JavaScript object has', () => {
    const patch = JSON.parse('{"__proto__": {"a": 1}, "constructor": "x"}') as Json;
    expect(JSON.stringify(mergePatched({}, patch))).toBe('{"__proto__":{"a":1},"constructor":"x"}');
  });
});
