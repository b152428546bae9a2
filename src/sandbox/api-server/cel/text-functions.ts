import { goPattern } from '../go-pattern.ts';
import { quoted } from '../go-text.ts';
import { asText } from './conversions.ts';
import { CelList, type CelValue, fail, noOverload } from './value.ts';

type TextFunction = (args: readonly CelValue[]) => CelValue;

/** A function of a text and more texts. */
function ofTexts(call: (text: string, ...more: readonly string[]) => CelValue): TextFunction {
  return (args) => {
    const texts = args.filter((arg) => typeof arg === 'string');
    const [first, ...more] = texts;
    return first === undefined || texts.length !== args.length ? noOverload() : call(first, ...more);
  };
}

/** Positions count code points, as in Go's runes. */
function points(value: CelValue | undefined): readonly string[] {
  return typeof value === 'string' ? [...value] : noOverload();
}

function position(value: CelValue | undefined, whole: readonly string[], otherwise: number): number {
  if (value === undefined) return otherwise;
  if (typeof value !== 'bigint') return noOverload();
  return value < 0n || value > BigInt(whole.length) ? fail(`index out of range: ${value}`) : Number(value);
}

function pattern(source: string): RegExp {
  return goPattern(source) ?? fail(`error parsing regexp: ${quoted(source)}`);
}

export const TEXT_FUNCTIONS: Readonly<Record<string, TextFunction>> = {
  startsWith: ofTexts((text, start = '') => text.startsWith(start)),
  endsWith: ofTexts((text, end = '') => text.endsWith(end)),
  contains: ofTexts((text, part = '') => text.includes(part)),
  matches: ofTexts((text, source = '') => pattern(source).test(text)),
  find: ofTexts((text, source = '') => pattern(source).exec(text)?.[0] ?? ''),
  findAll: ([text, source, limit]) => {
    if (typeof text !== 'string' || typeof source !== 'string') return noOverload();
    const { source: body, flags } = pattern(source);
    const found = [...text.matchAll(new RegExp(body, `${flags}g`))].map(([match]) => match);
    return new CelList(typeof limit === 'bigint' && limit >= 0n ? found.slice(0, Number(limit)) : found);
  },
  lowerAscii: ofTexts((text) => text.replace(/[A-Z]/g, (char) => char.toLowerCase())),
  upperAscii: ofTexts((text) => text.replace(/[a-z]/g, (char) => char.toUpperCase())),
  trim: ofTexts((text) => text.trim()),
  reverse: ofTexts((text) => [...text].reverse().join('')),
  'strings.quote': ofTexts((text) => quoted(text)),
  charAt: ([text, at]) => points(text)[position(at, points(text), 0)] ?? '',
  substring: ([text, from, to]) => {
    const whole = points(text);
    const start = position(from, whole, 0);
    const end = position(to, whole, whole.length);
    if (start > end) return fail(`invalid substring range. start: ${start}, end: ${end}`);
    return whole.slice(start, end).join('');
  },
  indexOf: ([text, part, from]) => {
    const whole = points(text);
    const start = position(from, whole, 0);
    if (typeof part !== 'string') return noOverload();
    const found = whole.slice(start).join('').indexOf(part);
    return found < 0 ? -1n : BigInt(start + [...whole.slice(start).join('').slice(0, found)].length);
  },
  lastIndexOf: ([text, part]) => {
    if (typeof text !== 'string' || typeof part !== 'string') return noOverload();
    const found = text.lastIndexOf(part);
    return found < 0 ? -1n : BigInt([...text.slice(0, found)].length);
  },
  replace: ([text, old, fresh, limit]) => {
    if (typeof text !== 'string' || typeof old !== 'string' || typeof fresh !== 'string') return noOverload();
    if (typeof limit !== 'bigint' || limit < 0n) return text.replaceAll(old, () => fresh);
    let result = text;
    let from = 0;
    for (let left = Number(limit); left > 0; left -= 1) {
      const found = result.indexOf(old, from);
      if (found < 0) break;
      result = result.slice(0, found) + fresh + result.slice(found + old.length);
      from = found + fresh.length;
    }
    return result;
  },
  split: ([text, separator, limit]) => {
    if (typeof text !== 'string' || typeof separator !== 'string') return noOverload();
    const parts = text.split(separator);
    if (typeof limit !== 'bigint' || limit < 0n || parts.length <= Number(limit)) return new CelList(parts);
    if (limit === 0n) return new CelList([]);
    const head = parts.slice(0, Number(limit) - 1);
    return new CelList([...head, parts.slice(head.length).join(separator)]);
  },
  join: ([list, separator = '']) => {
    if (!(list instanceof CelList) || typeof separator !== 'string') return noOverload();
    return list.items.map((item) => (typeof item === 'string' ? item : noOverload())).join(separator);
  },
  format: ([text, list]) => {
    if (typeof text !== 'string' || !(list instanceof CelList)) return noOverload();
    let next = 0;
    return text.replace(/%(?:%|(?:\.(\d+))?([a-zA-Z]))/g, (clause, digits: string | undefined, verb?: string) => {
      if (verb === undefined) return '%';
      const value = list.items[next] ?? fail(`index ${next} out of range`);
      next += 1;
      return formatted(clause, verb, digits, value);
    });
  },
};

function formatted(clause: string, verb: string, digits: string | undefined, value: CelValue): string {
  if (verb === 's') return listed(value);
  if (verb === 'd') return asText(value);
  const size = typeof value === 'bigint' || typeof value === 'number' ? value : noOverload();
  if (verb === 'f') return Number(size).toFixed(digits === undefined ? 6 : Number(digits));
  if (verb === 'x' || verb === 'X') return verb === 'x' ? size.toString(16) : size.toString(16).toUpperCase();
  if (verb === 'b' || verb === 'o') return size.toString(verb === 'b' ? 2 : 8);
  return fail(`could not parse formatting clause: unrecognized formatting clause ${quoted(clause)}`);
}

function listed(value: CelValue): string {
  return value instanceof CelList ? `[${value.items.map(listed).join(', ')}]` : asText(value);
}
