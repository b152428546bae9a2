import type { Comprehension, Expression } from './expression.ts';
import { FUNCTIONS } from './functions.ts';
import { CelFailure, CelList, CelMap, type CelValue, fail, noOverload, Optional, Uint } from './value.ts';

/** What names mean; scopes nest. */
export interface Scope {
  readonly name: string;
  readonly value: CelValue;
  readonly outer: Scope | undefined;
}

/** The value of an expression; throws {@link CelFailure}. */
export function evaluate(expression: Expression, scope: Scope | undefined): CelValue {
  switch (expression.kind) {
    case 'literal':
      return expression.value;
    case 'name':
      return lookup(expression.name, scope);
    case 'select':
      return select(evaluate(expression.of, scope), expression.field, expression.optional);
    case 'has':
      return has(evaluate(expression.of, scope), expression.field);
    case 'index':
      return index(evaluate(expression.of, scope), evaluate(expression.at, scope), expression.optional);
    case 'call': {
      const called = FUNCTIONS.get(expression.name);
      if (called === undefined) return fail(`undeclared reference to '${expression.name}'`);
      return called(expression.args.map((arg) => evaluate(arg, scope)));
    }
    case 'list':
      return new CelList(expression.items.map((item) => evaluate(item, scope)));
    case 'map':
      return new CelMap(expression.entries.map(([key, value]) => [evaluate(key, scope), evaluate(value, scope)]));
    case 'and':
      return decided(false, [expression.left, expression.right].values(), (operand) => evaluate(operand, scope));
    case 'or':
      return decided(true, [expression.left, expression.right].values(), (operand) => evaluate(operand, scope));
    case 'conditional': {
      const test = evaluate(expression.test, scope);
      if (typeof test !== 'boolean') return noOverload();
      return evaluate(test ? expression.then : expression.otherwise, scope);
    }
    case 'comprehension':
      return comprehend(expression, scope);
    case 'optional-map': {
      const of = evaluate(expression.of, scope);
      if (!(of instanceof Optional)) return noOverload();
      if (of.value === undefined) return of;
      const mapped = evaluate(expression.body, { name: expression.variable, value: of.value, outer: scope });
      return expression.flat ? mapped : new Optional(mapped);
    }
    case 'bind': {
      const value = evaluate(expression.value, scope);
      return evaluate(expression.body, { name: expression.variable, value, outer: scope });
    }
  }
}

function lookup(name: string, scope: Scope | undefined): CelValue {
  for (let at = scope; at !== undefined; at = at.outer) if (at.name === name) return at.value;
  return fail(`no such attribute(s): ${name}`);
}

function select(of: CelValue, field: string, optional: boolean): CelValue {
  if (of instanceof Optional) {
    if (of.value === undefined) return of;
    return select(of.value, field, true);
  }
  if (!(of instanceof CelMap)) return noOverload();
  const value = of.get(field);
  if (optional) return new Optional(value);
  return value === undefined ? fail(`no such key: ${field}`) : value;
}

function has(of: CelValue, field: string): boolean {
  if (of instanceof Optional) return of.value !== undefined && has(of.value, field);
  return of instanceof CelMap ? of.get(field) !== undefined : noOverload();
}

function index(of: CelValue, at: CelValue, optional: boolean): CelValue {
  if (of instanceof Optional) return of.value === undefined ? of : index(of.value, at, true);
  let value: CelValue | undefined;
  if (of instanceof CelMap) {
    value = of.get(at);
  } else if (of instanceof CelList) {
    const position = at instanceof Uint ? at.value : at;
    if (typeof position !== 'bigint' && typeof position !== 'number') return noOverload();
    value = of.items[Number(position)];
  } else {
    return noOverload();
  }
  if (optional) return new Optional(value);
  if (value !== undefined) return value;
  const what = at instanceof Uint ? at.value : String(at);
  return fail(of instanceof CelMap ? `no such key: ${what}` : `index out of bounds: ${what}`);
}

/**
 * The language's logic: as soon as one operand decides (false for "and", true for "or"), failures of the others do not
 * count, whichever side they stand on.
 */
function decided<T>(deciding: boolean, operands: Iterable<T>, judge: (operand: T) => CelValue): boolean {
  let failure: CelFailure | undefined;
  for (const operand of operands) {
    try {
      const value = judge(operand);
      if (value === deciding) return deciding;
      if (typeof value !== 'boolean') noOverload();
    } catch (error) {
      if (!(error instanceof CelFailure)) throw error;
      failure ??= error;
    }
  }
  if (failure !== undefined) throw failure;
  return !deciding;
}

function comprehend(expression: Comprehension, outer: Scope | undefined): CelValue {
  const { macro, variable, body, filter } = expression;
  const over = evaluate(expression.over, outer);
  if (!(over instanceof CelList) && !(over instanceof CelMap)) return noOverload();
  const items = over instanceof CelList ? over.items : over.keys();
  const judge = (item: CelValue, judged: Expression = body) => evaluate(judged, { name: variable, value: item, outer });
  const holds = (item: CelValue, judged?: Expression): boolean => {
    const value = judge(item, judged);
    return typeof value === 'boolean' ? value : noOverload();
  };
  switch (macro) {
    case 'all':
      return decided(false, items, judge);
    case 'exists':
      return decided(true, items, judge);
    case 'exists_one':
      return items.filter((item) => holds(item)).length === 1;
    case 'filter':
      return new CelList(items.filter((item) => holds(item)));
    case 'map':
      return new CelList(
        items.filter((item) => filter === undefined || holds(item, filter)).map((item) => judge(item)),
      );
  }
}
