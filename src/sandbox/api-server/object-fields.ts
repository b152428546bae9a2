import { fieldAt, isList, isObject, type Json, type JsonObject } from './json.ts';

/** What every stored object has. */
export interface ApiObject extends JsonObject {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: ApiMeta;
}

export interface ApiMeta extends JsonObject {
  readonly name: string;
  readonly namespace?: string;
  readonly uid: string;
  readonly resourceVersion: string;
  readonly creationTimestamp: string;
  readonly generation?: number;
  readonly deletionTimestamp?: string;
}

const EMPTY: JsonObject = {};

/** The object there, or an empty one in place of anything else. */
export function objectAt(value: Json | undefined, ...path: readonly string[]): JsonObject {
  const found = fieldAt(value, ...path);
  return isObject(found) ? found : EMPTY;
}

export function listAt(value: Json | undefined, ...path: readonly string[]): readonly Json[] {
  const found = fieldAt(value, ...path);
  return isList(found) ? found : [];
}

export function textAt(value: Json | undefined, ...path: readonly string[]): string | undefined {
  const found = fieldAt(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

/** Texts of a list; anything else in it is left out. */
export function textsAt(value: Json | undefined, ...path: readonly string[]): readonly string[] {
  return listAt(value, ...path).filter((item) => typeof item === 'string');
}

export function without(object: JsonObject, ...fields: readonly string[]): JsonObject {
  return Object.fromEntries(Object.entries(object).filter(([name]) => !fields.includes(name)));
}
