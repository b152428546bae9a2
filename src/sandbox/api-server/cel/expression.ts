import type { CelValue } from './value.ts';

/** A parsed expression, macros already expanded. */
export type Expression =
  | { readonly kind: 'literal'; readonly value: CelValue }
  | { readonly kind: 'name'; readonly name: string }
  /** `optional` is `.?`: absent gives an empty optional instead of a failure. */
  | { readonly kind: 'select'; readonly of: Expression; readonly field: string; readonly optional: boolean }
  | { readonly kind: 'has'; readonly of: Expression; readonly field: string }
  | { readonly kind: 'index'; readonly of: Expression; readonly at: Expression; readonly optional: boolean }
  /** A method's target is the first argument. */
  | { readonly kind: 'call'; readonly name: string; readonly args: readonly Expression[] }
  | { readonly kind: 'list'; readonly items: readonly Expression[] }
  | { readonly kind: 'map'; readonly entries: readonly (readonly [Expression, Expression])[] }
  | { readonly kind: 'and' | 'or'; readonly left: Expression; readonly right: Expression }
  | {
      readonly kind: 'conditional';
      readonly test: Expression;
      readonly then: Expression;
      readonly otherwise: Expression;
    }
  | Comprehension
  /** `optMap` and `optFlatMap`: the body is judged only where there is a value. */
  | {
      readonly kind: 'optional-map';
      readonly of: Expression;
      readonly variable: string;
      readonly body: Expression;
      readonly flat: boolean;
    }
  | { readonly kind: 'bind'; readonly variable: string; readonly value: Expression; readonly body: Expression };

/** `over.all(variable, body)` and its like; `map` may have a filter. Over a map the variable is the key. */
export interface Comprehension {
  readonly kind: 'comprehension';
  readonly macro: 'all' | 'exists' | 'exists_one' | 'map' | 'filter';
  readonly over: Expression;
  readonly variable: string;
  readonly body: Expression;
  readonly filter?: Expression;
}
