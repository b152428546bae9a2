import { isObject, type Json, type JsonObject, objectOf } from '../json.ts';
import { below, elementsOf, type FieldSet, isNothing, NOTHING } from './field-set.ts';

/** A set as `fieldsV1` holds it. A place that is a member and has places below it has `.` among them. */
export function toFieldsV1(set: FieldSet): JsonObject {
  return objectOf(
    elementsOf(set).map((element) => {
      const inner = below(set, element);
      if (isNothing(inner)) return [element, {}];
      return [element, set.members.has(element) ? { '.': {}, ...toFieldsV1(inner) } : toFieldsV1(inner)];
    }),
  );
}

/** Undefined where a field is no path element. */
export function fromFieldsV1(fields: Json | undefined): FieldSet | undefined {
  if (!isObject(fields)) return fields === undefined ? NOTHING : undefined;
  const members = new Set<string>();
  const children = new Map<string, FieldSet>();
  for (const [element, inner] of Object.entries(fields)) {
    if (element === '.') continue;
    const child = /^[fkvi]:/.test(element) ? fromFieldsV1(inner) : undefined;
    if (child === undefined) return undefined;
    if (isNothing(child) || (isObject(inner) && Object.hasOwn(inner, '.'))) members.add(element);
    if (!isNothing(child)) children.set(element, child);
  }
  return { members, children };
}
