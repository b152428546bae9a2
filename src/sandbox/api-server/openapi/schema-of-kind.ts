import type { JsonObject } from '../json.ts';
import type { ServedKind } from '../kinds/kind.ts';
import { objectAt } from '../object-fields.ts';

/** A kind's schema as `kubectl explain` and client-side checks read it. Of built-in kinds only the outline is told. */
export function schemaOfKind(kind: ServedKind): JsonObject {
  const known = kind.schema ?? {};
  return {
    type: 'object',
    ...known,
    ...(kind.schema === undefined ? { 'x-kubernetes-preserve-unknown-fields': true } : {}),
    properties: {
      ...objectAt(known, 'properties'),
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object' },
    },
    'x-kubernetes-group-version-kind': [{ group: kind.group, version: kind.version, kind: kind.kind }],
  };
}
