/** A value of the expression language. `bigint` is int, `number` is double. */
export type CelValue =
  | null
  | boolean
  | bigint
  | number
  | string
  | Uint8Array
  | Uint
  | CelList
  | CelMap
  | Duration
  | Timestamp
  | Optional
  | CelType
  | CelUrl;

/** Why an expression has no value. `&&`, `||` and their like may absorb it. */
export class CelFailure extends Error {
  override readonly name = 'CelFailure';
}

export function fail(message: string): never {
  throw new CelFailure(message);
}

export function noOverload(): never {
  return fail('no such overload');
}

export class Uint {
  readonly value: bigint;
  constructor(value: bigint) {
    this.value = value;
  }
}

export class CelList {
  readonly items: readonly CelValue[];
  /** Lists of type `set` and `map` are equal in any order. */
  readonly ordered: boolean;
  constructor(items: readonly CelValue[], ordered = true) {
    this.items = items;
    this.ordered = ordered;
  }
}

/** A map or an object. */
export class CelMap {
  readonly #entries: ReadonlyMap<string, readonly [CelValue, CelValue]>;
  constructor(entries: Iterable<readonly [CelValue, CelValue]>) {
    this.#entries = new Map([...entries].map((entry) => [keyText(entry[0]), entry]));
  }
  get size(): number {
    return this.#entries.size;
  }
  get(key: CelValue): CelValue | undefined {
    return this.#entries.get(keyText(key))?.[1];
  }
  keys(): readonly CelValue[] {
    return [...this.#entries.values()].map(([key]) => key);
  }
}

function keyText(key: CelValue): string {
  if (typeof key === 'string') return `s${key}`;
  if (typeof key === 'boolean') return `b${key}`;
  if (key instanceof Uint) return `n${key.value}`;
  if (typeof key === 'bigint' || typeof key === 'number') return `n${key}`;
  return fail('unsupported key type');
}

export class Duration {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

/** Nanoseconds since 1970. */
export class Timestamp {
  readonly nanos: bigint;
  constructor(nanos: bigint) {
    this.nanos = nanos;
  }
}

export class Optional {
  readonly value: CelValue | undefined;
  constructor(value: CelValue | undefined) {
    this.value = value;
  }
}

export class CelType {
  readonly typeName: string;
  constructor(typeName: string) {
    this.typeName = typeName;
  }
}

export class CelUrl {
  readonly url: URL;
  readonly text: string;
  constructor(url: URL, text: string) {
    this.url = url;
    this.text = text;
  }
}

export function typeName(value: CelValue): string {
  if (value === null) return 'null_type';
  if (typeof value === 'boolean') return 'bool';
  if (typeof value === 'bigint') return 'int';
  if (typeof value === 'number') return 'double';
  if (typeof value === 'string') return 'string';
  if (value instanceof Uint8Array) return 'bytes';
  if (value instanceof Uint) return 'uint';
  if (value instanceof CelList) return 'list';
  if (value instanceof CelMap) return 'map';
  if (value instanceof Duration) return 'google.protobuf.Duration';
  if (value instanceof Timestamp) return 'google.protobuf.Timestamp';
  if (value instanceof Optional) return 'optional_type';
  return value instanceof CelUrl ? 'kubernetes.URL' : 'type';
}
