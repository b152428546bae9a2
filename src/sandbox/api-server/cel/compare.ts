import {
  CelList,
  CelMap,
  CelType,
  CelUrl,
  type CelValue,
  Duration,
  noOverload,
  Optional,
  Timestamp,
  Uint,
} from './value.ts';

/** `==`: values of different types are unequal, except for numbers. */
export function equal(one: CelValue, other: CelValue): boolean {
  const left = numeric(one);
  const right = numeric(other);
  // Loosely, because bigint and number compare by their values then.
  // biome-ignore lint/suspicious/noDoubleEquals: the strict form is false for 1n and 1.
  if (left !== undefined && right !== undefined) return left == right;
  if (one instanceof CelList && other instanceof CelList) return sameList(one, other);
  if (one instanceof CelMap && other instanceof CelMap) {
    return one.size === other.size && one.keys().every((key) => sameEntry(one.get(key), other.get(key)));
  }
  if (one instanceof Uint8Array && other instanceof Uint8Array) return Buffer.from(one).equals(other);
  if (one instanceof Duration && other instanceof Duration) return one.nanos === other.nanos;
  if (one instanceof Timestamp && other instanceof Timestamp) return one.nanos === other.nanos;
  if (one instanceof Optional && other instanceof Optional) return sameEntry(one.value, other.value);
  if (one instanceof CelType && other instanceof CelType) return one.typeName === other.typeName;
  if (one instanceof CelUrl && other instanceof CelUrl) return one.text === other.text;
  return one === other;
}

function sameEntry(one: CelValue | undefined, other: CelValue | undefined): boolean {
  if (one === undefined || other === undefined) return one === other;
  return equal(one, other);
}

function sameList(one: CelList, other: CelList): boolean {
  if (one.items.length !== other.items.length) return false;
  if (one.ordered || other.ordered) return one.items.every((item, index) => sameEntry(item, other.items[index]));
  return one.items.every((item) => other.items.some((candidate) => equal(item, candidate)));
}

/** Negative, zero or positive; fails for values that have no order. */
export function order(one: CelValue, other: CelValue): number {
  const left = numeric(one) ?? ordinal(one);
  const right = numeric(other) ?? ordinal(other);
  const alike = numeric(one) !== undefined ? numeric(other) !== undefined : sameKind(one, other);
  if (left === undefined || right === undefined || !alike) return noOverload();
  if (left < right) return -1;
  return left > right ? 1 : 0;
}

function sameKind(one: CelValue, other: CelValue): boolean {
  if (typeof one !== 'object' || typeof other !== 'object') return typeof one === typeof other;
  return one?.constructor === other?.constructor;
}

function numeric(value: CelValue): bigint | number | undefined {
  if (typeof value === 'bigint' || typeof value === 'number') return value;
  return value instanceof Uint ? value.value : undefined;
}

function ordinal(value: CelValue): bigint | string | boolean | undefined {
  if (value instanceof Duration || value instanceof Timestamp) return value.nanos;
  if (value instanceof Uint8Array) return Buffer.from(value).toString('latin1');
  return typeof value === 'string' || typeof value === 'boolean' ? value : undefined;
}
