import { field, isList, isObject, type Json, objectOf, sameJson } from '../json.ts';
import { type Answer, answered, refused } from '../refusal.ts';
import { pointerPath } from './json-pointer.ts';
import { undecodable } from './undecodable.ts';

/** RFC 6902 over the whole body of a request, which must be a list of operations. One that cannot be done refuses all. */
export function jsonPatched(target: Json, patch: Json): Answer<Json> {
  if (!isList(patch)) return undecodable(patch, '[]handlers.jsonPatchOp');
  if (patch.length > MOST_OPERATIONS) {
    const message = `The allowed maximum operations in a JSON patch is ${MOST_OPERATIONS}, got ${patch.length}`;
    return refused(413, 'RequestEntityTooLarge', message);
  }
  let value = target;
  for (const operation of patch) {
    const changed = operated(value, operation);
    if (changed === undefined) return REFUSED;
    value = changed;
  }
  return answered(value);
}

const MOST_OPERATIONS = 10_000;

/** The server says no more than this, whichever operation it was. */
const REFUSED = refused(422, 'Invalid', 'the server rejected our request due to an error in our request');

function operated(value: Json, operation: Json): Json | undefined {
  const path = pathAt(operation, 'path');
  if (path === undefined) return undefined;
  const given = field(operation, 'value') ?? null;
  switch (field(operation, 'op')) {
    case 'add':
      return put(value, path, given, 'insert');
    case 'replace':
      return put(value, path, given, 'replace');
    case 'remove':
      return without(value, path);
    case 'test': {
      const found = at(value, path);
      // A field that is missing passes for null.
      return sameJson(found ?? null, given) ? value : undefined;
    }
    case 'copy':
    case 'move': {
      const from = pathAt(operation, 'from');
      const moved = from === undefined ? undefined : movedFrom(value, from, field(operation, 'op') === 'copy');
      if (from === undefined || moved === undefined) return undefined;
      const rest = field(operation, 'op') === 'move' ? without(value, from) : value;
      return rest === undefined ? undefined : put(rest, path, moved, 'insert');
    }
    default:
      return undefined;
  }
}

/** A copy of a field that is missing copies null; a move of one fails. */
function movedFrom(value: Json, from: readonly string[], isCopy: boolean): Json | undefined {
  const found = at(value, from);
  return found === undefined && isCopy && isObject(at(value, from.slice(0, -1))) ? null : found;
}

function pathAt(operation: Json, name: string): readonly string[] | undefined {
  const pointer = field(operation, name);
  return typeof pointer === 'string' ? pointerPath(pointer) : undefined;
}

function at(value: Json | undefined, path: readonly string[]): Json | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return value;
  if (isObject(value)) return at(field(value, name), rest);
  const index = isList(value) ? indexUpTo(name, value.length - 1) : undefined;
  return index === undefined || !isList(value) ? undefined : at(value[index], rest);
}

/** Decimal digits with no leading zero, and no further than `last`. */
function indexUpTo(name: string, last: number): number | undefined {
  const index = /^(0|[1-9]\d*)$/.test(name) ? Number(name) : Number.NaN;
  return index <= last ? index : undefined;
}

function put(
  value: Json | undefined,
  path: readonly string[],
  given: Json,
  how: 'insert' | 'replace',
): Json | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return given;
  if (isObject(value)) {
    const old = field(value, name);
    // Also for a replace: the server takes one of a field that is missing.
    if (old === undefined && rest.length > 0) return undefined;
    const fresh = put(old, rest, given, how);
    return fresh === undefined ? undefined : objectOf([...Object.entries(value), [name, fresh]]);
  }
  if (!isList(value)) return undefined;
  if (rest.length === 0 && how === 'insert') {
    const index = name === '-' ? value.length : indexUpTo(name, value.length);
    return index === undefined ? undefined : value.toSpliced(index, 0, given);
  }
  const index = indexUpTo(name, value.length - 1);
  const fresh = index === undefined ? undefined : put(value[index], rest, given, how);
  return index === undefined || fresh === undefined ? undefined : value.with(index, fresh);
}

function without(value: Json | undefined, path: readonly string[]): Json | undefined {
  const [name, ...rest] = path;
  if (name === undefined) return undefined;
  if (isObject(value)) {
    const old = field(value, name);
    if (old === undefined) return undefined;
    if (rest.length === 0) return objectOf(Object.entries(value).filter(([other]) => other !== name));
    const fresh = without(old, rest);
    return fresh === undefined ? undefined : objectOf([...Object.entries(value), [name, fresh]]);
  }
  const index = isList(value) ? indexUpTo(name, value.length - 1) : undefined;
  if (!isList(value) || index === undefined) return undefined;
  if (rest.length === 0) return value.toSpliced(index, 1);
  const fresh = without(value[index], rest);
  return fresh === undefined ? undefined : value.with(index, fresh);
}
