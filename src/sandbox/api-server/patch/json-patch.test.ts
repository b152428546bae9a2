import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { Json } from '../json.ts';
import { jsonPatched } from './json-patch.ts';
import { pointerPath, pointerText } from './json-pointer.ts';

describe('a JSON pointer', () => {
  test('comes back as the path that it was written from', () => {
    const names = fc.oneof(fc.string(), fc.constantFrom('', '/', '~', '~1', '~0/', '~01'));
    fc.assert(
      fc.property(fc.array(names), (path) => {
        expect(pointerPath(pointerText(path))).toEqual(path);
      }),
    );
  });

  test('starts with a slash', () => {
    expect([pointerPath('a'), pointerPath(''), pointerPath('/')]).toEqual([undefined, [], ['']]);
  });
});

describe('a JSON patch', () => {
  const target: Json = { list: [1, 2, 3], 'a/b': { 'm~n': 1 }, none: null };

  test.each<readonly [string, Json, Json]>([
    ['inserts into a list', [{ op: 'add', path: '/list/1', value: 9 }], { ...target, list: [1, 9, 2, 3] }],
    ['appends to a list', [{ op: 'add', path: '/list/-', value: 9 }], { ...target, list: [1, 2, 3, 9] }],
    ['reaches escaped names', [{ op: 'replace', path: '/a~1b/m~0n', value: 2 }], { ...target, 'a/b': { 'm~n': 2 } }],
    ['removes an item', [{ op: 'remove', path: '/list/0' }], { ...target, list: [2, 3] }],
    ['moves an item', [{ op: 'move', from: '/list/0', path: '/list/2' }], { ...target, list: [2, 3, 1] }],
    ['replaces all', [{ op: 'replace', path: '', value: 5 }], 5],
    [
      'goes on where a test holds',
      [
        { op: 'test', path: '/list', value: [1, 2, 3] },
        { op: 'remove', path: '/list' },
      ],
      { 'a/b': { 'm~n': 1 }, none: null },
    ],
    ['takes null for a missing field', [{ op: 'test', path: '/nothing', value: null }], target],
  ])('%s', (_what, patch, expected) => {
    expect(jsonPatched(target, patch)).toEqual({ ok: true, value: expected });
  });

  test.each<readonly [string, Json]>([
    [
      'a test fails',
      [
        { op: 'add', path: '/x', value: 1 },
        { op: 'test', path: '/list/0', value: 2 },
      ],
    ],
    ['an index has a leading zero', [{ op: 'remove', path: '/list/01' }]],
    ['an index is beyond the end', [{ op: 'add', path: '/list/4', value: 1 }]],
    ['a parent is missing', [{ op: 'add', path: '/x/y', value: 1 }]],
    ['a field to remove is missing', [{ op: 'remove', path: '/x' }]],
    ['the operation is unknown', [{ op: 'swap', path: '/list' }]],
    ['the path is missing', [{ op: 'add', value: 1 }]],
  ])('is refused as a whole where %s', (_why, patch) => {
    expect(jsonPatched(target, patch)).toMatchObject({ ok: false, refusal: { code: 422, reason: 'Invalid' } });
  });

  test('leaves the value that it is applied to alone', () => {
    const before = JSON.stringify(target);
    jsonPatched(target, [
      { op: 'remove', path: '/list/0' },
      { op: 'add', path: '/a~1b/x', value: 1 },
    ]);
    expect(JSON.stringify(target)).toBe(before);
  });
});
