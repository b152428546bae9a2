import { isList, isObject, type Json } from '../json.ts';
import { schemaOfField } from './defaulted.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { duplicate, invalidValue, type Violation } from './violation.ts';

/** Items that a list of type `set` or `map` has twice. */
export function listViolations(schema: StructuralSchema, value: Json, path: string): readonly Violation[] {
  if (isObject(value)) {
    return Object.entries(value).flatMap(([name, child]) => {
      const childSchema = schemaOfField(schema, name);
      return childSchema === undefined ? [] : listViolations(childSchema, child, fieldPath(schema, path, name));
    });
  }
  if (!isList(value)) return [];
  const { items } = schema;
  const inner =
    items === undefined ? [] : value.flatMap((item, index) => listViolations(items, item, `${path}[${index}]`));
  return [...duplicates(schema, value, path), ...inner];
}

/** `spec.size` for a field of its own, `spec.labels[app]` for one of a map. */
export function fieldPath(schema: StructuralSchema, path: string, name: string): string {
  const { properties } = schema;
  const named = properties !== undefined && Object.hasOwn(properties, name);
  if (!named) return `${path}[${name}]`;
  return path === '' ? name : `${path}.${name}`;
}

function duplicates(schema: StructuralSchema, list: readonly Json[], path: string): readonly Violation[] {
  const type = schema['x-kubernetes-list-type'];
  if (type !== 'set' && type !== 'map') return [];
  if (type === 'map') {
    const foreign = list.findIndex((item) => item !== null && !isObject(item));
    const what = 'must be an object for an array of list-type map';
    if (foreign >= 0) return [invalidValue(`${path}[${foreign}]`, list[foreign] ?? null, what)];
  }
  const keys = list.map((item) => (type === 'set' ? item : keyOf(schema, item)));
  const times = new Map<string, number>();
  return keys.flatMap((key, index) => {
    const text = JSON.stringify(key);
    const count = (times.get(text) ?? 0) + 1;
    times.set(text, count);
    // However often an item comes up, it is reported once.
    return count === 2 ? [duplicate(`${path}[${index}]`, key)] : [];
  });
}

function keyOf(schema: StructuralSchema, item: Json): Json {
  if (!isObject(item)) return {};
  const names = schema['x-kubernetes-list-map-keys'] ?? [];
  return Object.fromEntries(
    names.flatMap((name) => {
      const value = Object.hasOwn(item, name) ? item[name] : undefined;
      return value === undefined ? [] : [[name, value]];
    }),
  );
}
