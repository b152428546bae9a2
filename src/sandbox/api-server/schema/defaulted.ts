import { field, isList, isObject, type Json, objectOf } from '../json.ts';
import type { StructuralSchema } from './structural-schema.ts';

/**
 * The value with the schema's defaults filled in. A null where null is not allowed gives way to the default, and is
 * dropped where there is none.
 */
export function defaulted(schema: StructuralSchema, value: Json): Json {
  return filled(schema, withoutNulls(schema, value));
}

function filled(schema: StructuralSchema | undefined, value: Json): Json {
  if (schema === undefined) return value;
  if (isList(value)) return value.map((item) => filled(schema.items, given(schema.items, item) ?? null));
  if (!isObject(value)) return value;
  const fields = new Map(Object.entries(value));
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    const chosen = given(property, field(value, name));
    if (chosen !== undefined) fields.set(name, chosen);
  }
  for (const [name, child] of fields) {
    const childSchema = schemaOfField(schema, name);
    fields.set(name, filled(childSchema, given(childSchema, child) ?? null));
  }
  return objectOf(fields);
}

/** What stands where this was given: undefined and a null that is not allowed become the default. */
function given(schema: StructuralSchema | undefined, value: Json | undefined): Json | undefined {
  if (schema?.default === undefined) return value;
  return value === undefined || (value === null && schema.nullable !== true) ? schema.default : value;
}

function withoutNulls(schema: StructuralSchema | undefined, value: Json): Json {
  if (isList(value)) return value.map((item) => withoutNulls(schema?.items, item));
  if (!isObject(value)) return value;
  const kept = Object.entries(value).flatMap(([name, child]): [string, Json][] => {
    const childSchema = schemaOfField(schema, name);
    const drop = child === null && childSchema !== undefined && childSchema.nullable !== true;
    if (drop && childSchema.default === undefined) return [];
    return [[name, withoutNulls(childSchema, child)]];
  });
  return objectOf(kept);
}

/** The schema of one field of an object: its own, or that of all others. */
export function schemaOfField(schema: StructuralSchema | undefined, name: string): StructuralSchema | undefined {
  if (schema === undefined) return undefined;
  const { properties, additionalProperties } = schema;
  if (properties !== undefined && Object.hasOwn(properties, name)) return properties[name];
  return typeof additionalProperties === 'object' ? additionalProperties : undefined;
}
