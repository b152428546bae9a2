import { CelList, type CelValue, Duration, fail, noOverload, Timestamp, Uint } from './value.ts';

type Operation = (args: readonly CelValue[]) => CelValue;

const INT_MIN = -(2n ** 63n);
const INT_MAX = 2n ** 63n - 1n;

export function int(value: bigint): bigint {
  return value < INT_MIN || value > INT_MAX ? fail('integer overflow') : value;
}

export function uint(value: bigint): Uint {
  return value < 0n || value > 2n ** 64n - 1n ? fail('unsigned integer overflow') : new Uint(value);
}

function numbers(
  onInts: (one: bigint, other: bigint) => bigint,
  onDoubles: ((one: number, other: number) => number) | undefined,
  otherwise: (one: CelValue | undefined, other: CelValue | undefined) => CelValue = noOverload,
): Operation {
  return ([one, other]) => {
    if (typeof one === 'bigint' && typeof other === 'bigint') return int(onInts(one, other));
    if (one instanceof Uint && other instanceof Uint) return uint(onInts(one.value, other.value));
    if (typeof one === 'number' && typeof other === 'number' && onDoubles !== undefined) return onDoubles(one, other);
    return otherwise(one, other);
  };
}

export const ARITHMETIC: Readonly<Record<string, Operation>> = {
  '_+_': numbers(
    (one, other) => one + other,
    (one, other) => one + other,
    sum,
  ),
  '_-_': numbers(
    (one, other) => one - other,
    (one, other) => one - other,
    difference,
  ),
  '_*_': numbers(
    (one, other) => one * other,
    (one, other) => one * other,
  ),
  '_/_': numbers(
    (one, other) => (other === 0n ? fail('division by zero') : one / other),
    (one, other) => one / other,
  ),
  '_%_': numbers((one, other) => (other === 0n ? fail('modulus by zero') : one % other), undefined),
  '-_': ([value]) => {
    if (typeof value === 'bigint') return int(-value);
    return typeof value === 'number' ? -value : noOverload();
  },
};

function sum(one: CelValue | undefined, other: CelValue | undefined): CelValue {
  if (typeof one === 'string' && typeof other === 'string') return one + other;
  if (one instanceof CelList && other instanceof CelList) return new CelList([...one.items, ...other.items]);
  if (one instanceof Uint8Array && other instanceof Uint8Array) return new Uint8Array([...one, ...other]);
  if (one instanceof Duration && other instanceof Duration) return new Duration(one.nanos + other.nanos);
  if (one instanceof Timestamp && other instanceof Duration) return new Timestamp(one.nanos + other.nanos);
  if (one instanceof Duration && other instanceof Timestamp) return new Timestamp(one.nanos + other.nanos);
  return noOverload();
}

function difference(one: CelValue | undefined, other: CelValue | undefined): CelValue {
  if (one instanceof Duration && other instanceof Duration) return new Duration(one.nanos - other.nanos);
  if (one instanceof Timestamp && other instanceof Timestamp) return new Duration(one.nanos - other.nanos);
  if (one instanceof Timestamp && other instanceof Duration) return new Timestamp(one.nanos - other.nanos);
  return noOverload();
}
