import { evaluate, type Scope } from './evaluate.ts';
import type { Expression } from './expression.ts';
import { parse } from './parse.ts';
import { CelSyntaxError } from './token.ts';
import { CelFailure, type CelValue } from './value.ts';

export type CelResult =
  | { readonly ok: true; readonly value: CelValue }
  | { readonly ok: false; readonly failure: string };

export interface CelProgram {
  evaluate(variables: Readonly<Record<string, CelValue>>): CelResult;
  /** Whether the expression speaks of a variable. */
  uses(variable: string): boolean;
}

export type Compiled =
  | { readonly ok: true; readonly program: CelProgram }
  /** The text is no expression. */
  | { readonly ok: false; readonly syntaxError: string };

/** Rules stand in schemas, so there are few of them, and each is judged for every write. */
const COMPILED = new Map<string, Compiled>();

export function compile(text: string): Compiled {
  const known = COMPILED.get(text);
  if (known !== undefined) return known;
  const compiled = compileAnew(text);
  COMPILED.set(text, compiled);
  return compiled;
}

function compileAnew(text: string): Compiled {
  try {
    const expression = parse(text);
    return { ok: true, program: { evaluate: (variables) => run(expression, variables), uses: nameIn(expression) } };
  } catch (error) {
    if (error instanceof CelSyntaxError) return { ok: false, syntaxError: error.message };
    throw error;
  }
}

function run(expression: Expression, variables: Readonly<Record<string, CelValue>>): CelResult {
  let scope: Scope | undefined;
  for (const [name, value] of Object.entries(variables)) scope = { name, value, outer: scope };
  try {
    return { ok: true, value: evaluate(expression, scope) };
  } catch (error) {
    if (error instanceof CelFailure) return { ok: false, failure: error.message };
    throw error;
  }
}

function nameIn(expression: Expression): (variable: string) => boolean {
  const names = new Set<string>();
  const visit = (part: unknown): void => {
    if (Array.isArray(part)) for (const item of part) visit(item);
    else if (typeof part === 'object' && part !== null && 'kind' in part) {
      if (part.kind === 'name' && 'name' in part) names.add(String(part.name));
      for (const inner of Object.values(part)) visit(inner);
    }
  };
  visit(expression);
  return (variable) => names.has(variable);
}
