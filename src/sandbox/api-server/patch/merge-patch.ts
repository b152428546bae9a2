import { field, isObject, type Json, objectOf } from '../json.ts';

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
