import type { Root } from '../decide/values.ts';

/** A `caBundle` that some API server of the runtime may be using. */
interface PossibleCaBundle {
  /** `null`: written before this process looked, or by somebody else. */
  readonly caBundle: readonly Root[] | null;
  /** When this process first read or wrote it, on its monotonic clock. */
  readonly sinceMs: number;
}

/**
 * What the API servers of one runtime may be using as `caBundle` (S3). Nothing reports what they use, so a value replaces
 * the ones before it only after the propagation delay, counted by this process from its own reading (S6).
 */
export interface CaBundleJournal {
  /** resourceVersion of the newest value noted. */
  readonly version: string;
  /** Oldest first. */
  readonly possible: readonly PossibleCaBundle[];
}

/** @param ours the version is the answer to this process's own write on top of the newest version it knew */
export function noteCaBundle(
  journal: CaBundleJournal | undefined,
  version: string,
  caBundle: readonly Root[],
  ours: boolean,
  nowMs: number,
): CaBundleJournal {
  if (journal?.version === version) return journal;
  const newest = { caBundle, sinceMs: nowMs };
  if (journal === undefined || !ours) return { version, possible: [{ caBundle: null, sinceMs: nowMs }, newest] };
  const same = sameRoots(journal.possible.at(-1)?.caBundle ?? null, caBundle);
  return { version, possible: same ? journal.possible : [...journal.possible, newest] };
}

/** Without what no API server can be using any more: all that is older than a value known for the propagation delay. */
export function trimCaBundles(journal: CaBundleJournal, nowMs: number, propagationDelayMs: number): CaBundleJournal {
  const settled = journal.possible.findLastIndex((at, index) => index > 0 && nowMs >= at.sinceMs + propagationDelayMs);
  return settled <= 0 ? journal : { ...journal, possible: journal.possible.slice(settled) };
}

/** Until the next older value can be dropped; `null` when one value is left. */
export function nextTrimMs(journal: CaBundleJournal, nowMs: number, propagationDelayMs: number): number | null {
  const next = journal.possible[1];
  return next === undefined ? null : Math.max(1, next.sinceMs + propagationDelayMs - nowMs);
}

function sameRoots(a: readonly Root[] | null, b: readonly Root[]): boolean {
  return a !== null && a.length === b.length && a.every((root, index) => root.digest === b[index]?.digest);
}
