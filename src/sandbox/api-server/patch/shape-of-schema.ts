import type { StructuralSchema } from '../schema/structural-schema.ts';
import { ATOMIC, DEDUCED, type Shape } from './shape.ts';
import { OBJECT_META } from './shape-of-kind.ts';

/** The shape of a CRD's objects, `metadata` included. */
export function shapeOfSchema(schema: StructuralSchema): Shape {
  const shape = shapeOf(schema);
  if (shape.merge !== 'struct') return shape;
  return { ...shape, fields: { ...shape.fields, apiVersion: ATOMIC, kind: ATOMIC, metadata: OBJECT_META } };
}

function shapeOf(schema: StructuralSchema): Shape {
  if (schema['x-kubernetes-int-or-string'] === true) return ATOMIC;
  const keeps = schema['x-kubernetes-preserve-unknown-fields'] === true;
  switch (schema.type) {
    case 'object':
      return objectShape(schema, keeps);
    case 'array':
      return listShape(schema);
    case undefined:
      return keeps ? DEDUCED : ATOMIC;
    default:
      return ATOMIC;
  }
}

function objectShape(schema: StructuralSchema, keeps: boolean): Shape {
  if (schema['x-kubernetes-map-type'] === 'atomic') return ATOMIC;
  const { properties = {}, additionalProperties } = schema;
  const fields = Object.fromEntries(Object.entries(properties).map(([name, child]) => [name, shapeOf(child)]));
  const embedded = schema['x-kubernetes-embedded-resource'] === true;
  const meta = embedded ? { apiVersion: ATOMIC, kind: ATOMIC, metadata: OBJECT_META } : {};
  const others = othersOf(additionalProperties, keeps);
  return { merge: 'struct', fields: { ...fields, ...meta }, ...(others === undefined ? {} : { others }) };
}

function othersOf(additionalProperties: boolean | StructuralSchema | undefined, keeps: boolean): Shape | undefined {
  if (typeof additionalProperties === 'object') return shapeOf(additionalProperties);
  return keeps || additionalProperties === true ? DEDUCED : undefined;
}

function listShape(schema: StructuralSchema): Shape {
  const { items } = schema;
  const listType = schema['x-kubernetes-list-type'];
  if (listType === 'set') return { merge: 'set' };
  if (listType !== 'map' || items === undefined) return ATOMIC;
  const keys = schema['x-kubernetes-list-map-keys'] ?? [];
  const defaults = keys.flatMap((key): [string, string | number][] => {
    const value = items.properties?.[key]?.default;
    return typeof value === 'string' || typeof value === 'number' ? [[key, value]] : [];
  });
  return { merge: 'list-map', keys, keyDefaults: Object.fromEntries(defaults), item: shapeOf(items) };
}
