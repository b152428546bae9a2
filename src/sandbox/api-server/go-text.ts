import { isList, type Json } from './json.ts';

/** How Go prints values in the API server's messages. */

/** `%q` of a string. */
export function quoted(text: string): string {
  const escaped = text.replace(/[\\"\p{Cc}]/gu, (char) => {
    const short = SHORT_ESCAPES[char];
    if (short !== undefined) return short;
    return `\\x${char.charCodeAt(0).toString(16).padStart(2, '0')}`;
  });
  return `"${escaped}"`;
}

const SHORT_ESCAPES: Readonly<Record<string, string>> = {
  '"': '\\"',
  '\\': '\\\\',
  '\u0007': '\\a',
  '\b': '\\b',
  '\f': '\\f',
  '\n': '\\n',
  '\r': '\\r',
  '\t': '\\t',
  '\v': '\\v',
};

/** `json.Marshal`: fields in the order of their names, `<`, `>` and `&` escaped. */
export function marshalled(value: Json): string {
  const text = JSON.stringify(value, (_name, inner: unknown) => {
    if (typeof inner !== 'object' || inner === null || Array.isArray(inner)) return inner;
    return Object.fromEntries(Object.entries(inner).sort(([one], [other]) => (one < other ? -1 : 1)));
  });
  return text.replace(/[<>&\u2028\u2029]/g, (char) => `\\u${char.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

/** How a value stands in a message: `"text"`, `3`, `{"a":1}`. */
export function shown(value: Json): string {
  return typeof value === 'string' ? quoted(value) : marshalled(value);
}

/** `%v` of a decoded value: `map[a:1 b:[x y]]`. */
export function printed(value: Json): string {
  if (value === null) return '<nil>';
  if (typeof value !== 'object') return String(value);
  if (isList(value)) return `[${value.map(printed).join(' ')}]`;
  const fields = Object.entries(value).sort(([one], [other]) => (one < other ? -1 : 1));
  return `map[${fields.map(([name, inner]) => `${name}:${printed(inner)}`).join(' ')}]`;
}
