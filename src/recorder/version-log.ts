import type { KubeObject } from '../kubernetes/resource.ts';
import { keyOf, refOf } from '../kubernetes/resource.ts';
import type { WatchEvent } from '../kubernetes/watch-machine.ts';

export interface VersionLogOptions {
  /** Called once for each version, in order; `deleted` with the last state of an object that is gone. */
  readonly onVersion: (object: KubeObject, deleted: boolean) => void;
  /** Called when versions may have passed unseen. */
  readonly onGap: (detail: string) => void;
}

/**
 * Turns the events of one watch into versions, each exactly once, and notices what the watch cannot have shown: after a
 * re-list, an object that changed meanwhile may have had any number of versions in between.
 */
export class VersionLog {
  readonly #options: VersionLogOptions;
  readonly #known = new Map<string, KubeObject>();
  #arriving: Set<string> | undefined;
  #complete = false;

  constructor(options: VersionLogOptions) {
    this.#options = options;
  }

  /** True once the first list is complete. */
  get complete(): boolean {
    return this.#complete;
  }

  take(event: WatchEvent): void {
    switch (event.type) {
      case 'Init':
        this.#arriving = new Set();
        break;
      case 'InitApply':
        this.#arriving?.add(keyOf(refOf(event.object)));
        this.#apply(event.object, this.#complete ? 're-list' : 'first list');
        break;
      case 'InitDone':
        for (const [key, object] of [...this.#known]) {
          if (this.#arriving?.has(key)) continue;
          this.#delete(key, object);
          if (this.#complete) this.#options.onGap(`${key} went away during a re-list`);
        }
        this.#arriving = undefined;
        this.#complete = true;
        break;
      case 'Apply':
        this.#apply(event.object, 'watch');
        break;
      case 'Delete':
        this.#delete(keyOf(refOf(event.object)), event.object);
        this.#arriving?.delete(keyOf(refOf(event.object)));
        break;
    }
  }

  /** The keys of objects whose newest version differs from a list that was read after the events so far. */
  lagsBehind(listed: readonly KubeObject[]): string[] {
    const present = new Map(listed.map((object) => [keyOf(refOf(object)), object.metadata.resourceVersion]));
    const keys = new Set([...present.keys(), ...this.#known.keys()]);
    return [...keys].filter((key) => this.#known.get(key)?.metadata.resourceVersion !== present.get(key));
  }

  #apply(object: KubeObject, from: 'first list' | 're-list' | 'watch'): void {
    const key = keyOf(refOf(object));
    const { resourceVersion } = object.metadata;
    const before = this.#known.get(key)?.metadata.resourceVersion;
    if (before !== undefined && before === resourceVersion) return;
    if (from === 're-list') {
      this.#options.onGap(`${key} changed during a re-list (version ${before ?? 'none'} to ${resourceVersion})`);
    }
    this.#known.set(key, object);
    this.#options.onVersion(object, false);
  }

  #delete(key: string, object: KubeObject): void {
    if (!this.#known.delete(key)) return;
    this.#options.onVersion(object, true);
  }
}
