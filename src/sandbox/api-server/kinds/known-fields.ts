import { isList, isObject, type Json, type JsonObject } from '../json.ts';
import type { Shape } from '../patch/shape.ts';

export interface KnownFields {
  readonly object: JsonObject;
  readonly unknownPaths: readonly string[];
}

/** Drops the fields that a shape declares not to exist, as decoding into a Go type does. */
export function keepKnownFields(shape: Shape, object: JsonObject): KnownFields {
  const unknownPaths: string[] = [];
  const kept = keep(shape, object, '', unknownPaths);
  return { object: isObject(kept) ? kept : {}, unknownPaths };
}

function keep(shape: Shape, value: Json, path: string, unknown: string[]): Json {
  if (shape.merge === 'list-map' && isList(value)) {
    return value.map((item, index) => keep(shape.item, item, `${path}[${index}]`, unknown));
  }
  if (shape.merge !== 'struct' || !isObject(value)) return value;
  const kept: [string, Json][] = [];
  for (const [name, content] of Object.entries(value)) {
    const at = path === '' ? name : `${path}.${name}`;
    const field = Object.hasOwn(shape.fields, name) ? shape.fields[name] : shape.others;
    if (field === undefined) unknown.push(at);
    else kept.push([name, keep(field, content, at, unknown)]);
  }
  return Object.fromEntries(kept);
}
