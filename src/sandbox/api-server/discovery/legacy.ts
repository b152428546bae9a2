import { REVIEW_KINDS } from '../access/reviews.ts';
import type { JsonObject } from '../json.ts';
import type { ServedKind } from '../kinds/kind.ts';
import { byPreference, type Registry } from '../kinds/registry.ts';

const RESOURCE_VERBS = ['create', 'delete', 'deletecollection', 'get', 'list', 'patch', 'update', 'watch'];
const CUSTOM_VERBS = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];

/** In the order that a real server has for either sort. */
export function verbsOf({ custom }: ServedKind): readonly string[] {
  return custom ? CUSTOM_VERBS : RESOURCE_VERBS;
}

/** `/api` */
export function apiVersions(server: string): JsonObject {
  return {
    kind: 'APIVersions',
    versions: ['v1'],
    serverAddressByClientCIDRs: [{ clientCIDR: '0.0.0.0/0', serverAddress: server.replace('https://', '') }],
  };
}

/** Every group but the core group, with the versions of the kinds that are only posted. */
export function groupsServed(
  registry: Registry,
): readonly { readonly name: string; readonly versions: readonly string[] }[] {
  const groups = new Map(registry.groups().map(({ name, versions }) => [name, versions] as const));
  for (const { group } of REVIEW_KINDS) if (!groups.has(group)) groups.set(group, ['v1']);
  groups.delete('');
  return [...groups].map(([name, versions]) => ({ name, versions: [...versions].sort(byPreference) }));
}

/** `/apis` */
export function apiGroupList(registry: Registry): JsonObject {
  return { kind: 'APIGroupList', apiVersion: 'v1', groups: groupsServed(registry).map(apiGroup) };
}

/** `/apis/GROUP`; undefined for a group that is not served. */
export function apiGroupOf(registry: Registry, name: string): JsonObject | undefined {
  const group = groupsServed(registry).find((one) => one.name === name);
  return group === undefined ? undefined : { kind: 'APIGroup', apiVersion: 'v1', ...apiGroup(group) };
}

function apiGroup({ name, versions }: { readonly name: string; readonly versions: readonly string[] }): JsonObject {
  const entries = versions.map((version) => ({ groupVersion: `${name}/${version}`, version }));
  return { name, versions: entries, preferredVersion: entries[0] ?? {} };
}

/** `/api/v1`, `/apis/GROUP/VERSION`; undefined where nothing is served. */
export function apiResourceList(registry: Registry, group: string, version: string): JsonObject | undefined {
  const kinds = registry
    .all()
    .filter((kind) => kind.group === group && kind.version === version)
    .sort((a, b) => (a.plural < b.plural ? -1 : 1));
  const reviews = version === 'v1' ? REVIEW_KINDS.filter((one) => one.group === group) : [];
  if (kinds.length + reviews.length === 0) return undefined;
  return {
    kind: 'APIResourceList',
    apiVersion: 'v1',
    groupVersion: group === '' ? version : `${group}/${version}`,
    resources: [
      ...kinds.flatMap(resourcesOf),
      ...reviews.map(({ plural, kind, namespaced }) => ({
        name: plural,
        singularName: kind.toLowerCase(),
        namespaced: namespaced === true,
        kind,
        verbs: ['create'],
      })),
    ],
  };
}

function resourcesOf(kind: ServedKind): readonly JsonObject[] {
  const { plural, singular, namespaced, shortNames, categories } = kind;
  return [
    {
      name: plural,
      singularName: singular,
      namespaced,
      kind: kind.kind,
      verbs: verbsOf(kind),
      ...(shortNames.length === 0 ? {} : { shortNames }),
      ...(categories.length === 0 ? {} : { categories }),
      storageVersionHash: Buffer.from(`${kind.collection}/${kind.version}`).toString('base64').slice(0, 11).concat('='),
    },
    ...kind.subresources.map((sub) => ({
      name: `${plural}/${sub.name}`,
      singularName: '',
      namespaced,
      kind: sub.kind?.kind ?? kind.kind,
      ...(sub.kind === undefined ? {} : { group: sub.kind.group, version: sub.kind.version }),
      verbs: sub.verbs,
    })),
  ];
}
