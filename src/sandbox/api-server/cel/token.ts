import { type CelValue, Uint } from './value.ts';

/** A piece of an expression's text. Keywords and operators are symbols. */
export type Token =
  | { readonly kind: 'symbol'; readonly text: string; readonly at: number }
  | { readonly kind: 'name'; readonly text: string; readonly at: number }
  | { readonly kind: 'literal'; readonly value: CelValue; readonly at: number }
  | { readonly kind: 'end'; readonly at: number };

/** The text is no expression. */
export class CelSyntaxError extends Error {
  override readonly name = 'CelSyntaxError';
}

const SPACE = /(?:\s|\/\/[^\n]*)+/y;
const NUMBER = /0[xX][0-9a-fA-F]+[uU]?|\d+\.\d+(?:[eE][+-]?\d+)?|\d+[eE][+-]?\d+|\.\d+(?:[eE][+-]?\d+)?|\d+[uU]?/y;
const NAME = /[A-Za-z_][A-Za-z0-9_]*/y;
const QUOTED_NAME = /`([A-Za-z0-9_.\-/ ]+)`/y;
const STRING = /([rRbB]{0,2})("""[\s\S]*?(?<!\\)"""|'''[\s\S]*?(?<!\\)'''|"(?:\\.|[^"\\\n])*"|'(?:\\.|[^'\\\n])*')/y;
const RAW_STRING = /([rR][bB]?|[bB][rR])("""[\s\S]*?"""|'''[\s\S]*?'''|"[^"\n]*"|'[^'\n]*')/y;
const SYMBOL = /&&|\|\||==|!=|<=|>=|[-+*/%!<>?:.,()[\]{}]/y;

export function tokensOf(text: string): readonly Token[] {
  const tokens: Token[] = [];
  let at = 0;
  const next = (pattern: RegExp): RegExpExecArray | null => {
    pattern.lastIndex = at;
    return pattern.exec(text);
  };
  while (at < text.length) {
    const space = next(SPACE);
    if (space !== null) {
      at += space[0].length;
      continue;
    }
    const string = next(RAW_STRING) ?? next(STRING);
    const number = string === null ? next(NUMBER) : null;
    const quotedName = next(QUOTED_NAME);
    const name = next(NAME);
    const symbol = next(SYMBOL);
    const found = string ?? number ?? quotedName ?? name ?? symbol;
    if (found === null) throw new CelSyntaxError(`Syntax error: token recognition error at: '${text.slice(at)}'`);
    if (string !== null) tokens.push({ kind: 'literal', value: stringValue(string[1] ?? '', string[2] ?? ''), at });
    else if (number !== null) tokens.push({ kind: 'literal', value: numberValue(number[0]), at });
    else if (quotedName !== null) tokens.push({ kind: 'name', text: quotedName[1] ?? '', at });
    else if (name !== null) tokens.push(wordToken(name[0], at));
    else tokens.push({ kind: 'symbol', text: found[0], at });
    at += found[0].length;
  }
  tokens.push({ kind: 'end', at });
  return tokens;
}

function wordToken(text: string, at: number): Token {
  if (text === 'true' || text === 'false') return { kind: 'literal', value: text === 'true', at };
  if (text === 'null') return { kind: 'literal', value: null, at };
  return text === 'in' ? { kind: 'symbol', text, at } : { kind: 'name', text, at };
}

function numberValue(text: string): CelValue {
  if (/^0x/i.test(text)) return /u$/i.test(text) ? new Uint(BigInt(text.slice(0, -1))) : BigInt(text);
  if (/[.e]/i.test(text)) return Number(text);
  return /u$/i.test(text) ? new Uint(BigInt(text.slice(0, -1))) : BigInt(text);
}

function stringValue(prefix: string, literal: string): CelValue {
  const long = literal.startsWith('"""') || literal.startsWith("'''");
  const body = long ? literal.slice(3, -3) : literal.slice(1, -1);
  const text = /r/i.test(prefix) ? body : unescaped(body);
  return /b/i.test(prefix) ? new Uint8Array(Buffer.from(text, 'utf8')) : text;
}

function unescaped(body: string): string {
  return body.replace(
    /\\(?:x([0-9a-fA-F]{2})|u([0-9a-fA-F]{4})|U([0-9a-fA-F]{8})|([0-3][0-7]{2})|(.))/gs,
    (_all, x: string | undefined, u: string | undefined, long: string | undefined, octal: string | undefined, char) => {
      const hex = x ?? u ?? long;
      if (hex !== undefined) return String.fromCodePoint(Number.parseInt(hex, 16));
      if (octal !== undefined) return String.fromCodePoint(Number.parseInt(octal, 8));
      const plain = ESCAPES[char as string];
      if (plain === undefined) throw new CelSyntaxError(`Syntax error: unable to unescape string: \\${String(char)}`);
      return plain;
    },
  );
}

const ESCAPES: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '\\': '\\',
  '?': '?',
  '"': '"',
  "'": "'",
  '`': '`',
};
