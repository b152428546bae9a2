import { REVIEW_KINDS } from '../access/reviews.ts';
import type { JsonObject } from '../json.ts';
import type { ServedKind } from '../kinds/kind.ts';
import type { Registry } from '../kinds/registry.ts';
import { groupsServed, verbsOf } from './legacy.ts';

/** `/api` and `/apis` in the form that kubectl asks for first: all groups with all resources in one answer. */
export function aggregatedDiscovery(registry: Registry, root: 'api' | 'apis', version: 'v2' | 'v2beta1'): JsonObject {
  const groups = root === 'api' ? [{ name: '', versions: ['v1'] }] : groupsServed(registry);
  return {
    kind: 'APIGroupDiscoveryList',
    apiVersion: `apidiscovery.k8s.io/${version}`,
    metadata: {},
    items: groups.map(({ name, versions }) => ({
      metadata: { ...(name === '' ? {} : { name }), creationTimestamp: null },
      versions: versions.map((served) => ({
        version: served,
        resources: resources(registry, name, served),
        freshness: 'Current',
      })),
    })),
  };
}

function resources(registry: Registry, group: string, version: string): readonly JsonObject[] {
  const stored = registry.all().filter((kind) => kind.group === group && kind.version === version);
  const reviews = version === 'v1' ? REVIEW_KINDS.filter((one) => one.group === group) : [];
  return [
    ...stored.map(resourceOf),
    ...reviews.map(({ plural, kind }) => ({
      resource: plural,
      responseKind: { group, version, kind },
      scope: 'Cluster',
      singularResource: kind.toLowerCase(),
      verbs: ['create'],
    })),
  ];
}

function resourceOf(kind: ServedKind): JsonObject {
  const { group, version, plural, singular, namespaced, shortNames, categories, subresources } = kind;
  return {
    resource: plural,
    responseKind: { group, version, kind: kind.kind },
    scope: namespaced ? 'Namespaced' : 'Cluster',
    singularResource: singular,
    verbs: verbsOf(kind),
    ...(shortNames.length === 0 ? {} : { shortNames }),
    ...(categories.length === 0 ? {} : { categories }),
    ...(subresources.length === 0
      ? {}
      : {
          subresources: subresources.map((sub) => ({
            subresource: sub.name,
            responseKind: sub.kind ?? { group, version, kind: kind.kind },
            verbs: sub.verbs,
          })),
        }),
  };
}
