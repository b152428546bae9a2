import type { JsonObject } from '../json.ts';
import type { ApiObject } from '../object-fields.ts';

const API_VERSION = 'meta.k8s.io/v1';

/** An object's metadata alone. */
export function partialMetadata(object: ApiObject): JsonObject {
  return { kind: 'PartialObjectMetadata', apiVersion: API_VERSION, metadata: object.metadata };
}

export function partialMetadataList(objects: readonly ApiObject[], metadata: JsonObject): JsonObject {
  return {
    kind: 'PartialObjectMetadataList',
    apiVersion: API_VERSION,
    metadata,
    items: objects.map(partialMetadata),
  };
}
