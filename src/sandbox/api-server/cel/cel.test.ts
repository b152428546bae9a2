import { describe, expect, test } from 'vitest';
import { compile } from './compile.ts';
import { CelList, CelMap, type CelValue, Duration } from './value.ts';

function outcome(text: string, variables: Readonly<Record<string, CelValue>> = {}): unknown {
  const compiled = compile(text);
  if (!compiled.ok) return compiled.syntaxError;
  const result = compiled.program.evaluate(variables);
  return result.ok ? plain(result.value) : `failure: ${result.failure}`;
}

function plain(value: CelValue): unknown {
  return value instanceof CelList ? value.items.map(plain) : value;
}

const object = (fields: Readonly<Record<string, CelValue>>) => new CelMap(Object.entries(fields));

describe('an expression', () => {
  test.each<readonly [string, unknown]>([
    ['1 + 2 * 3 - 4', 3n],
    ['(1 + 2) * 3', 9n],
    ['-7 / 2', -3n],
    ['-7 % 2', -1n],
    ['1.5 + 2.0', 3.5],
    ['0x10 == 16', true],
    ['-9223372036854775808 < 0', true],
    ['1 == 1.0 && 1u == 1', true],
    ['"1" == 1', false],
    ['1 < 2.5', true],
    ['"a" + "b"', 'ab'],
    ['[1, 2] + [3]', [1n, 2n, 3n]],
    ['3 in [1, 2, 3] && !("x" in {"y": 1})', true],
    ['{"a": {"b": 2}}.a.b', 2n],
    ['[1, 2][1]', 2n],
    ['true ? 1 : 1 / 0', 1n],
    ['false || true && true', true],
    [`'it''s' == "x"`, 'Syntax error: mismatched input \'"s"\' at 4'],
    ['"a\\n\\x41\\u00e9" == "a\\nAé"', true],
    ['r"\\d" == "\\\\d"', true],
  ])('%s gives %s', (text, expected) => {
    expect(outcome(text)).toEqual(expected);
  });

  test.each<readonly [string, string]>([
    ['1 / 0', 'division by zero'],
    ['1 % 0', 'modulus by zero'],
    ['9223372036854775807 + 1', 'integer overflow'],
    ['1 + "a"', 'no such overload'],
    ['1 + 1.0', 'no such overload'],
    ['[1][3]', 'index out of bounds: 3'],
    ['{"a": 1}.b', 'no such key: b'],
    ['int("x")', "type conversion error from 'string' to 'int'"],
    ['duration("5 minutes")', "type conversion error from 'string' to 'google.protobuf.Duration'"],
  ])('%s fails with %s', (text, failure) => {
    expect(outcome(text)).toBe(`failure: ${failure}`);
  });
});

describe('logic', () => {
  test.each<readonly [string, unknown]>([
    ['1 / 0 == 1 || true', true],
    ['true || 1 / 0 == 1', true],
    ['1 / 0 == 1 && false', false],
    ['1 / 0 == 1 && true', 'failure: division by zero'],
    ['false || 1 / 0 == 1', 'failure: division by zero'],
    ['[0, 1].exists(x, 1 / x == 1)', true],
    ['[0, 2].exists(x, 1 / x == 1)', 'failure: division by zero'],
    ['[0, 2].all(x, 1 / x == 1)', false],
    ['[0, 1].all(x, 1 / x == 1)', 'failure: division by zero'],
  ])('absorbs a failure where another operand decides: %s is %s', (text, expected) => {
    expect(outcome(text)).toBe(expected);
  });
});

describe('macros', () => {
  test.each<readonly [string, unknown]>([
    ['has(self.a) && !has(self.b)', true],
    ['self.list.all(x, x > 0)', true],
    ['self.list.exists_one(x, x == 2)', true],
    ['self.list.filter(x, x > 1)', [2n, 3n]],
    ['self.list.map(x, x * 2)', [2n, 4n, 6n]],
    ['self.list.map(x, x > 1, x * 2)', [4n, 6n]],
    ['self.all(key, key.size() > 0)', true],
    ['self.list.all(l1, self.list.exists_one(l2, l1 == l2))', true],
    ['self.?b.orValue("none")', 'none'],
    ['self.?a.optMap(x, x + "!").orValue("none")', 'here!'],
    ['cel.bind(x, size(self.list), x + x)', 6n],
  ])('%s gives %s', (text, expected) => {
    expect(outcome(text, { self: object({ a: 'here', list: new CelList([1n, 2n, 3n]) }) })).toEqual(expected);
  });
});

describe('functions', () => {
  test.each<readonly [string, unknown]>([
    ['"häx".size()', 3n],
    ['"abc".startsWith("ab") && "abc".endsWith("bc") && "abc".contains("b")', true],
    ['"a-1".matches("^[a-z]-[0-9]$")', true],
    ['"(" .matches("(")', 'failure: error parsing regexp: "("'],
    ['"hello".substring(1, 3)', 'el'],
    ['"a,b,c".split(",").join("-")', 'a-b-c'],
    ['"abcabc".replace("b", "x", 1)', 'axcabc'],
    ['"AbC".lowerAscii()', 'abc'],
    ['"hello".indexOf("l")', 2n],
    ['[1, 2, 1].indexOf(1)', 0n],
    ['[3, 1, 2].max() + [3, 1].min() + [1, 2].sum()', 7n],
    ['"%s has %d of %s".format(["x", 2, [1, "a"]])', 'x has 2 of [1, a]'],
    ['duration("1h30m") < duration("91m")', true],
    ['duration("90s").getMinutes()', 1n],
    ['string(duration("1m30.5s"))', '90.5s'],
    ['timestamp("2026-03-01T00:00:00Z") - timestamp("2026-02-28T00:00:00Z") == duration("24h")', true],
    ['timestamp("2026-03-01T23:30:00Z").getHours("+02:00")', 1n],
    ['timestamp("2026-03-01T23:30:00Z").getMonth()', 2n],
    ['int("65535") + int(1.9)', 65536n],
    ['string(7) + string(true)', '7true'],
    ['type(1) == type(2) && type(1) != type("1")', true],
    ['url("https://user@example.com:80/a?b=c").getHost()', 'example.com:80'],
    ['isURL("http://[::1") || isURL("no address")', false],
    ['url("http://x.y").getScheme() in ["http", "https"]', true],
    ['sets.contains([1, 2, 3], [3, 1])', true],
    ['nothing(1)', "failure: undeclared reference to 'nothing'"],
  ])('%s gives %s', (text, expected) => {
    expect(outcome(text)).toEqual(expected);
  });

  test('compare durations that come from the schema', () => {
    const hour = new Duration(3_600_000_000_000n);
    expect(outcome('duration(self) >= duration("1h")', { self: hour })).toBe(true);
  });
});

test('a rule is known to speak of the former value', () => {
  const compiled = compile('self.all(x, x in oldSelf)');
  expect(compiled.ok && [compiled.program.uses('oldSelf'), compiled.program.uses('other')]).toEqual([true, false]);
});
