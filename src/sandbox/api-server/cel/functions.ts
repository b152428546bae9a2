import { ARITHMETIC } from './arithmetic.ts';
import { equal, order } from './compare.ts';
import { CONVERSIONS } from './conversions.ts';
import { LIST_FUNCTIONS } from './list-functions.ts';
import { TEXT_FUNCTIONS } from './text-functions.ts';
import { TIME_FUNCTIONS } from './time-functions.ts';
import { URL_FUNCTIONS } from './url-functions.ts';
import { CelList, CelMap, type CelValue, fail, noOverload, Optional } from './value.ts';

/** A function of the language; a method's target comes first. Throws `CelFailure`. */
export type CelFunction = (args: readonly CelValue[]) => CelValue;

/** One that takes a fixed number of arguments. */
function binary(call: (one: CelValue, other: CelValue) => CelValue): CelFunction {
  return ([one, other]) => (one === undefined || other === undefined ? noOverload() : call(one, other));
}

const OPERATORS: Readonly<Record<string, CelFunction>> = {
  '_==_': binary(equal),
  '_!=_': binary((one, other) => !equal(one, other)),
  '_<_': binary((one, other) => order(one, other) < 0),
  '_<=_': binary((one, other) => order(one, other) <= 0),
  '_>_': binary((one, other) => order(one, other) > 0),
  '_>=_': binary((one, other) => order(one, other) >= 0),
  _in_: binary((value, within) => {
    if (within instanceof CelList) return within.items.some((item) => equal(item, value));
    return within instanceof CelMap ? within.get(value) !== undefined : noOverload();
  }),
  '!_': ([value]) => (typeof value === 'boolean' ? !value : noOverload()),
};

const OPTIONALS: Readonly<Record<string, CelFunction>> = {
  'optional.of': ([value]) => new Optional(value),
  'optional.none': () => new Optional(undefined),
  'optional.ofNonZeroValue': ([value]) => new Optional(value === undefined || isZero(value) ? undefined : value),
  hasValue: ([of]) => (of instanceof Optional ? of.value !== undefined : noOverload()),
  value: ([of]) => (of instanceof Optional ? (of.value ?? absent(of)) : noOverload()),
  orValue: ([of, other = null]) =>
    of instanceof Optional ? (of.value === undefined ? other : of.value) : noOverload(),
  or: ([of, other = null]) => (of instanceof Optional ? (of.value === undefined ? other : of) : noOverload()),
};

function absent(of: Optional): CelValue {
  return of.value === null ? null : fail('optional.none() dereference');
}

function isZero(value: CelValue): boolean {
  if (value === null || value === false || value === 0n || value === 0 || value === '') return true;
  if (value instanceof CelList) return value.items.length === 0;
  return value instanceof CelMap && value.size === 0;
}

export const FUNCTIONS: ReadonlyMap<string, CelFunction> = new Map(
  [
    OPERATORS,
    ARITHMETIC,
    CONVERSIONS,
    LIST_FUNCTIONS,
    TEXT_FUNCTIONS,
    TIME_FUNCTIONS,
    URL_FUNCTIONS,
    OPTIONALS,
    bothKinds(),
  ].flatMap((group) => Object.entries(group)),
);

/** Functions that texts and lists share. */
function bothKinds(): Readonly<Record<string, CelFunction>> {
  const shared = (name: string): CelFunction => {
    const ofList = LIST_FUNCTIONS[name];
    const ofText = TEXT_FUNCTIONS[name];
    return (args) => (args[0] instanceof CelList ? ofList : ofText)?.(args) ?? noOverload();
  };
  return { indexOf: shared('indexOf'), lastIndexOf: shared('lastIndexOf') };
}
