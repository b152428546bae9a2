import { apiVersionOfKind, type ServedKind, served } from '../kinds/kind.ts';
import type { ApiObject } from '../object-fields.ts';

/** JSON without `apiVersion` and `kind`, by version; stored objects never change, so it is kept as long as they are. */
const texts = new WeakMap<ApiObject, Map<string, string>>();

/** The object's JSON as one version shows it. */
export function encodedObject(kind: ServedKind, stored: ApiObject): string {
  return `${typePrefix(kind)}${untyped(kind, stored).slice(1)}`;
}

/** As an item of a list: built-in kinds leave out what the list says already. */
export function encodedItem(kind: ServedKind, stored: ApiObject): string {
  return kind.custom ? encodedObject(kind, stored) : untyped(kind, stored);
}

function typePrefix(kind: ServedKind): string {
  return `{"apiVersion":"${apiVersionOfKind(kind)}","kind":"${kind.kind}",`;
}

function untyped(kind: ServedKind, stored: ApiObject): string {
  const version = apiVersionOfKind(kind);
  let known = texts.get(stored);
  if (known === undefined) {
    known = new Map();
    texts.set(stored, known);
  }
  const text = known.get(version);
  if (text !== undefined) return text;
  const { apiVersion: _, kind: __, ...rest } = served(kind, stored);
  const made = JSON.stringify(rest);
  known.set(version, made);
  return made;
}
