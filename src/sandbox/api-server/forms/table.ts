import type { JsonObject } from '../json.ts';
import type { ServedKind } from '../kinds/kind.ts';
import type { ApiObject } from '../object-fields.ts';
import { partialMetadata } from './partial-metadata.ts';

/** What stands in each row's `object`: `includeObject` of the query. */
export type IncludeObject = 'None' | 'Metadata' | 'Object';

export function includeObject(query: URLSearchParams): IncludeObject {
  const value = query.get('includeObject');
  return value === 'None' || value === 'Object' ? value : 'Metadata';
}

/** Objects as rows, for `kubectl get`. */
export function table(
  kind: ServedKind,
  objects: readonly ApiObject[],
  metadata: JsonObject,
  options: { readonly include: IncludeObject; readonly nowMs: number; readonly withoutColumns?: boolean },
): JsonObject {
  return {
    kind: 'Table',
    apiVersion: 'meta.k8s.io/v1',
    metadata,
    // A watch names them in its first event only.
    columnDefinitions:
      options.withoutColumns === true
        ? []
        : kind.columns.map(({ name, type, format = '', description = '', priority = 0 }) => ({
            name,
            type,
            format,
            description,
            priority,
          })),
    rows: objects.map((object) => ({
      cells: kind.columns.map(({ cell }) => cell(object, options.nowMs)),
      object: options.include === 'None' ? null : options.include === 'Object' ? object : partialMetadata(object),
    })),
  };
}
