import { isList, isObject, type Json } from '../json.ts';
import { ATOMIC, DEDUCED, type ListMapShape, type SetShape, type Shape, type StructShape } from './shape.ts';

const DEDUCED_OBJECT: StructShape = { merge: 'struct', fields: {}, others: DEDUCED };

/** What a value is merged as. A value of another type than its shape has one owner as a whole. */
export type View =
  | { readonly as: 'struct'; readonly shape: StructShape }
  | { readonly as: 'list'; readonly shape: ListMapShape | SetShape }
  | { readonly as: 'leaf' };

const LEAF: View = { as: 'leaf' };

/** Both values are of one place; either may be missing, and null counts as an empty one of the other's type. */
export function viewOf(shape: Shape, one: Json | undefined, other: Json | undefined = undefined): View {
  const values = [one, other].filter((value) => value !== undefined && value !== null);
  if (values.length === 0) return LEAF;
  if (shape.merge === 'deduced') return values.every(isObject) ? { as: 'struct', shape: DEDUCED_OBJECT } : LEAF;
  if (shape.merge === 'struct') return values.every(isObject) ? { as: 'struct', shape } : LEAF;
  if (shape.merge === 'set' || shape.merge === 'list-map') return values.every(isList) ? { as: 'list', shape } : LEAF;
  return LEAF;
}

export function isEmpty(value: Json | undefined): boolean {
  if (value === undefined || value === null) return true;
  if (isList(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

/** Whether the field is one of an object's own, and not an entry of a map. */
export function isDeclared(shape: StructShape, name: string): boolean {
  return Object.hasOwn(shape.fields, name);
}

export function fieldShape(shape: StructShape, name: string): Shape {
  return (isDeclared(shape, name) ? shape.fields[name] : shape.others) ?? ATOMIC;
}

export function itemShape(shape: ListMapShape | SetShape): Shape {
  return shape.merge === 'set' ? ATOMIC : shape.item;
}

/** The shape at an element of a set; deduced where the object's own shape says nothing. */
export function shapeBelow(shape: Shape, element: string): Shape {
  if (shape.merge === 'struct' && element.startsWith('f:')) return fieldShape(shape, element.slice(2));
  if (shape.merge === 'list-map' && element.startsWith('k:')) return shape.item;
  return DEDUCED;
}
