import { isList, isObject, type Json, objectOf } from '../json.ts';
import type { StructuralSchema } from './structural-schema.ts';

export interface Pruned {
  readonly value: Json;
  /** `spec.rules[0].colour`: fields that the schema does not know, sorted. */
  readonly unknownPaths: readonly string[];
}

/** Drops what the schema does not know. At the root, `apiVersion`, `kind` and `metadata` always stay. */
export function pruned(schema: StructuralSchema, value: Json): Pruned {
  const unknown: string[] = [];
  const root = { ...schema, 'x-kubernetes-embedded-resource': true };
  return { value: prune(root, value, '', unknown), unknownPaths: unknown.sort() };
}

const META_FIELDS = new Set(['apiVersion', 'kind', 'metadata']);

/** Without a schema nothing in an object is known; lists and scalars stay. */
function prune(schema: StructuralSchema | undefined, value: Json, path: string, unknown: string[]): Json {
  if (isList(value)) {
    // Below a list whose unknown fields are kept, its items' unknown fields are kept too.
    const items = keepsUnknown(schema) ? keeping(schema?.items) : schema?.items;
    return value.map((item, index) => prune(items, item, `${path}[${index}]`, unknown));
  }
  if (!isObject(value)) return value;
  const kept: [string, Json][] = [];
  for (const [name, child] of Object.entries(value)) {
    const childPath = path === '' ? name : `${path}.${name}`;
    const known = schemaOf(schema, name);
    if (schema?.['x-kubernetes-embedded-resource'] === true && META_FIELDS.has(name)) kept.push([name, child]);
    else if (known !== undefined) kept.push([name, prune(known.schema, child, childPath, unknown)]);
    else if (keepsUnknown(schema)) kept.push([name, child]);
    else unknown.push(childPath);
  }
  return objectOf(kept);
}

function schemaOf(
  schema: StructuralSchema | undefined,
  name: string,
): { readonly schema: StructuralSchema | undefined } | undefined {
  const own = schema?.properties;
  if (own !== undefined && Object.hasOwn(own, name)) return { schema: own[name] };
  const others = schema?.additionalProperties;
  if (others === undefined || others === false) return undefined;
  return { schema: others === true ? undefined : others };
}

function keepsUnknown(schema: StructuralSchema | undefined): boolean {
  return schema?.['x-kubernetes-preserve-unknown-fields'] === true;
}

function keeping(schema: StructuralSchema | undefined): StructuralSchema {
  return { ...schema, 'x-kubernetes-preserve-unknown-fields': true };
}
