import type { Json } from '../json.ts';
import type { StatusCause } from '../refusal.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** `message` is what stands in a cause (`Invalid value: ...`), without the path. */
export interface Violation extends StatusCause {
  readonly field: string;
}

/** What a custom resource breaks of its schema, rules with `oldSelf` only where there is a previous object. */
export function violations(_schema: StructuralSchema, _value: Json, _previous?: Json): readonly Violation[] {
  return [];
}
