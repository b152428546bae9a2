import { onAbort } from './on-abort.ts';
import { type KubeObject, keyOf, type ObjectRef, refOf } from './resource.ts';
import type { WatchEvent } from './watch-machine.ts';

export interface StoreChange<T extends KubeObject> {
  readonly kind: 'added' | 'changed' | 'removed';
  /** `namespace/name`. */
  readonly key: string;
  /** The object as it is now; of a removed one, as it was last seen. */
  readonly object: T;
  readonly previous?: T;
  /** Found by reading everything, not by an event: urgent only where it is rare. */
  readonly initial: boolean;
}

/** What is known of the objects of one watch. Objects are shared, not copied: do not change them. */
export interface StoreReader<T extends KubeObject> {
  /** Whether everything has been read once. Before that "not here" means nothing (B48). */
  readonly synced: boolean;
  readonly size: number;
  whenSynced(signal: AbortSignal): Promise<void>;
  get(ref: ObjectRef): T | undefined;
  byKey(key: string): T | undefined;
  list(namespace?: string): readonly T[];
  /** Objects whose label has this value. The label must be among the store's `labels`. */
  withLabel(label: string, value: string): readonly T[];
  /** Called after the store has changed. Must not throw. @returns a function that ends the subscription */
  subscribe(listener: (change: StoreChange<T>) => void): () => void;
}

export interface Store<T extends KubeObject> {
  readonly reader: StoreReader<T>;
  /** The one writer: the events of a watch. */
  readonly write: (event: WatchEvent<T>) => void;
}

export interface StoreOptions {
  /** Labels that objects are looked up by. */
  readonly labels?: readonly string[];
}

export function createStore<T extends KubeObject>({ labels = [] }: StoreOptions = {}): Store<T> {
  let objects = new Map<string, T>();
  /** What a re-list has brought so far. Readers see the old state until it is complete. */
  let arriving: Map<string, T> | undefined;
  let synced = false;
  const listeners = new Set<(change: StoreChange<T>) => void>();
  const waiting = new Set<() => void>();
  const index = new Map(labels.map((label) => [label, new Map<string, Set<string>>()]));

  const reindex = (key: string, before: T | undefined, after: T | undefined): void => {
    for (const [label, byValue] of index) {
      const from = before?.metadata.labels?.[label];
      const to = after?.metadata.labels?.[label];
      if (from === to) continue;
      if (from !== undefined) {
        const keys = byValue.get(from);
        keys?.delete(key);
        if (keys?.size === 0) byValue.delete(from);
      }
      if (to !== undefined) byValue.set(to, (byValue.get(to) ?? new Set()).add(key));
    }
  };

  const set = (key: string, object: T, initial: boolean): void => {
    const previous = objects.get(key);
    objects.set(key, object);
    reindex(key, previous, object);
    // The same object again, as after a re-list, is no change.
    if (previous?.metadata.resourceVersion === object.metadata.resourceVersion && previous !== undefined) return;
    tell({ kind: previous === undefined ? 'added' : 'changed', key, object, initial, ...(previous && { previous }) });
  };
  const unset = (key: string, initial: boolean): void => {
    const previous = objects.get(key);
    if (previous === undefined) return;
    objects.delete(key);
    reindex(key, previous, undefined);
    tell({ kind: 'removed', key, object: previous, previous, initial });
  };
  const tell = (change: StoreChange<T>): void => {
    for (const listener of listeners) listener(change);
  };

  const swap = (complete: Map<string, T>): void => {
    const before = objects;
    const changes: StoreChange<T>[] = [];
    for (const [key, object] of complete) {
      const previous = before.get(key);
      reindex(key, previous, object);
      if (previous === undefined) changes.push({ kind: 'added', key, object, initial: true });
      else if (previous.metadata.resourceVersion !== object.metadata.resourceVersion) {
        changes.push({ kind: 'changed', key, object, previous, initial: true });
      }
    }
    for (const [key, previous] of before) {
      if (complete.has(key)) continue;
      reindex(key, previous, undefined);
      changes.push({ kind: 'removed', key, object: previous, previous, initial: true });
    }
    objects = complete;
    synced = true;
    for (const change of changes) tell(change);
    for (const resolve of waiting) resolve();
    waiting.clear();
  };

  const write = (event: WatchEvent<T>): void => {
    switch (event.type) {
      case 'Init':
        arriving = new Map();
        return;
      case 'InitApply':
        arriving?.set(keyOf(refOf(event.object)), event.object);
        return;
      case 'InitDone': {
        const complete = arriving ?? new Map<string, T>();
        arriving = undefined;
        swap(complete);
        return;
      }
      case 'Apply':
        set(keyOf(refOf(event.object)), event.object, false);
        return;
      case 'Delete': {
        const key = keyOf(refOf(event.object));
        if (arriving === undefined) unset(key, false);
        else arriving.delete(key);
      }
    }
  };

  const reader: StoreReader<T> = {
    get synced() {
      return synced;
    },
    get size() {
      return objects.size;
    },
    whenSynced: (signal) =>
      new Promise((resolve, reject) => {
        if (synced) {
          resolve();
          return;
        }
        let unlisten = (): void => undefined;
        const done = (): void => {
          unlisten();
          resolve();
        };
        waiting.add(done);
        unlisten = onAbort(signal, () => {
          waiting.delete(done);
          reject(signal.reason);
        });
      }),
    get: (ref) => objects.get(keyOf(ref)),
    byKey: (key) => objects.get(key),
    list(namespace) {
      const all = [...objects.values()];
      return namespace === undefined ? all : all.filter((object) => object.metadata.namespace === namespace);
    },
    withLabel(label, value) {
      const byValue = index.get(label);
      if (byValue === undefined) throw new TypeError(`The store has no index of the label "${label}"`);
      return [...(byValue.get(value) ?? [])].flatMap((key) => objects.get(key) ?? []);
    },
    subscribe(listener) {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
  return { reader, write };
}
