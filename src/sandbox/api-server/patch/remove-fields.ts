import { isList, isObject, type Json, objectOf } from '../json.ts';
import { below, type FieldSet, isNothing } from './field-set.ts';
import { itemElement } from './path-element.ts';
import type { Shape } from './shape.ts';
import { fieldShape, itemShape, viewOf } from './shape-view.ts';

/** The value without the places of a set. What becomes empty by it stays, as empty. */
export function removeFields(shape: Shape, value: Json, set: FieldSet): Json {
  const view = viewOf(shape, value);
  if (view.as === 'struct' && isObject(value)) {
    const kept = Object.entries(value).flatMap(([name, child]): [string, Json][] => {
      const element = `f:${name}`;
      if (set.members.has(element)) return [];
      const inner = below(set, element);
      return [[name, isNothing(inner) ? child : removeFields(fieldShape(view.shape, name), child, inner)]];
    });
    return objectOf(kept);
  }
  if (view.as !== 'list' || !isList(value)) return value;
  return value.flatMap((item) => {
    const element = itemElement(view.shape, item);
    if (element === undefined) return [item];
    if (set.members.has(element)) return [];
    const inner = below(set, element);
    return [isNothing(inner) ? item : removeFields(itemShape(view.shape), item, inner)];
  });
}
