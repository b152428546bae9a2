import { printed } from '../go-text.ts';
import { field, isList, isObject, type Json, type JsonObject, objectOf, sameJson } from '../json.ts';
import { type Answer, answered, refused } from '../refusal.ts';
import { DEDUCED, type ListMapShape, type SetShape, type Shape } from './shape.ts';
import { fieldShape, itemShape, viewOf } from './shape-view.ts';
import { inOrder } from './strategic-order.ts';
import { undecodable } from './undecodable.ts';

/** `application/strategic-merge-patch+json` on an object of a built-in kind. */
export function strategicMerged(shape: Shape, target: JsonObject, patch: Json): Answer<JsonObject> {
  if (!isObject(patch)) return undecodable(patch, 'map[string]interface {}', '');
  try {
    return answered(mergedObject(shape, target, patch));
  } catch (error) {
    if (error instanceof BadPatch) return refused(error.code, error.reason, error.message);
    throw error;
  }
}

/** The patch contradicts itself or its kind. */
class BadPatch extends Error {
  readonly code: number;
  readonly reason: string;
  constructor(message: string, code = 400, reason = 'BadRequest') {
    super(message);
    this.code = code;
    this.reason = reason;
  }
}

const DIRECTIVE = '$patch';
const RETAIN_KEYS = '$retainKeys';
const DELETE_FROM = '$deleteFromPrimitiveList/';
const ELEMENT_ORDER = '$setElementOrder/';

function mergedObject(shape: Shape, target: JsonObject, patch: JsonObject): JsonObject {
  const directive = patch[DIRECTIVE];
  if (directive === 'replace') return objectOf(Object.entries(patch).filter(([name]) => name !== DIRECTIVE));
  if (directive === 'delete') return {};
  if (directive !== undefined && directive !== 'merge') throw unknownDirective(directive, patch);
  const fields = new Map(Object.entries(retained(target, patch)));
  for (const [name, value] of Object.entries(patch)) {
    if (name === DIRECTIVE || name === RETAIN_KEYS || name.startsWith(ELEMENT_ORDER)) continue;
    if (name.startsWith(DELETE_FROM)) {
      const listName = name.slice(DELETE_FROM.length);
      const list = fields.get(listName);
      if (!isList(value)) throw new BadPatch('invalid patch format of primitive list');
      if (isList(list))
        fields.set(
          listName,
          list.filter((item) => !value.some((gone) => sameJson(gone, item))),
        );
    } else if (value === null) {
      fields.delete(name);
    } else {
      const order = patch[ELEMENT_ORDER + name];
      fields.set(name, mergedValue(shapeAt(shape, name), fields.get(name), value, isList(order) ? order : undefined));
    }
  }
  for (const [name, order] of Object.entries(patch)) {
    if (!name.startsWith(ELEMENT_ORDER) || !isList(order)) continue;
    const listName = name.slice(ELEMENT_ORDER.length);
    const list = fields.get(listName);
    const listShape = shapeAt(shape, listName);
    // A patch that only sorts has an order and no list.
    if (isList(list) && isMergedList(listShape) && patch[listName] === undefined) {
      fields.set(listName, inOrder(keyOf(listShape), list, order, list));
    }
  }
  return objectOf(fields);
}

/** Objects are merged field by field even where an apply takes them as a whole. */
function shapeAt(shape: Shape, name: string): Shape {
  if (shape.merge !== 'struct') return DEDUCED;
  const inner = fieldShape(shape, name);
  return inner.merge === 'atomic' ? DEDUCED : inner;
}

function isMergedList(shape: Shape): shape is ListMapShape | SetShape {
  return shape.merge === 'list-map' || shape.merge === 'set';
}

function retained(target: JsonObject, patch: JsonObject): JsonObject {
  const keys = patch[RETAIN_KEYS];
  if (keys === undefined) return target;
  if (!isList(keys)) throw new BadPatch('invalid patch format of retainKeys');
  const stray = Object.entries(patch).find(
    ([name, value]) => value !== null && !name.startsWith('$') && !keys.includes(name),
  );
  if (stray !== undefined) throw new BadPatch('invalid patch format of retainKeys');
  return objectOf(Object.entries(target).filter(([name]) => keys.includes(name)));
}

function mergedValue(shape: Shape, target: Json | undefined, patch: Json, order: readonly Json[] | undefined): Json {
  if (isObject(patch)) return mergedObject(shape, isObject(target) ? target : {}, patch);
  if (!isList(patch)) return patch;
  const view = viewOf(shape, patch);
  if (view.as !== 'list') return patch;
  return mergedList(view.shape, isList(target) ? target : [], patch, order ?? patch);
}

function mergedList(
  shape: ListMapShape | SetShape,
  target: readonly Json[],
  patch: readonly Json[],
  order: readonly Json[],
): readonly Json[] {
  const key = keyOf(shape);
  if (key === undefined) {
    const fresh = patch.filter((item) => !target.some((known) => sameJson(known, item)));
    return inOrder(undefined, [...target, ...fresh], order, target);
  }
  let items = target;
  let replace = false;
  for (const item of patch) {
    const directive = field(item, DIRECTIVE);
    if (directive === 'delete') items = items.filter((known) => !sameJson(field(known, key), keyIn(item, key)));
    else if (directive === 'replace') replace = true;
    else if (directive !== undefined) throw unknownDirective(directive, item);
  }
  const plain = patch.filter((item) => field(item, DIRECTIVE) === undefined);
  if (replace) return plain.map((item) => cleaned(shape, item));
  for (const item of plain) {
    const value = keyIn(item, key);
    const at = items.findIndex((known) => sameJson(field(known, key), value));
    const known = at < 0 ? undefined : items[at];
    const merged = mergedValue(itemShape(shape), known, item, undefined);
    items = at < 0 ? [...items, merged] : items.with(at, merged);
  }
  return inOrder(key, items, order, target);
}

/** As it is stored where there was nothing to merge with: directives have done their work. */
function cleaned(shape: ListMapShape | SetShape, item: Json): Json {
  return mergedValue(itemShape(shape), undefined, item, undefined);
}

function keyOf(shape: ListMapShape | SetShape): string | undefined {
  return shape.merge === 'set' ? undefined : (shape.patchKey ?? shape.keys[0]);
}

function keyIn(item: Json, key: string): Json {
  const value = field(item, key);
  if (value !== undefined) return value;
  throw new BadPatch(`map: ${printed(item)} does not contain declared merge key: ${key}`, 500, '');
}

function unknownDirective(directive: Json, within: Json): BadPatch {
  return new BadPatch(`unknown patch type: ${printed(directive)} in map: ${printed(within)}`, 500, '');
}
