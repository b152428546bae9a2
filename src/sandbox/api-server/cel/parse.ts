import type { Comprehension, Expression } from './expression.ts';
import { CelSyntaxError, type Token, tokensOf } from './token.ts';
import type { CelValue } from './value.ts';

/** The expression in a text; throws {@link CelSyntaxError}. */
export function parse(text: string): Expression {
  const parser = new Parser(tokensOf(text));
  const expression = parser.expression();
  parser.end();
  return expression;
}

/** Binary operators by how tightly they bind; all of them from the left. */
const BINDING: Readonly<Record<string, number>> = {
  '||': 1,
  '&&': 2,
  '<': 3,
  '<=': 3,
  '>': 3,
  '>=': 3,
  '==': 3,
  '!=': 3,
  in: 3,
  '+': 4,
  '-': 4,
  '*': 5,
  '/': 5,
  '%': 5,
};

const COMPREHENSIONS: ReadonlySet<string> = new Set(['all', 'exists', 'exists_one', 'existsOne', 'map', 'filter']);

/** Functions that are written like methods of these names. */
const NAMESPACES: ReadonlySet<string> = new Set(['sets', 'optional', 'math', 'strings']);

class Parser {
  readonly #tokens: readonly Token[];
  #at = 0;

  constructor(tokens: readonly Token[]) {
    this.#tokens = tokens;
  }

  expression(): Expression {
    const test = this.#binary(1);
    if (!this.#take('?')) return test;
    const then = this.#binary(1);
    this.#expect(':');
    return { kind: 'conditional', test, then, otherwise: this.expression() };
  }

  end(): void {
    if (this.#token().kind !== 'end') this.#fail();
  }

  #binary(least: number): Expression {
    let left = this.#unary();
    for (;;) {
      const token = this.#token();
      const operator = token.kind === 'symbol' ? token.text : '';
      const binding = BINDING[operator];
      if (binding === undefined || binding < least) return left;
      this.#at += 1;
      const right = this.#binary(binding + 1);
      if (operator === '&&') left = { kind: 'and', left, right };
      else if (operator === '||') left = { kind: 'or', left, right };
      else left = { kind: 'call', name: `_${operator}_`, args: [left, right] };
    }
  }

  #unary(): Expression {
    if (this.#take('!')) return { kind: 'call', name: '!_', args: [this.#unary()] };
    if (!this.#take('-')) return this.#postfix();
    const of = this.#unary();
    // The smallest integer has no positive counterpart, so the sign belongs to the literal.
    if (of.kind === 'literal' && (typeof of.value === 'bigint' || typeof of.value === 'number')) {
      return { kind: 'literal', value: -of.value };
    }
    return { kind: 'call', name: '-_', args: [of] };
  }

  #postfix(): Expression {
    let of = this.#primary();
    for (;;) {
      if (this.#take('.')) {
        const optional = this.#take('?');
        const name = this.#name();
        of = this.#take('(') ? this.#method(of, name) : { kind: 'select', of, field: name, optional };
      } else if (this.#take('[')) {
        const optional = this.#take('?');
        of = { kind: 'index', of, at: this.expression(), optional };
        this.#expect(']');
      } else {
        return of;
      }
    }
  }

  #primary(): Expression {
    const token = this.#token();
    if (token.kind === 'literal') {
      this.#at += 1;
      return { kind: 'literal', value: token.value };
    }
    if (this.#take('(')) {
      const inner = this.expression();
      this.#expect(')');
      return inner;
    }
    if (this.#take('[')) return { kind: 'list', items: this.#until(']') };
    if (this.#take('{')) return this.#map();
    this.#take('.');
    const name = this.#name();
    if (!this.#take('(')) return { kind: 'name', name };
    const args = this.#until(')');
    if (name !== 'has') return { kind: 'call', name, args };
    const [of] = args;
    if (of?.kind !== 'select') throw new CelSyntaxError('invalid argument to has() macro');
    return { kind: 'has', of: of.of, field: of.field };
  }

  #method(target: Expression, name: string): Expression {
    const args = this.#until(')');
    if (target.kind === 'name' && NAMESPACES.has(target.name)) {
      return { kind: 'call', name: `${target.name}.${name}`, args };
    }
    if (target.kind === 'name' && target.name === 'cel' && name === 'bind') {
      const [variable, value, body] = args;
      if (variable?.kind !== 'name' || value === undefined || body === undefined) this.#fail();
      return { kind: 'bind', variable: variable.name, value, body };
    }
    if (COMPREHENSIONS.has(name) && args.length >= 2) return comprehension(target, name, args);
    if ((name === 'optMap' || name === 'optFlatMap') && args.length === 2) {
      const [variable, body] = args;
      if (variable?.kind !== 'name' || body === undefined) this.#fail();
      return { kind: 'optional-map', of: target, variable: variable.name, body, flat: name === 'optFlatMap' };
    }
    return { kind: 'call', name, args: [target, ...args] };
  }

  #map(): Expression {
    const entries: (readonly [Expression, Expression])[] = [];
    while (!this.#take('}')) {
      const key = this.expression();
      this.#expect(':');
      entries.push([key, this.expression()]);
      if (!this.#take(',')) {
        this.#expect('}');
        break;
      }
    }
    return { kind: 'map', entries };
  }

  #until(close: string): readonly Expression[] {
    const items: Expression[] = [];
    while (!this.#take(close)) {
      items.push(this.expression());
      if (!this.#take(',')) {
        this.#expect(close);
        break;
      }
    }
    return items;
  }

  #token(): Token {
    return this.#tokens[this.#at] ?? { kind: 'end', at: 0 };
  }

  #take(symbol: string): boolean {
    const token = this.#token();
    if (token.kind !== 'symbol' || token.text !== symbol) return false;
    this.#at += 1;
    return true;
  }

  #expect(symbol: string): void {
    if (!this.#take(symbol)) this.#fail();
  }

  #name(): string {
    const token = this.#token();
    if (token.kind !== 'name') this.#fail();
    this.#at += 1;
    return token.text;
  }

  #fail(): never {
    const token = this.#token();
    const found = token.kind === 'end' ? '<EOF>' : token.kind === 'literal' ? show(token.value) : token.text;
    throw new CelSyntaxError(`Syntax error: mismatched input '${found}' at ${token.at}`);
  }
}

function comprehension(over: Expression, name: string, args: readonly Expression[]): Comprehension {
  const [variable, first, second] = args;
  if (variable?.kind !== 'name' || first === undefined) throw new CelSyntaxError('argument must be a simple name');
  const macro = (name === 'existsOne' ? 'exists_one' : name) as Comprehension['macro'];
  const base = { kind: 'comprehension', macro, over, variable: variable.name } as const;
  return second === undefined ? { ...base, body: first } : { ...base, filter: first, body: second };
}

function show(value: CelValue): string {
  return typeof value === 'string' ? `"${value}"` : String(value);
}
