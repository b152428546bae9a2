import { field, isObject, type Json, type JsonObject, objectOf } from '../json.ts';
import { type Answer, answered } from '../refusal.ts';
import { undecodable } from './undecodable.ts';

/** RFC 7386: null removes a field, an object is merged, anything else takes the place of what was there. */
export function mergePatched(target: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const fields = new Map<string, Json>(isObject(target) ? Object.entries(target) : []);
  for (const [name, value] of Object.entries(patch)) {
    if (value === null) fields.delete(name);
    else fields.set(name, mergePatched(field(target, name), value));
  }
  return objectOf(fields);
}

/** {@link mergePatched} for a whole object, which only an object can patch. */
export function mergePatchedObject(target: JsonObject, patch: Json): Answer<JsonObject> {
  const merged = isObject(patch) ? mergePatched(target, patch) : undefined;
  return isObject(merged) ? answered(merged) : undecodable(patch, 'map[string]interface {}');
}
