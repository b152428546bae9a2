import { isList, isObject, type Json, objectOf } from '../json.ts';
import { below, type FieldSet, isNothing } from './field-set.ts';
import { itemElement } from './path-element.ts';
import type { Shape } from './shape.ts';
import { fieldShape, itemShape, viewOf } from './shape-view.ts';

/**
 * The value without the places of a set. An object or list all of whose entries go is gone with them (undefined): the real
 * server leaves null, which no built-in kind stores. What loses only something further below stays, if empty.
 */
export function removeFields(shape: Shape, value: Json, set: FieldSet): Json | undefined {
  const view = viewOf(shape, value);
  if (view.as === 'struct' && isObject(value)) {
    const left = Object.entries(value).filter(([name]) => !set.members.has(`f:${name}`));
    if (left.length === 0) return undefined;
    const kept = left.flatMap(([name, child]): [string, Json][] => {
      const inner = below(set, `f:${name}`);
      const rest = isNothing(inner) ? child : removeFields(fieldShape(view.shape, name), child, inner);
      return rest === undefined ? [] : [[name, rest]];
    });
    return objectOf(kept);
  }
  if (view.as !== 'list' || !isList(value)) return value;
  const kept = value.flatMap((item) => {
    const element = itemElement(view.shape, item);
    if (element === undefined) return [item];
    if (set.members.has(element)) return [];
    const inner = below(set, element);
    const rest = isNothing(inner) ? item : removeFields(itemShape(view.shape), item, inner);
    return rest === undefined ? [] : [rest];
  });
  return kept.length === 0 ? undefined : kept;
}
