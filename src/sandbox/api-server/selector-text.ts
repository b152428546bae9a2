import { quoted } from './go-text.ts';
import { labelKeyProblem, labelValueProblem } from './label-text.ts';

/** One condition of a label selector. `=` has one value, `>` and `<` a whole number. */
export interface Requirement {
  readonly key: string;
  readonly operator: '=' | '!=' | 'in' | 'notin' | 'exists' | '!' | '>' | '<';
  readonly values: readonly string[];
}

type Parsed =
  | { readonly ok: true; readonly requirements: readonly Requirement[] }
  /** The server's words. */
  | { readonly ok: false; readonly problem: string };

export function parseRequirements(text: string): Parsed {
  try {
    return { ok: true, requirements: new Parser(tokensOf(text)).requirements() };
  } catch (error) {
    if (error instanceof BadSelector) return { ok: false, problem: error.message };
    throw error;
  }
}

class BadSelector extends Error {}

const SYMBOLS = /==|!=|[=!(),<>]/y;
const WORD = /[^=!(),<>\s]+/y;

function tokensOf(text: string): readonly string[] {
  const tokens: string[] = [];
  for (let at = 0; at < text.length; ) {
    SYMBOLS.lastIndex = at;
    WORD.lastIndex = at;
    const token = (SYMBOLS.exec(text) ?? WORD.exec(text))?.[0];
    if (token !== undefined) tokens.push(token);
    at += token?.length ?? 1;
  }
  return tokens;
}

class Parser {
  readonly #tokens: readonly string[];
  #at = 0;

  constructor(tokens: readonly string[]) {
    this.#tokens = tokens;
  }

  requirements(): readonly Requirement[] {
    const found: Requirement[] = [];
    while (this.#next() !== '') {
      const token = this.#next();
      if (!isWord(token) && token !== '!')
        throw new BadSelector(`found '${token}', expected: !, identifier, or 'end of string'`);
      found.push(this.#requirement());
      const separator = this.#take();
      if (separator === '') break;
      if (separator !== ',') throw new BadSelector(`found '${separator}', expected: ',' or 'end of string'`);
      const after = this.#next();
      if (!isWord(after) && after !== '!') throw new BadSelector(`found '${after}', expected: identifier after ','`);
    }
    return found;
  }

  #requirement(): Requirement {
    const negated = this.#next() === '!';
    if (negated) this.#take();
    const key = this.#take();
    if (!isWord(key)) throw unparsed(`found '${key}', expected: identifier`);
    const problem = labelKeyProblem(key);
    if (problem !== undefined) throw unparsed(problem);
    if (negated) return { key, operator: '!', values: [] };
    if (this.#next() === '' || this.#next() === ',') return { key, operator: 'exists', values: [] };
    const operator = this.#operator();
    const values = operator === 'in' || operator === 'notin' ? this.#values() : [this.#value()];
    for (const [index, value] of values.entries()) {
      const at = `values[${index}]`;
      const broken = labelValueProblem(value);
      if (broken !== undefined) throw unparsed(`${at}[${key}]: Invalid value: ${quoted(value)}: ${broken}`);
      if ((operator === '>' || operator === '<') && !/^[+-]?\d+$/.test(value)) {
        throw unparsed(
          `${at}: Invalid value: ${quoted(value)}: for 'Gt', 'Lt' operators, the value must be an integer`,
        );
      }
    }
    return { key, operator, values };
  }

  #operator(): '=' | '!=' | 'in' | 'notin' | '>' | '<' {
    const token = this.#take();
    switch (token) {
      case '==':
      case '=':
        return '=';
      case '!=':
      case 'in':
      case 'notin':
      case '>':
      case '<':
        return token;
      default:
        throw unparsed(`found '${token}', expected: in, notin, =, ==, !=, gt, lt`);
    }
  }

  #value(): string {
    if (this.#next() === '' || this.#next() === ',') return '';
    const token = this.#take();
    if (!isWord(token)) throw unparsed(`found '${token}', expected: identifier`);
    return token;
  }

  #values(): readonly string[] {
    const open = this.#take();
    if (open !== '(') throw unparsed(`found '${open}' expected: '('`);
    const first = this.#next();
    if (!isWord(first) && first !== ',' && first !== ')') {
      throw unparsed(`found '${first}', expected: ',', ')' or identifier`);
    }
    const values = [];
    for (;;) {
      values.push(isWord(this.#next()) ? this.#take() : '');
      const token = this.#take();
      if (token === ')') return [...new Set(values)].sort();
      if (token !== ',') throw unparsed(`found '${token}', expected: ',' or ')'`);
    }
  }

  #next(): string {
    return this.#tokens[this.#at] ?? '';
  }

  #take(): string {
    const token = this.#next();
    this.#at += 1;
    return token;
  }
}

function isWord(token: string): boolean {
  return token !== '' && !/^[=!(),<>]/.test(token);
}

function unparsed(problem: string): BadSelector {
  return new BadSelector(`unable to parse requirement: ${problem}`);
}
