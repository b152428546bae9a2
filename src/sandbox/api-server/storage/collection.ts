import type { ApiObject } from '../object-fields.ts';

/** One write. `object` of a deletion is the last state with the revision of the deletion. */
export interface Change {
  readonly type: 'ADDED' | 'MODIFIED' | 'DELETED';
  readonly revision: number;
  readonly key: string;
  readonly object: ApiObject;
  readonly previous?: ApiObject;
}

export interface Collection {
  readonly name: string;
  get(key: string): ApiObject | undefined;
  /** Sorted by key, as etcd gives them. With a namespace only what is in it. */
  list(namespace?: string): readonly ApiObject[];
  readonly size: number;
  /** Stores with the next revision as resourceVersion, and tells the listeners, before it returns where no other write is being told. */
  put(key: string, object: ApiObject): ApiObject;
  remove(key: string): ApiObject | undefined;
  /** Changes after a revision, or undefined where some of them are forgotten. */
  since(revision: number): readonly Change[] | undefined;
  oldestRevision(): number;
  forgetHistory(): void;
  subscribe(listener: (change: Change) => void): () => void;
}

interface Counter {
  current(): number;
  next(): number;
}

/** `namespace/name`, or `name` alone. */
export function storageKey(namespace: string | undefined, name: string): string {
  return namespace === undefined || namespace === '' ? name : `${namespace}/${name}`;
}

export function createCollection(name: string, counter: Counter, historyLength: number): Collection {
  const objects = new Map<string, ApiObject>();
  const listeners = new Set<(change: Change) => void>();
  const untold: Change[] = [];
  let history: Change[] = [];
  /** Changes up to this revision are forgotten. */
  // A watch from before the kind was served is told to start anew, as by a real server's cache.
  let floor = counter.current();
  let sortedKeys: readonly string[] | undefined;

  const record = (change: Change): void => {
    history.push(change);
    // Cut in one go now and then: shifting at every write would make each write cost the whole history.
    if (history.length > 2 * historyLength) {
      const dropped = history.length - historyLength;
      floor = history[dropped - 1]?.revision ?? floor;
      history = history.slice(dropped);
    }
    // A listener may write in its turn; all the same every listener hears of the writes in their order.
    untold.push(change);
    if (untold.length > 1) return;
    for (let next = untold[0]; next !== undefined; next = untold[0]) {
      for (const listener of [...listeners]) listener(next);
      untold.shift();
    }
  };

  return {
    name,
    get size() {
      return objects.size;
    },
    get: (key) => objects.get(key),
    list(namespace) {
      sortedKeys ??= [...objects.keys()].sort(byBytes);
      const prefix = namespace === undefined ? '' : `${namespace}/`;
      const found: ApiObject[] = [];
      for (const key of sortedKeys) {
        const object = prefix === '' || key.startsWith(prefix) ? objects.get(key) : undefined;
        if (object !== undefined) found.push(object);
      }
      return found;
    },
    put(key, object) {
      const previous = objects.get(key);
      const revision = counter.next();
      const stored = { ...object, metadata: { ...object.metadata, resourceVersion: String(revision) } };
      objects.set(key, stored);
      if (previous === undefined) sortedKeys = undefined;
      record({
        type: previous === undefined ? 'ADDED' : 'MODIFIED',
        revision,
        key,
        object: stored,
        ...(previous === undefined ? {} : { previous }),
      });
      return stored;
    },
    remove(key) {
      const previous = objects.get(key);
      if (previous === undefined) return undefined;
      objects.delete(key);
      sortedKeys = undefined;
      const revision = counter.next();
      const object = { ...previous, metadata: { ...previous.metadata, resourceVersion: String(revision) } };
      record({ type: 'DELETED', revision, key, object, previous });
      return object;
    },
    since(revision) {
      if (revision < floor) return undefined;
      // Newest last, and most watches ask for little: look from the end.
      let start = history.length;
      while (start > 0 && (history[start - 1]?.revision ?? 0) > revision) start -= 1;
      return history.slice(start);
    },
    oldestRevision: () => floor,
    forgetHistory() {
      history = [];
      floor = counter.current();
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
  };
}

function byBytes(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}
