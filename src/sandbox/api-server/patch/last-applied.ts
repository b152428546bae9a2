import { marshalled } from '../go-text.ts';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { objectAt, textAt, without } from '../object-fields.ts';
import { compareFields } from './compare-fields.ts';
import { difference, type FieldSet, NOTHING } from './field-set.ts';
import { fieldsOf } from './fields-of.ts';
import type { Shape } from './shape.ts';

/**
 * What the server does for the field manager `kubectl` alone, so that who goes over from `kubectl apply` to
 * `kubectl apply --server-side`, or back, is in nobody's way but his own.
 *
 * @module
 */
const NOTE = 'kubectl.kubernetes.io/last-applied-configuration';

/** Where the live object is as `kubectl apply` last wrote it, by its note on the object: that is taken without force. */
export function keptSinceNoted(shape: Shape, live: JsonObject, apiVersion: string): FieldSet {
  const noted = parsed(noteOf(live));
  if (noted === undefined || noted['apiVersion'] !== apiVersion) return NOTHING;
  const { added, modified, removed } = compareFields(shape, noted, live);
  return [modified, added, removed].reduce(difference, fieldsOf(shape, noted));
}

/** With the note brought up to date, where there is one. */
export function withNote(object: JsonObject, config: JsonObject): JsonObject {
  if (noteOf(object) === '') return object;
  const annotations = {
    ...objectAt(object, 'metadata', 'annotations'),
    [NOTE]: `${marshalled(withoutNote(config))}\n`,
  };
  return { ...object, metadata: { ...objectAt(object, 'metadata'), annotations } };
}

function noteOf(object: JsonObject): string {
  return textAt(object, 'metadata', 'annotations', NOTE) ?? '';
}

function withoutNote(config: JsonObject): JsonObject {
  const metadata = objectAt(config, 'metadata');
  if (metadata['annotations'] === undefined) return config;
  const annotations = without(objectAt(metadata, 'annotations'), NOTE);
  return { ...config, metadata: { ...metadata, annotations } };
}

function parsed(text: string): JsonObject | undefined {
  try {
    const value = JSON.parse(text) as Json;
    return isObject(value) ? value : undefined;
  } catch {
    return undefined;
  }
}
