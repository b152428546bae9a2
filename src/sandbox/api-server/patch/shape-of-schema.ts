import type { StructuralSchema } from '../schema/structural-schema.ts';
import { DEDUCED, type Shape } from './shape.ts';

/** The shape of a CRD's objects, `metadata` included. */
export function shapeOfSchema(_schema: StructuralSchema): Shape {
  return DEDUCED;
}
