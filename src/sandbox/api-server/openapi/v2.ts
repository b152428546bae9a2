import type { Registry } from '../kinds/registry.ts';
import { schemaOfKind } from './schema-of-kind.ts';
import { schemaName } from './v3.ts';

/** `/openapi/v2`: the definitions alone, for older clients. */
export function openApiV2(registry: Registry): string {
  return JSON.stringify({
    swagger: '2.0',
    info: { title: 'Kubernetes', version: 'v1.36.3' },
    paths: {},
    definitions: Object.fromEntries(registry.all().map((kind) => [schemaName(kind), schemaOfKind(kind)])),
  });
}
