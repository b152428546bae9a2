import { type Collection, createCollection } from './collection.ts';
import { createPageKeeper, type PageKeeper } from './pages.ts';

export type { Change, Collection } from './collection.ts';

/** All objects of one cluster, in memory, under one counter of revisions as etcd has it. */
export interface Storage {
  /** The newest revision. */
  revision(): number;
  /** Objects of one kind, by `secrets` or `trustdomains.keyturn.kyma-project.io`. Made on first use. */
  collection(name: string): Collection;
  collections(): readonly Collection[];
  /** Called after a collection is made. */
  onCollection(listener: () => void): void;
  readonly pages: PageKeeper;
  /** Drops what was there before: the next watch or page that asks for it is answered 410, as after a compaction. */
  forgetHistory(): void;
}

/** Changes kept per kind. A watch that comes back later than this starts anew (410). */
const HISTORY_LENGTH = 2_000;

export function createStorage(historyLength = HISTORY_LENGTH): Storage {
  let revision = 0;
  const collections = new Map<string, Collection>();
  const listeners: (() => void)[] = [];
  const pages = createPageKeeper();
  const counter = {
    current: () => revision,
    next: () => {
      revision += 1;
      return revision;
    },
  };
  return {
    revision: () => revision,
    pages,
    collection(name) {
      const known = collections.get(name);
      if (known !== undefined) return known;
      const made = createCollection(name, counter, historyLength);
      collections.set(name, made);
      for (const listener of listeners) listener();
      return made;
    },
    onCollection: (listener) => void listeners.push(listener),
    collections: () => [...collections.values()],
    forgetHistory: () => {
      pages.forget();
      for (const collection of collections.values()) collection.forgetHistory();
    },
  };
}
