import { parseGoDuration } from '../cel/go-duration.ts';
import { parseTimestamp } from '../cel/timestamp-text.ts';
import { CelList, CelMap, type CelValue, Duration, Timestamp } from '../cel/value.ts';
import { isList, isObject, type Json } from '../json.ts';
import type { StructuralSchema } from './structural-schema.ts';

/** A value as rules see it: what the schema does not name, a rule cannot see either. */
export function celValue(schema: StructuralSchema, value: Json, root = false): CelValue {
  if (value === null || typeof value === 'boolean') return value;
  if (typeof value === 'number') {
    return schema.type === 'number' || !Number.isInteger(value) ? value : BigInt(value);
  }
  if (typeof value === 'string') return textValue(schema, value);
  if (isList(value)) {
    const listType = schema['x-kubernetes-list-type'];
    const { items } = schema;
    return new CelList(
      items === undefined ? [] : value.map((item) => celValue(items, item)),
      listType !== 'set' && listType !== 'map',
    );
  }
  return isObject(value) ? objectValue(schema, value, root) : null;
}

function textValue(schema: StructuralSchema, text: string): CelValue {
  if (schema['x-kubernetes-int-or-string'] === true) return text;
  if (schema.format === 'duration') {
    const nanos = parseGoDuration(text);
    return nanos === undefined ? text : new Duration(nanos);
  }
  if (schema.format === 'date-time' || schema.format === 'date') {
    const nanos = parseTimestamp(schema.format === 'date' ? `${text}T00:00:00Z` : text);
    return nanos === undefined ? text : new Timestamp(nanos);
  }
  return schema.format === 'byte' ? new Uint8Array(Buffer.from(text, 'base64')) : text;
}

function objectValue(schema: StructuralSchema, value: { readonly [name: string]: Json }, root: boolean): CelMap {
  const { properties, additionalProperties } = schema;
  const fields = Object.entries(value).flatMap(([name, child]): (readonly [CelValue, CelValue])[] => {
    const own = properties !== undefined && Object.hasOwn(properties, name) ? properties[name] : undefined;
    if ((root || schema['x-kubernetes-embedded-resource'] === true) && name in META) {
      return [[name, celValue(META[name] ?? {}, child)]];
    }
    if (own !== undefined) return [[escaped(name), celValue(own, child)]];
    // The keys of a map are data, and are not escaped.
    return typeof additionalProperties === 'object' ? [[name, celValue(additionalProperties, child)]] : [];
  });
  return new CelMap(fields);
}

const TEXT: StructuralSchema = { type: 'string' };

/** Of an object's metadata, rules see the name only. */
const META: Readonly<Record<string, StructuralSchema>> = {
  apiVersion: TEXT,
  kind: TEXT,
  metadata: { type: 'object', properties: { name: TEXT, generateName: TEXT } },
};

const RESERVED = new Set(
  'true false null in as break const continue else for function if import let loop package namespace return var void while'.split(
    ' ',
  ),
);

/** A field's name as a rule has to write it. */
function escaped(name: string): string {
  if (RESERVED.has(name)) return `__${name}__`;
  return name
    .replaceAll('__', '__underscores__')
    .replaceAll('.', '__dot__')
    .replaceAll('-', '__dash__')
    .replaceAll('/', '__slash__');
}
