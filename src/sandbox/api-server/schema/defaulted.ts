import type { Json } from '../json.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** The value with the schema's defaults filled in. A null where null is not allowed and a default exists gives way to it. */
export function defaulted(_schema: StructuralSchema, value: Json): Json {
  return value;
}
