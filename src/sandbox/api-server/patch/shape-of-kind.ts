import { DEDUCED, type Shape } from './shape.ts';

/** The shape of a built-in kind; deduced fields for one that is not in the table. */
export function shapeOfKind(_apiVersion: string, _kind: string): Shape {
  return DEDUCED;
}
