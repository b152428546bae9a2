import { ARITHMETIC } from './arithmetic.ts';
import { equal, order } from './compare.ts';
import { CelList, CelMap, type CelValue, fail, noOverload } from './value.ts';

type ListFunction = (args: readonly CelValue[]) => CelValue;

function items(value: CelValue | undefined): readonly CelValue[] {
  return value instanceof CelList ? value.items : noOverload();
}

function extreme(list: CelValue | undefined, sign: 1 | -1, name: string): CelValue {
  const [first, ...rest] = items(list);
  if (first === undefined) return fail(`${name} called on empty list`);
  return rest.reduce((best, next) => (order(next, best) * sign > 0 ? next : best), first);
}

function within(list: CelValue | undefined, value: CelValue): boolean {
  return items(list).some((item) => equal(item, value));
}

export const LIST_FUNCTIONS: Readonly<Record<string, ListFunction>> = {
  size: ([value]) => {
    if (typeof value === 'string') return BigInt([...value].length);
    if (value instanceof CelList) return BigInt(value.items.length);
    if (value instanceof CelMap) return BigInt(value.size);
    return value instanceof Uint8Array ? BigInt(value.length) : noOverload();
  },
  isSorted: ([list]) =>
    items(list).every((item, index, all) => index === 0 || order(all[index - 1] ?? null, item) <= 0),
  sum: ([list]) =>
    items(list).reduce((total, item) => ARITHMETIC['_+_']?.([total, item]) ?? noOverload(), zeroOf(list)),
  min: ([list]) => extreme(list, -1, 'min'),
  max: ([list]) => extreme(list, 1, 'max'),
  indexOf: ([list, value = null]) => BigInt(items(list).findIndex((item) => equal(item, value))),
  lastIndexOf: ([list, value = null]) => BigInt(items(list).findLastIndex((item) => equal(item, value))),
  'sets.contains': ([list, other]) => items(other).every((item) => within(list, item)),
  'sets.intersects': ([list, other]) => items(other).some((item) => within(list, item)),
  'sets.equivalent': ([list, other]) =>
    items(other).every((item) => within(list, item)) && items(list).every((item) => within(other, item)),
};

function zeroOf(list: CelValue | undefined): CelValue {
  const [first] = items(list);
  return typeof first === 'number' ? 0 : 0n;
}
