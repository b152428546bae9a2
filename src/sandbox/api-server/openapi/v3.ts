import { createHash } from 'node:crypto';
import type { JsonObject } from '../json.ts';
import { apiVersionOfKind, type ServedKind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import { schemaOfKind } from './schema-of-kind.ts';

/** `/openapi/v3`: where the document of each group and version is. */
export function openApiV3Index(registry: Registry): JsonObject {
  const places = new Set(registry.all().map(placeOf));
  const hash = createHash('sha256').update(`${registry.generation()}`).digest('hex').toUpperCase();
  const paths = [...places].map((place) => [
    place,
    { serverRelativeURL: `/openapi/v3/${place}?hash=${hash.slice(0, 32)}` },
  ]);
  return { paths: Object.fromEntries(paths) };
}

/** The document of one group and version: schemas and the few operations that kubectl looks at. */
export function openApiV3(registry: Registry, place: string): string | undefined {
  const kinds = registry.all().filter((kind) => placeOf(kind) === place);
  if (kinds.length === 0) return undefined;
  return JSON.stringify({
    openapi: '3.0.0',
    info: { title: 'Kubernetes', version: 'v1.36.3' },
    paths: Object.fromEntries(kinds.flatMap(pathsOf)),
    components: { schemas: Object.fromEntries(kinds.map((kind) => [schemaName(kind), schemaOfKind(kind)])) },
  });
}

function placeOf(kind: ServedKind): string {
  return kind.group === '' ? `api/${kind.version}` : `apis/${kind.group}/${kind.version}`;
}

export function schemaName({ group, version, kind }: ServedKind): string {
  const reversed = group === '' ? 'core' : group.split('.').reverse().join('.');
  return `io.k8s.api.${reversed}.${version}.${kind}`;
}

function pathsOf(kind: ServedKind): readonly (readonly [string, JsonObject])[] {
  const scope = kind.namespaced ? '/namespaces/{namespace}' : '';
  const path = `/${placeOf(kind)}${scope}/${kind.plural}/{name}`;
  const gvk = { group: kind.group, version: kind.version, kind: kind.kind };
  const query = (name: string): JsonObject => ({ name, in: 'query', schema: { type: 'string', uniqueItems: true } });
  const operation = (action: string, names: readonly string[]): JsonObject => ({
    operationId: `${action}${apiVersionOfKind(kind).replace(/\W/g, '')}${kind.kind}`,
    parameters: names.map(query),
    responses: { 200: { description: 'OK' } },
    'x-kubernetes-action': action,
    'x-kubernetes-group-version-kind': gvk,
  });
  const writes = ['dryRun', 'fieldManager', 'fieldValidation'];
  return [
    [
      path,
      {
        get: operation('get', []),
        put: operation('put', writes),
        // kubectl leaves the judgement of fields to a server that has this parameter.
        patch: operation('patch', [...writes, 'force']),
        delete: operation('delete', ['dryRun']),
      },
    ],
  ];
}
