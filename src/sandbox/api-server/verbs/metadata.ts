import { randomInt } from 'node:crypto';
import { isObject, type Json, type JsonObject } from '../json.ts';
import { fieldError } from '../kinds/field-errors.ts';
import type { ServedKind } from '../kinds/kind.ts';
import { dnsSubdomainDefect, labelValueDefect, qualifiedNameDefect } from '../kinds/names.ts';
import { type ApiObject, listAt, objectAt, textAt, textsAt } from '../object-fields.ts';
import type { FieldError } from '../status.ts';

/** What a client may set. Everything else in `metadata` is the server's. */
const CLIENT_FIELDS = [
  'name',
  'generateName',
  'namespace',
  'labels',
  'annotations',
  'ownerReferences',
  'finalizers',
  'managedFields',
] as const;
const SERVER_FIELDS = [
  'uid',
  'resourceVersion',
  'generation',
  'creationTimestamp',
  'deletionTimestamp',
  'deletionGracePeriodSeconds',
] as const;
const KNOWN = new Set<string>([...CLIENT_FIELDS, ...SERVER_FIELDS, 'selfLink']);

/** `metadata.colour`: fields that no object's metadata has. */
export function unknownMetadata(metadata: JsonObject): readonly string[] {
  return Object.keys(metadata)
    .filter((name) => !KNOWN.has(name))
    .map((name) => `metadata.${name}`);
}

/** The client's part of `metadata`. Empty and null values are left out, as Go's encoder does. */
export function clientMetadata(metadata: JsonObject): JsonObject {
  const fields = CLIENT_FIELDS.flatMap((name): [string, Json][] => {
    const value = metadata[name];
    return value === undefined || isEmpty(value) ? [] : [[name, value]];
  });
  return Object.fromEntries(fields);
}

/** The server's part, as it stands in a stored object. */
export function serverMetadata(stored: ApiObject): JsonObject {
  const fields = SERVER_FIELDS.flatMap((name): [string, Json][] => {
    const value = stored.metadata[name];
    return value === undefined ? [] : [[name, value]];
  });
  return Object.fromEntries(fields);
}

function isEmpty(value: Json): boolean {
  if (value === null || value === '') return true;
  if (Array.isArray(value)) return value.length === 0;
  return isObject(value) && Object.keys(value).length === 0;
}

const SUFFIX_LETTERS = 'bcdfghjklmnpqrstvwxz2456789';

/** A name that begins so; five letters that spell no word are added. */
export function generatedName(base: string): string {
  const suffix = Array.from({ length: 5 }, () => SUFFIX_LETTERS[randomInt(SUFFIX_LETTERS.length)]).join('');
  return base.slice(0, 58) + suffix;
}

export function metadataErrors(kind: ServedKind, object: JsonObject, previous: ApiObject | undefined): FieldError[] {
  const metadata = objectAt(object, 'metadata');
  const errors: FieldError[] = [];
  const name = textAt(metadata, 'name') ?? '';
  if (previous === undefined) {
    if (name === '') errors.push(fieldError.required('metadata.name', 'name or generateName is required'));
    else {
      const defect = (kind.rules.validateName ?? dnsSubdomainDefect)(name);
      if (defect !== undefined) errors.push(fieldError.invalid('metadata.name', name, defect));
    }
  }
  for (const [key, value] of Object.entries(objectAt(metadata, 'labels'))) {
    const [keyDefect, valueDefect] = [qualifiedNameDefect(key), labelValueDefect(String(value))];
    if (keyDefect !== undefined) errors.push(fieldError.invalid('metadata.labels', key, keyDefect));
    if (valueDefect !== undefined) errors.push(fieldError.invalid('metadata.labels', value, valueDefect));
  }
  for (const key of Object.keys(objectAt(metadata, 'annotations'))) {
    const defect = qualifiedNameDefect(key.toLowerCase());
    if (defect !== undefined) errors.push(fieldError.invalid('metadata.annotations', key, defect));
  }
  return [...errors, ...ownerErrors(metadata), ...finalizerErrors(metadata, previous)];
}

function ownerErrors(metadata: JsonObject): readonly FieldError[] {
  const owners = listAt(metadata, 'ownerReferences');
  const errors = owners.flatMap((owner) =>
    ['apiVersion', 'kind', 'name', 'uid']
      .filter((field) => (textAt(owner, field) ?? '') === '')
      .map((field) => fieldError.invalid(`metadata.ownerReferences.${field}`, '', 'must not be empty')),
  );
  const controllers = owners.filter((owner) => objectAt(owner)['controller'] === true);
  if (controllers.length > 1) {
    errors.push(
      fieldError.invalid('metadata.ownerReferences', owners, 'Only one reference can have Controller set to true'),
    );
  }
  return errors;
}

const NO_FINALIZER = 'name is neither a standard finalizer name nor is it fully qualified';
const STANDARD_FINALIZERS = new Set(['kubernetes', 'orphan', 'foregroundDeletion']);

function finalizerErrors(metadata: JsonObject, previous: ApiObject | undefined): readonly FieldError[] {
  const finalizers = textsAt(metadata, 'finalizers');
  const errors = finalizers.flatMap((one, index) => {
    const defect = qualifiedNameDefect(one);
    const isKnown = one.includes('/') || STANDARD_FINALIZERS.has(one);
    return [
      ...(defect === undefined ? [] : [fieldError.invalid('metadata.finalizers', one, defect)]),
      ...(isKnown ? [] : [fieldError.invalid(`metadata.finalizers[${index}]`, one, NO_FINALIZER)]),
    ];
  });
  if (previous?.metadata.deletionTimestamp === undefined) return errors;
  const before = textsAt(previous.metadata, 'finalizers');
  const added = finalizers.filter((one) => !before.includes(one));
  if (added.length === 0) return errors;
  const list = added.map((one) => `"${one}"`).join(', ');
  const detail = `no new finalizers can be added if the object is being deleted, found new finalizers []string{${list}}`;
  // The real server looks twice, and says so twice.
  const forbidden = fieldError.forbidden('metadata.finalizers', detail);
  return [...errors, forbidden, forbidden];
}
