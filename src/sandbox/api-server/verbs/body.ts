import { parseObject } from '../http/read-request.ts';
import { isObject, type JsonObject } from '../json.ts';
import { apiVersionOfKind, type ServedKind } from '../kinds/kind.ts';
import { objectAt, textAt } from '../object-fields.ts';
import { badRequest } from '../status.ts';
import type { ResourceCall } from './call.ts';
import { unknownMetadata } from './metadata.ts';

/** The object of a create or replace, checked against the request's path. @throws {StatusError} 400, 415 */
export function objectOfBody(call: ResourceCall): JsonObject {
  const { kind, info } = call;
  const object = withType(kind, parseObject(call.body, call.contentType));
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
    throw badRequest(
      `the API version in the data (${apiVersion}) does not match the expected API version (${expected})`,
    );
  }
  if (type !== '' && type !== kind.kind) {
    throw badRequest(
      `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: no kind "${type}" is registered for version "${expected}"`,
    );
  }
  if (!isObject(object['metadata'] ?? {})) throw badRequest('metadata must be an object');
  return { ...object, apiVersion: expected, kind: kind.kind };
}

/** What the kind makes of an object, and warnings about fields that it does not have. */
export interface ReadBody {
  readonly object: JsonObject;
  readonly warnings: readonly string[];
}

/** Drops unknown fields and fills in defaults. @throws {StatusError} 400 where the client wants unknown fields refused */
export function readByKind(call: ResourceCall, object: JsonObject): ReadBody {
  const { object: read, unknownPaths } = call.kind.rules.read(object);
  const unknown = [...unknownPaths, ...unknownMetadata(objectAt(object, 'metadata'))];
  // Pruning is about what is stored; these two stand there whatever a schema says.
  const typed = { ...read, apiVersion: object['apiVersion'] ?? '', kind: object['kind'] ?? '' };
  const told = [...new Set(unknown)].map((path) => `unknown field "${path}"`);
  const mode = call.query.get('fieldValidation') || 'Warn';
  if (mode === 'Strict' && told.length > 0) {
    const { kind } = call;
    const what = kind.custom ? '' : `${kind.kind} in version "${kind.version}" cannot be handled as a ${kind.kind}: `;
    throw badRequest(`${what}strict decoding error: ${told.join(', ')}`);
  }
  return { object: typed, warnings: mode === 'Warn' ? told : [] };
}
