import type { ApiObject } from '../object-fields.ts';

/** Where a list that did not fit into one page goes on. */
export interface ContinueToken {
  /** The revision that all pages show. */
  readonly rv: number;
  /** Key of the last object of the page before. */
  readonly start: string;
}

export interface PageKeeper {
  keep(collection: string, revision: number, objects: readonly ApiObject[]): void;
  /** The objects as they were, or undefined where that is forgotten. */
  find(collection: string, revision: number): readonly ApiObject[] | undefined;
  forget(): void;
}

/** Lists in progress at a time. Objects never change once stored, so a snapshot costs one array. */
const SNAPSHOTS_KEPT = 64;

/** Keeps what a list looked like when its first page was read, so that later pages show the same moment. */
export function createPageKeeper(): PageKeeper {
  const snapshots = new Map<string, readonly ApiObject[]>();
  return {
    keep(collection, revision, objects) {
      snapshots.set(`${collection}@${revision}`, objects);
      const [oldest] = snapshots.keys();
      if (snapshots.size > SNAPSHOTS_KEPT && oldest !== undefined) snapshots.delete(oldest);
    },
    find: (collection, revision) => snapshots.get(`${collection}@${revision}`),
    forget: () => snapshots.clear(),
  };
}

export function encodeContinue(token: ContinueToken): string {
  return Buffer.from(JSON.stringify({ v: 'meta.k8s.io/v1', ...token })).toString('base64url');
}

export function decodeContinue(text: string): ContinueToken | undefined {
  try {
    const { rv, start } = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as Partial<ContinueToken>;
    return typeof rv === 'number' && typeof start === 'string' ? { rv, start } : undefined;
  } catch {
    return undefined;
  }
}

/** Why a token is none, in the words of Go's JSON reader. */
export function continueDefect(text: string): string {
  const [first = 0] = Buffer.from(text, 'base64url');
  const control = first < 0x20 || (first >= 0x7f && first < 0xa1);
  const shown = control ? `\\u${first.toString(16).padStart(4, '0')}` : String.fromCodePoint(first);
  return `continue key is not valid: invalid character '${shown}' looking for beginning of value`;
}
