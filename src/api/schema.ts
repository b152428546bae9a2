/**
 * Structural schemas as TypeScript values, and the types that follow from them: one source for the CRD, the types and the
 * reference. Only what an API server accepts as structural can be written down (no `oneOf`, no `const`, no `$ref`).
 *
 * @module
 */

interface Described {
  /** One sentence, shown by `kubectl explain` and in the reference. */
  readonly description?: string;
  readonly nullable?: boolean;
  readonly default?: unknown;
  readonly 'x-kubernetes-validations'?: readonly CelRule[];
}

/** A rule in the Common Expression Language that the API server judges. */
export interface CelRule {
  readonly rule: string;
  readonly message: string;
  readonly fieldPath?: string;
}

export interface StringSchema extends Described {
  readonly type: 'string';
  readonly enum?: readonly string[];
  readonly pattern?: string;
  readonly format?: 'date-time';
  readonly minLength?: number;
  readonly maxLength?: number;
}

export interface NumberSchema extends Described {
  readonly type: 'integer' | 'number';
  readonly format?: 'int32' | 'int64';
  readonly minimum?: number;
  readonly maximum?: number;
}

export interface BooleanSchema extends Described {
  readonly type: 'boolean';
}

export interface ArraySchema extends Described {
  readonly type: 'array';
  readonly items: Schema;
  readonly minItems?: number;
  readonly maxItems: number;
  readonly 'x-kubernetes-list-type'?: 'atomic' | 'set' | 'map';
  readonly 'x-kubernetes-list-map-keys'?: readonly string[];
}

export interface ObjectSchema extends Described {
  readonly type: 'object';
  readonly properties: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

export interface MapSchema extends Described {
  readonly type: 'object';
  readonly additionalProperties: Schema;
  readonly maxProperties: number;
}

export type Schema = StringSchema | NumberSchema | BooleanSchema | ArraySchema | ObjectSchema | MapSchema;

/** The value as the API server returns it: what has a default is there. */
export type AsRead<S> = Value<S, 'read'>;
/** The value as a person may write it: what has a default may be left out. */
export type AsWritten<S> = Value<S, 'written'>;

type Value<S, M> = S extends { readonly nullable: true } ? Plain<S, M> | null : Plain<S, M>;

type Plain<S, M> = S extends { readonly enum: readonly (infer V)[] }
  ? V
  : S extends { readonly properties: infer P }
    ? Flat<
        { readonly [K in Present<S, P, M>]: Value<P[K], M> } & {
          readonly [K in Exclude<keyof P, Present<S, P, M>>]?: Value<P[K], M>;
        }
      >
    : S extends { readonly additionalProperties: infer V }
      ? Readonly<Record<string, Value<V, M>>>
      : S extends { readonly items: infer I }
        ? readonly Value<I, M>[]
        : S extends { readonly type: keyof Scalars }
          ? Scalars[S['type']]
          : never;

interface Scalars {
  readonly string: string;
  readonly integer: number;
  readonly number: number;
  readonly boolean: boolean;
}

/** Keys that are always there: required ones and, on reading, those with a default. */
type Present<S, P, M> =
  | (S extends { readonly required: readonly (infer K)[] } ? K & keyof P : never)
  | (M extends 'read' ? { [K in keyof P]: P[K] extends { readonly default: unknown } ? K : never }[keyof P] : never);

type Flat<T> = { [K in keyof T]: T[K] };

/**
 * Fills in defaults as the API server does when it stores or reads an object; for values that come from no API server.
 *
 * @returns an {@link AsRead} of the schema if the value was an {@link AsWritten}
 */
export function withDefaults(schema: Schema, value: unknown): unknown {
  if (value === null || value === undefined) return value;
  if (schema.type === 'array') return (value as readonly unknown[]).map((item) => withDefaults(schema.items, item));
  if (schema.type !== 'object') return value;
  const given = value as Readonly<Record<string, unknown>>;
  if ('additionalProperties' in schema) {
    return Object.fromEntries(
      Object.entries(given).map(([key, item]) => [key, withDefaults(schema.additionalProperties, item)]),
    );
  }
  const filled: Record<string, unknown> = { ...given };
  for (const [key, property] of Object.entries(schema.properties)) {
    const standing = given[key] ?? property.default;
    if (standing !== undefined) filled[key] = withDefaults(property, standing);
  }
  return filled;
}
