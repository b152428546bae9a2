import { describe, expect, test } from 'vitest';
import { differences } from './differences.ts';
import { createMarks } from './masked.ts';

const uid = (digit: number) => `0000000${digit}-0000-4000-8000-000000000000`;

describe('a masked answer', () => {
  test('has the same mark for the same version and another for another', () => {
    const { mask } = createMarks('https://x');
    const of = (resourceVersion: string) => mask({ metadata: { name: 'a', resourceVersion } });
    expect([of('7'), of('9'), of('7')]).toEqual([
      { metadata: { name: 'a', resourceVersion: '<version 1>' } },
      { metadata: { name: 'a', resourceVersion: '<version 2>' } },
      { metadata: { name: 'a', resourceVersion: '<version 1>' } },
    ]);
  });

  test('does not count the version of a list, which others move, but those of its items', () => {
    const { mask } = createMarks('https://x');
    const items = [{ metadata: { name: 'a', resourceVersion: '7' } }];
    expect(mask({ kind: 'SecretList', metadata: { resourceVersion: '9' }, items })).toEqual({
      kind: 'SecretList',
      metadata: { resourceVersion: '<version of a list>' },
      items: [{ metadata: { name: 'a', resourceVersion: '<version 1>' } }],
    });
  });

  test('knows a uid in a text, and times of today but not of another year', () => {
    const { mask } = createMarks('https://x');
    expect(mask({ uid: uid(1), message: `uid ${uid(2)} is not ${uid(1)}` })).toEqual({
      uid: '<uid 1>',
      message: 'uid <uid 2> is not <uid 1>',
    });
    expect(mask([new Date().toISOString(), '2000-01-01T00:00:00Z'])).toEqual([
      '<time with fractions>',
      '2000-01-01T00:00:00Z',
    ]);
  });

  test('lists owned fields as paths', () => {
    const { mask } = createMarks('https://x');
    expect(mask({ fieldsV1: { 'f:data': { '.': {}, 'f:a': {} }, 'f:type': {} } })).toEqual({
      fieldsV1: ['f:data/.', 'f:data/f:a', 'f:type'],
    });
  });
});

describe('differences', () => {
  const told = (answer: unknown) => [{ request: 'GET /a', answer }];

  test('are told by the smallest part that differs', () => {
    expect(differences(told({ a: { b: 1, c: 2 } }), told({ a: { b: 1, c: 3 } }))).toBe(
      '- GET /a\n  - a.c: real `2`, embedded `3`\n',
    );
  });

  test('are none where the answers are the same', () => {
    expect(differences(told({ a: [1] }), told({ a: [1] }))).toBe('');
  });

  test('show a field that only one of them has', () => {
    expect(differences(told({ a: 1 }), told({}))).toContain('a: real `1`, embedded nothing');
  });
});
