import type { Cluster } from '../cluster.ts';
import type { ServedKind } from '../kinds/kind.ts';
import { type ApiObject, listAt, objectAt, textAt, textsAt } from '../object-fields.ts';
import { storageKey } from '../storage/collection.ts';
import type { Change, Collection } from '../storage/storage.ts';
import { CRD_CLEANUP, markDeleted } from '../verbs/remove.ts';

/** As on a whole cluster, what is to be cleared up can be seen before it is. */
const COLLECT_AFTER_MS = 1_000;

/**
 * Clears up after deletions, as controllers do on a whole cluster: the objects of a deleted CRD at the next turn of the
 * event loop, what belonged to a deleted owner or stood in a deleted namespace a second later.
 */
export function collectGarbage(cluster: Cluster): void {
  const seen = new Set<Collection>();
  const uids = new Set<string>();
  /** Uids that any object has named as its owner. */
  const owners = new Set<string>();
  const clearSoon = onceAtATime(
    (run) => void setImmediate(run),
    () => {
      if (cluster.signal.aborted) return;
      clearNamespaces(cluster);
      clearCrds(cluster);
    },
  );
  const collectLater = onceAtATime(
    (run) => void cluster.clock.setTimer(COLLECT_AFTER_MS, run),
    () => {
      if (cluster.signal.aborted) return;
      collect(cluster, uids);
      clearNamespaces(cluster);
    },
  );
  // Most deletions concern nobody else, and a pass reads everything.
  const concerns = ({ type, object }: Change): boolean => {
    const { uid, deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined) return true;
    return type === 'DELETED' ? owners.has(uid) : isOrphaned(object, uids);
  };
  const follow = (change: Change): void => {
    const { type, object } = change;
    if (type === 'DELETED') uids.delete(object.metadata.uid);
    else uids.add(object.metadata.uid);
    for (const owner of listAt(object.metadata, 'ownerReferences')) owners.add(textAt(owner, 'uid') ?? '');
    if (!concerns(change)) return;
    clearSoon();
    collectLater();
  };
  const followNew = (): void => {
    for (const collection of cluster.storage.collections()) {
      if (seen.has(collection)) continue;
      seen.add(collection);
      collection.subscribe(follow);
    }
  };
  followNew();
  cluster.storage.onCollection(followNew);
}

function collect(cluster: Cluster, uids: ReadonlySet<string>): void {
  const { storage, registry } = cluster;
  for (const collection of storage.collections()) {
    const kind = registry.findCollection(collection.name);
    if (kind === undefined) continue;
    for (const object of collection.list()) {
      if (isOrphaned(object, uids)) markDeleted(cluster, kind, object);
      else if (object.metadata.deletionTimestamp !== undefined) releasePropagation(cluster, kind, object);
    }
  }
}

/** Many calls until it runs are one run. */
function onceAtATime(later: (run: () => void) => void, action: () => void): () => void {
  let waiting = false;
  return () => {
    if (waiting) return;
    waiting = true;
    later(() => {
      waiting = false;
      action();
    });
  };
}

function isOrphaned(object: ApiObject, uids: ReadonlySet<string>): boolean {
  const owners = listAt(object.metadata, 'ownerReferences');
  return owners.length > 0 && owners.every((owner) => !uids.has(textAt(owner, 'uid') ?? ''));
}

/** `orphan` and `foregroundDeletion` are the collector's own finalizers: it does what they ask for, and takes them off. */
function releasePropagation(cluster: Cluster, kind: ServedKind, owner: ApiObject): void {
  const finalizers = textsAt(owner.metadata, 'finalizers');
  const orphans = finalizers.includes('orphan');
  const foreground = finalizers.includes('foregroundDeletion');
  if (!orphans && !foreground) return;
  let waits = false;
  for (const collection of cluster.storage.collections()) {
    const dependentKind = cluster.registry.findCollection(collection.name);
    if (dependentKind === undefined) continue;
    for (const dependent of collection.list()) {
      const owners = listAt(dependent.metadata, 'ownerReferences');
      if (!owners.some((one) => textAt(one, 'uid') === owner.metadata.uid)) continue;
      if (orphans) {
        const ownerReferences = owners.filter((one) => textAt(one, 'uid') !== owner.metadata.uid);
        const { namespace, name } = dependent.metadata;
        collection.put(storageKey(namespace, name), {
          ...dependent,
          metadata: { ...dependent.metadata, ownerReferences },
        });
      } else if (markDeleted(cluster, dependentKind, dependent) !== undefined) waits = true;
    }
  }
  if (waits) return;
  const rest = finalizers.filter((one) => one !== 'orphan' && one !== 'foregroundDeletion');
  release(cluster, kind, owner, rest);
}

function clearNamespaces(cluster: Cluster): void {
  const namespaces = cluster.storage.collection('namespaces');
  const kind = cluster.registry.findCollection('namespaces');
  for (const namespace of namespaces.list()) {
    if (kind === undefined || namespace.metadata.deletionTimestamp === undefined) continue;
    const { name } = namespace.metadata;
    let held = 0;
    for (const collection of cluster.storage.collections()) {
      const inside = cluster.registry.findCollection(collection.name);
      if (inside?.namespaced !== true) continue;
      for (const object of collection.list(name)) if (markDeleted(cluster, inside, object) !== undefined) held += 1;
    }
    if (held > 0) continue;
    const rest = textsAt(namespace, 'spec', 'finalizers').filter((one) => one !== 'kubernetes');
    const spec = rest.length === 0 ? {} : { finalizers: rest };
    const now = namespaces.get(name);
    if (now !== undefined) release(cluster, kind, { ...now, spec }, textsAt(now.metadata, 'finalizers'));
  }
}

function clearCrds(cluster: Cluster): void {
  const name = 'customresourcedefinitions.apiextensions.k8s.io';
  const crdKind = cluster.registry.findCollection(name);
  for (const crd of cluster.storage.collection(name).list()) {
    if (crdKind === undefined || crd.metadata.deletionTimestamp === undefined) continue;
    const plural = textAt(crd, 'spec', 'names', 'plural') ?? '';
    const collection = cluster.storage.collection(`${plural}.${textAt(crd, 'spec', 'group') ?? ''}`);
    const kind = cluster.registry.findCollection(collection.name);
    let held = 0;
    for (const object of collection.list()) {
      if (kind === undefined || markDeleted(cluster, kind, object) !== undefined) held += 1;
    }
    const finalizers = textsAt(crd.metadata, 'finalizers');
    if (held > 0 || !finalizers.includes(CRD_CLEANUP)) continue;
    release(
      cluster,
      crdKind,
      crd,
      finalizers.filter((one) => one !== CRD_CLEANUP),
    );
  }
}

/** Stores an object that is being deleted with fewer finalizers; without any it goes. */
function release(cluster: Cluster, kind: ServedKind, object: ApiObject, finalizers: readonly string[]): void {
  const collection = cluster.storage.collection(kind.collection);
  const key = storageKey(object.metadata.namespace, object.metadata.name);
  const current = collection.get(key);
  if (current === undefined) return;
  const { finalizers: before, ...rest } = objectAt(object, 'metadata');
  const unchanged = textsAt({ before: before ?? [] }, 'before').length === finalizers.length;
  if (!unchanged || object !== current) {
    const metadata = finalizers.length === 0 ? rest : { ...rest, finalizers };
    collection.put(key, { ...object, metadata } as ApiObject);
  }
  const held =
    finalizers.length > 0 || (kind.collection === 'namespaces' && textsAt(object, 'spec', 'finalizers').length > 0);
  if (!held) collection.remove(key);
}
