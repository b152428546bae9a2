import type { ServedKind } from './kind.ts';

/** All resources that one cluster serves, looked up at each request: CRDs come and go while it runs. */
export interface Registry {
  find(group: string, version: string, plural: string): ServedKind | undefined;
  /** By `apiVersion` and `kind` of an object. */
  findKind(apiVersion: string, kind: string): ServedKind | undefined;
  /** Any version of the resource that is stored there. */
  findCollection(collection: string): ServedKind | undefined;
  /** Groups with their versions, the preferred one first. The core group is ''. */
  groups(): readonly ServedGroup[];
  all(): readonly ServedKind[];
  /** Replaces what one CRD serves. */
  setCustom(crdName: string, kinds: readonly ServedKind[]): void;
  removeCustom(crdName: string): void;
  /** Counts changes, so that what is computed from the registry can be kept. */
  generation(): number;
}

export interface ServedGroup {
  readonly name: string;
  readonly versions: readonly string[];
}

export function createRegistry(builtIn: readonly ServedKind[]): Registry {
  const custom = new Map<string, readonly ServedKind[]>();
  let generation = 0;
  let byPlace = new Map<string, ServedKind>();
  let kinds: readonly ServedKind[] = [];

  const rebuild = (): void => {
    generation += 1;
    kinds = [...builtIn, ...[...custom.values()].flat()];
    byPlace = new Map(kinds.map((kind) => [`${kind.group}/${kind.version}/${kind.plural}`, kind]));
  };
  rebuild();

  return {
    find: (group, version, plural) => byPlace.get(`${group}/${version}/${plural}`),
    findKind: (apiVersion, name) => {
      const slash = apiVersion.indexOf('/');
      const group = slash < 0 ? '' : apiVersion.slice(0, slash);
      const version = apiVersion.slice(slash + 1);
      return kinds.find((kind) => kind.kind === name && kind.group === group && kind.version === version);
    },
    findCollection: (collection) => kinds.find((kind) => kind.collection === collection),
    groups() {
      const versions = new Map<string, Set<string>>();
      for (const { group, version } of kinds) {
        const known = versions.get(group) ?? new Set();
        versions.set(group, known.add(version));
      }
      return [...versions].map(([name, known]) => ({ name, versions: [...known].sort(byPreference) }));
    },
    all: () => kinds,
    setCustom(crdName, served) {
      custom.set(crdName, served);
      rebuild();
    },
    removeCustom(crdName) {
      if (custom.delete(crdName)) rebuild();
    },
    generation: () => generation,
  };
}

/** Kubernetes' order of versions: v2, v1, v1beta2, v1beta1, v1alpha1, then all others by name. */
export function byPreference(a: string, b: string): number {
  const [x, y] = [rank(a), rank(b)];
  if (x === undefined || y === undefined) {
    if (x === undefined && y === undefined) return a < b ? -1 : a > b ? 1 : 0;
    return x === undefined ? 1 : -1;
  }
  return y.stage - x.stage || y.major - x.major || y.minor - x.minor;
}

function rank(version: string) {
  const match = /^v(\d+)(?:(alpha|beta)(\d+))?$/.exec(version);
  if (match === null) return undefined;
  const stage = match[2] === undefined ? 2 : match[2] === 'beta' ? 1 : 0;
  return { stage, major: Number(match[1]), minor: Number(match[3] ?? 0) };
}
