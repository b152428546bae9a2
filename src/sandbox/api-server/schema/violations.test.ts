import { describe, expect, test } from 'vitest';
import type { Json } from '../json.ts';
import { WIDGET_SCHEMA } from '../truth/crds.ts';
import { defaulted } from './defaulted.ts';
import { invalid } from './invalid.ts';
import { pruned } from './pruned.ts';
import { violations } from './violations.ts';

/** What the real server says of these is compared in truth/schema.real.test.ts. */
const widget = (spec: Json): Json => ({ apiVersion: 'x/v1', kind: 'Widget', metadata: { name: 'w' }, spec });

function told(spec: Json, before?: Json): readonly string[] {
  const previous = before === undefined ? undefined : widget(before);
  return violations(WIDGET_SCHEMA, widget(spec), previous).map(({ field, message }) => `${field}: ${message}`);
}

describe('a value', () => {
  test.each<readonly [Json, readonly string[]]>([
    [{ size: 1 }, []],
    [{ size: 0 }, ['spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1']],
    [{ size: 1, colour: 'blue' }, ['spec.colour: Unsupported value: "blue": supported values: "red", "green"']],
    [{ size: 1, tags: ['a', 'a'] }, ['spec.tags[1]: Duplicate value: "a"']],
    [{ size: 1, low: 3, high: 2 }, ['spec.low: Invalid value: low below high']],
    [{ size: 1, secret: 'abz' }, ['spec.secret: Invalid value: "abz": bad end of abz']],
    [
      { size: 1, low: 0 },
      ['spec: Invalid value: "object": division by zero evaluating rule: !has(self.low) || 100 / self.low > 0'],
    ],
  ])('%j breaks %j', (spec, expected) => {
    const without = told(spec).filter((text) => !text.startsWith('<nil>'));
    expect(without).toEqual(expected);
  });

  test('whose type is wrong is not judged by rules', () => {
    expect(told({ size: 'x', low: 3, high: 2 }).at(-1)).toContain('some validation rules were not checked');
  });
});

describe('a change', () => {
  test('is judged by rules that know the former value, items by their keys', () => {
    const before = {
      size: 1,
      ports: [
        { name: 'a', fixed: 'x' },
        { name: 'b', fixed: 'y' },
      ],
    };
    expect(
      told(
        {
          size: 1,
          ports: [
            { name: 'b', fixed: 'y' },
            { name: 'c', fixed: 'z' },
          ],
        },
        before,
      ),
    ).toEqual([]);
    expect(told({ size: 1, ports: [{ name: 'b', fixed: 'x' }] }, before)).toEqual([
      'spec.ports[0].fixed: Invalid value: "x": fixed is fixed',
    ]);
  });

  test('is not refused for what it leaves as it was', () => {
    const old = { size: 20, colour: 'blue', secret: 'xy' };
    expect(told({ ...old, name: 'abc' }, old)).toEqual([]);
    expect(told({ ...old, secret: 'xx' }, old)).toEqual(['spec.secret: Invalid value: "xx": must not start with x']);
  });
});

describe('defaults', () => {
  test('are filled in at every depth, also for null', () => {
    expect(defaulted(WIDGET_SCHEMA, widget({ colour: null, name: null }))).toEqual(
      widget({ colour: 'red', nested: { deep: { a: 1, b: 2 } } }),
    );
  });

  test('leave null where it is allowed', () => {
    expect(defaulted(WIDGET_SCHEMA, widget({ maybe: null }))).toMatchObject({ spec: { maybe: null } });
  });
});

describe('unknown fields', () => {
  test('are dropped and named, but where they are to be kept', () => {
    const spec = { z: 1, free: { any: { thing: 1 } }, ports: [{ name: 'a', z: 1 }], labels: { any: 'x' } };
    expect(pruned(WIDGET_SCHEMA, { ...(widget(spec) as object), zz: 1 } as Json)).toEqual({
      value: widget({ free: { any: { thing: 1 } }, ports: [{ name: 'a' }], labels: { any: 'x' } }),
      unknownPaths: ['spec.ports[0].z', 'spec.z', 'zz'],
    });
  });
});

test('a refusal says it as the server does', () => {
  const found = violations(WIDGET_SCHEMA, widget({ size: 0, tags: ['a', 'a'] }));
  expect(invalid('g.io', 'Widget', 'w', found).message).toBe(
    'Widget.g.io "w" is invalid: [spec.size: Invalid value: 0: spec.size in body should be greater than or equal to 1, spec.tags[1]: Duplicate value: "a"]',
  );
});
