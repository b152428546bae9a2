import { isList, isObject, type Json, sameJson } from '../json.ts';
import type { StructuralSchema } from './structural-schema.ts';

/**
 * A value before an update, where it can be told which one it was. What was stored unchanged is not refused for a rule
 * that came later, and only such a value can be `oldSelf`.
 */
export interface Correlated {
  readonly value: Json;
}

export function unchanged(previous: Correlated | undefined, value: Json): boolean {
  return previous !== undefined && sameJson(previous.value, value);
}

export function previousField(previous: Correlated | undefined, name: string): Correlated | undefined {
  if (previous === undefined || !isObject(previous.value)) return undefined;
  const value = Object.hasOwn(previous.value, name) ? previous.value[name] : undefined;
  return value === undefined ? undefined : { value };
}

/** Items have an identity only in lists that are maps: elsewhere an index says nothing after an insertion. */
export function previousItem(
  schema: StructuralSchema,
  previous: Correlated | undefined,
  item: Json,
): Correlated | undefined {
  if (previous === undefined || schema['x-kubernetes-list-type'] !== 'map' || !isList(previous.value)) return undefined;
  const key = itemKey(schema, item);
  const found = key === undefined ? undefined : previous.value.find((other) => itemKey(schema, other) === key);
  return found === undefined ? undefined : { value: found };
}

/** Equal texts mean the same item of a list that is a map. Undefined for what is no object. */
export function itemKey(schema: StructuralSchema, item: Json): string | undefined {
  if (!isObject(item)) return undefined;
  return JSON.stringify((schema['x-kubernetes-list-map-keys'] ?? []).map((name) => item[name] ?? null));
}
