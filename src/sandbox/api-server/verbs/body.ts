import { parseObject } from '../http/read-request.ts';
import { isObject, type JsonObject } from '../json.ts';
import { fieldError } from '../kinds/field-errors.ts';
import { apiVersionOfKind, type ServedKind } from '../kinds/kind.ts';
import { objectAt, textAt } from '../object-fields.ts';
import { badRequest, invalidOptions } from '../status.ts';
import { optionsKind, type ResourceCall } from './call.ts';
import { unknownMetadata } from './metadata.ts';

/** The object of a create or replace, checked against the request's path. @throws {StatusError} 400, 415 */
export function objectOfBody(call: ResourceCall): JsonObject {
  const { kind, info } = call;
  const object = withType(kind, typedBody(kind, parseObject(call.body, call.contentType, kind.kind, kind.custom)));
  const metadata = objectAt(object, 'metadata');
  const namespace = textAt(metadata, 'namespace') ?? '';
  if (!kind.namespaced) {
    if (namespace !== '') throw badRequest('namespace is not allowed on this type');
    return { ...object, metadata };
  }
  const expected = info.namespace ?? '';
  if (expected === '') throw badRequest('an empty namespace may not be set during creation');
  if (namespace !== '' && namespace !== expected) {
    throw badRequest('the namespace of the provided object does not match the namespace sent on the request');
  }
  return { ...object, metadata: { ...metadata, namespace: expected } };
}

/** @throws {StatusError} 400 for an object of another kind or version */
export function withType(kind: ServedKind, object: JsonObject): JsonObject {
  const expected = apiVersionOfKind(kind);
  const apiVersion = textAt(object, 'apiVersion') ?? '';
  const type = textAt(object, 'kind') ?? '';
  if (apiVersion !== '' && apiVersion !== expected) {
    if (kind.custom) {
      throw badRequest(
        `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
      );
    }
    throw badRequest(
      `${handledAs(kind, versionOf(apiVersion))}: no kind "${type || kind.kind}" is registered for version "${apiVersion}" in scheme`,
    );
  }
  if (type !== '' && type !== kind.kind) {
    const from = `${kind.version}.${type}`;
    const internal = kind.group === '' ? 'core' : (kind.group.split('.', 1)[0] ?? '');
    throw badRequest(
      `${type} in version "${kind.version}" cannot be handled as a ${kind.kind}: converting (${from}) to (${internal}.${kind.kind}): unknown conversion`,
    );
  }
  if (!isObject(object['metadata'] ?? {})) throw badRequest('metadata must be an object');
  return { ...object, apiVersion: expected, kind: kind.kind };
}

const VALIDATION_MODES = ['Ignore', 'Strict', 'Warn'];

/** Custom objects must say what they are; of built-in ones the path says enough. */
function typedBody(kind: ServedKind, object: JsonObject): JsonObject {
  const missing = kind.custom
    ? ['kind', 'apiVersion'].find((field) => (textAt(object, field) ?? '') === '')
    : undefined;
  if (missing === undefined) return object;
  const name = missing === 'kind' ? 'Kind' : missing;
  throw badRequest(`the object provided is unrecognized (must be of type ${kind.kind}): Object '${name}' is missing`);
}

function handledAs(kind: ServedKind, version: string): string {
  return `${kind.kind} in version "${version}" cannot be handled as a ${kind.kind}`;
}

function versionOf(apiVersion: string): string {
  return apiVersion.slice(apiVersion.indexOf('/') + 1);
}

/** What the kind makes of an object, and warnings about fields that it does not have. */
export interface ReadBody {
  readonly object: JsonObject;
  readonly warnings: readonly string[];
}

/** Drops unknown fields and fills in defaults. @throws {StatusError} 400 where the client wants unknown fields refused */
export function readByKind(call: ResourceCall, object: JsonObject): ReadBody {
  const { object: read, unknownPaths } = call.kind.rules.read(object);
  const unknown = [...unknownMetadata(objectAt(object, 'metadata')), ...unknownPaths];
  // Pruning is about what is stored; these two stand there whatever a schema says.
  const typed = { ...read, apiVersion: object['apiVersion'] ?? '', kind: object['kind'] ?? '' };
  const told = [...new Set(unknown)].map((path) => `unknown field "${path}"`);
  const mode = call.query.get('fieldValidation') || 'Warn';
  if (!VALIDATION_MODES.includes(mode)) {
    const error = fieldError.notSupported('fieldValidation', mode, ['', ...VALIDATION_MODES]);
    throw invalidOptions(optionsKind(call), [error]);
  }
  if (mode === 'Strict' && told.length > 0) {
    const { kind } = call;
    throw badRequest(`${handledAs(kind, kind.version)}: strict decoding error: ${told.join(', ')}`);
  }
  return { object: typed, warnings: mode === 'Warn' ? told : [] };
}
