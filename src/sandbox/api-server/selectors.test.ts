import { describe, expect, test } from 'vitest';
import { fieldSelector, labelSelector, labelSelectorOf } from './selectors.ts';

function selects(text: string, labels: Readonly<Record<string, string>>): boolean | string {
  const parsed = labelSelector(text);
  return parsed.ok ? parsed.value(labels) : parsed.refusal.message;
}

describe('a label selector', () => {
  test.each<readonly [string, boolean | string]>([
    ['', true],
    ['a', true],
    ['!a', false],
    ['a=x', true],
    ['a==x,b!=y', true],
    ['a!=x', false],
    ['a in (w, x)', true],
    ['a notin (x)', false],
    ['b notin (x)', true],
    ['n>4,n<6', true],
    ['e=', true],
    ['a in', "unable to parse requirement: found '' expected: '('"],
    ['a=b=c', "found '=', expected: ',' or 'end of string'"],
    ['constructor', false],
  ])('%j gives %j', (text, expected) => {
    expect(selects(text, { a: 'x', n: '5', e: '' })).toBe(expected);
  });

  test('may come as an object', () => {
    const parsed = labelSelectorOf({
      matchLabels: { a: 'x' },
      matchExpressions: [
        { key: 'b', operator: 'In', values: ['y', 'z'] },
        { key: 'c', operator: 'DoesNotExist' },
      ],
    });
    const matches = parsed.ok ? parsed.value : () => false;
    expect([matches({ a: 'x', b: 'z' }), matches({ a: 'x', b: 'z', c: '' }), matches({ a: 'x' })]).toEqual([
      true,
      false,
      false,
    ]);
    expect(labelSelectorOf({ matchExpressions: [{ key: 'b', operator: 'Near' }] })).toMatchObject({
      ok: false,
      refusal: { message: '"Near" is not a valid label selector operator' },
    });
  });
});

test('a field selector compares texts, and knows only the fields of its kind', () => {
  const parsed = fieldSelector('metadata.name=a,type!=b', ['type']);
  const matches = parsed.ok ? parsed.value : () => false;
  expect([matches({ metadata: { name: 'a' } }), matches({ metadata: { name: 'a' }, type: 'b' })]).toEqual([
    true,
    false,
  ]);
  expect(fieldSelector('spec.x=1', ['type'])).toMatchObject({
    refusal: { code: 400, message: 'field label not supported: spec.x' },
  });
});
