import { isList, isObject, type Json, sameJson } from '../json.ts';
import { type FieldSet, FieldSetBuilder } from './field-set.ts';
import { itemElement } from './path-element.ts';
import type { ListMapShape, SetShape, Shape } from './shape.ts';
import { fieldShape, isEmpty, itemShape, viewOf } from './shape-view.ts';

/** Where two versions of an object differ. */
export interface Comparison {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
}

export function compareFields(shape: Shape, before: Json, after: Json): Comparison {
  const found = { added: new FieldSetBuilder(), modified: new FieldSetBuilder(), removed: new FieldSetBuilder() };
  compare(shape, before, after, [], found);
  return { added: found.added.build(), modified: found.modified.build(), removed: found.removed.build() };
}

interface Found {
  readonly added: FieldSetBuilder;
  readonly modified: FieldSetBuilder;
  readonly removed: FieldSetBuilder;
}

function compare(
  shape: Shape,
  before: Json | undefined,
  after: Json | undefined,
  path: readonly string[],
  found: Found,
): void {
  if (before === undefined && after === undefined) return;
  const view = viewOf(shape, before, after);
  // Two empty ones are compared as a whole, or the difference between empty and null would be lost.
  const whole = view.as === 'leaf' || (isEmpty(before) && isEmpty(after));
  if (before === undefined) found.added.insert(path);
  else if (after === undefined) found.removed.insert(path);
  else if (whole && !sameJson(before, after)) found.modified.insert(path);
  if (whole) return;
  if (view.as === 'list') {
    compareItems(view.shape, before, after, path, found);
    return;
  }
  const old: Readonly<Record<string, Json>> = isObject(before) ? before : {};
  const fresh: Readonly<Record<string, Json>> = isObject(after) ? after : {};
  const own = (object: Readonly<Record<string, Json>>, name: string) =>
    Object.hasOwn(object, name) ? object[name] : undefined;
  for (const name of new Set([...Object.keys(old), ...Object.keys(fresh)])) {
    compare(fieldShape(view.shape, name), own(old, name), own(fresh, name), [...path, `f:${name}`], found);
  }
}

function compareItems(
  shape: ListMapShape | SetShape,
  before: Json | undefined,
  after: Json | undefined,
  path: readonly string[],
  found: Found,
): void {
  const old = byElement(shape, before);
  const fresh = byElement(shape, after);
  const inner = itemShape(shape);
  for (const element of new Set([...old.keys(), ...fresh.keys()])) {
    const olds = old.get(element) ?? [];
    const freshs = fresh.get(element) ?? [];
    const itemPath = [...path, element];
    if (olds.length <= 1 && freshs.length <= 1) {
      compare(inner, olds[0], freshs[0], itemPath, found);
    } else if (olds.length > 1 && freshs.length > 1) {
      if (!sameJson(olds, freshs)) found.modified.insert(itemPath);
    } else if (olds.length > 1) {
      compare(inner, undefined, freshs[0], itemPath, found);
      found.removed.insert(itemPath);
    } else {
      compare(inner, olds[0], undefined, itemPath, found);
      found.added.insert(itemPath);
    }
  }
}

function byElement(shape: ListMapShape | SetShape, list: Json | undefined): ReadonlyMap<string, readonly Json[]> {
  const items = new Map<string, Json[]>();
  for (const item of isList(list) ? list : []) {
    const element = itemElement(shape, item);
    if (element === undefined) continue;
    const known = items.get(element);
    if (known === undefined) items.set(element, [item]);
    else known.push(item);
  }
  return items;
}
