import { isList, isObject, type Json } from '../json.ts';
import { below, elementsOf, type FieldSet, FieldSetBuilder } from './field-set.ts';
import { itemElement } from './path-element.ts';
import type { Shape } from './shape.ts';
import { fieldShape, isDeclared, isEmpty, itemShape, shapeBelow, viewOf } from './shape-view.ts';

/** All places that a value holds: what a manager owns that applies it. */
export function fieldsOf(shape: Shape, value: Json): FieldSet {
  const found = new FieldSetBuilder();
  collect(shape, value, [], found);
  return found.build();
}

function collect(shape: Shape, value: Json, path: readonly string[], found: FieldSetBuilder): void {
  const view = viewOf(shape, value);
  if (view.as === 'struct' && isObject(value)) {
    for (const [name, child] of Object.entries(value)) {
      const childPath = [...path, `f:${name}`];
      collect(fieldShape(view.shape, name), child, childPath, found);
      const emptyObject = child === null || (isObject(child) && isEmpty(child));
      // An entry of a map is owned as such, a declared field only through what is in it.
      if (emptyObject || !isDeclared(view.shape, name)) found.insert(childPath);
    }
    return;
  }
  if (view.as !== 'list' || !isList(value)) {
    found.insert(path);
    return;
  }
  const elements = value.map((item) => itemElement(view.shape, item));
  value.forEach((item, index) => {
    const element = elements[index];
    if (element === undefined) return;
    // Items that are there twice have one owner together.
    const single = elements.indexOf(element) === elements.lastIndexOf(element);
    if (single) collect(itemShape(view.shape), item, [...path, element], found);
    found.insert([...path, element]);
  });
}

/** With each declared field a member that has members below it: a set made of `a.b` then has `a` too. */
export function withNamedFields(shape: Shape, set: FieldSet): FieldSet {
  const members = new Set(set.members);
  const children = new Map<string, FieldSet>();
  for (const element of elementsOf(set)) {
    if (!set.children.has(element)) continue;
    if (shape.merge === 'struct' && element.startsWith('f:') && isDeclared(shape, element.slice(2)))
      members.add(element);
    children.set(element, withNamedFields(shapeBelow(shape, element), below(set, element)));
  }
  return { members, children };
}
