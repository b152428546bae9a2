import type { Digest, Root } from './values.ts';

/**
 * The gateway's bundle with a root that was just admitted: it goes to the front at once (design 3.1). Of two roots with one
 * key the later-expiring stands first, since a verifier takes the first that fits and would judge by its end.
 */
export function withRoot(bundle: readonly Root[], root: Root): readonly Root[] {
  if (bundle.some((other) => other.digest === root.digest)) return bundle;
  const outliving = bundle.findLastIndex((other) => other.keyId === root.keyId && other.notAfterMs > root.notAfterMs);
  const at = outliving + 1;
  return [...bundle.slice(0, at), root, ...bundle.slice(at)];
}

/**
 * Roots that another root of the same key outlives: whatever they vouch for, the other vouches for as well, and longer. Not
 * before its start is past everybody's clock: somebody whose clock is behind would be left with none of the two.
 */
export function outlived(bundle: readonly Root[], nowMs: number, skewMarginMs: number): readonly Digest[] {
  return bundle
    .filter(({ keyId, notAfterMs }) =>
      bundle.some(
        (other) => other.keyId === keyId && other.notAfterMs > notAfterMs && other.notBeforeMs + skewMarginMs <= nowMs,
      ),
    )
    .map((root) => root.digest);
}

/** Roots that no verifier accepts any more. */
export function expired(bundle: readonly Root[], nowMs: number): readonly Digest[] {
  return bundle.filter((root) => root.notAfterMs <= nowMs).map((root) => root.digest);
}

/** The `added` record that belongs to a bundle written on top of a version: known roots keep theirs, new ones get this write's. */
export function addedBy(
  bundle: readonly Root[],
  before: Readonly<Record<Digest, string>>,
  standing: readonly Root[],
  baseVersion: string,
): Readonly<Record<Digest, string>> {
  const stayed = new Set(standing.map((root) => root.digest));
  return Object.fromEntries(
    bundle.map(({ digest }) => [digest, (stayed.has(digest) ? before[digest] : undefined) ?? baseVersion]),
  );
}
