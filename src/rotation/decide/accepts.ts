import type { Digest, KeyId, Root } from './values.ts';

/**
 * Does a bundle accept what this key signed, now and for a while? Membership of the key decides, not of the certificate:
 * a renewed root vouches for the leaves of the earlier one (B13), a re-keyed one does not.
 */
export function accepts(bundle: readonly Root[], signer: KeyId | null, nowMs: number, marginMs = 0): boolean {
  return signer !== null && bundle.some((root) => root.keyId === signer && root.notAfterMs > nowMs + marginMs);
}

/** The same for a bundle that is recorded by digest. A digest that no known root has is no help, so it counts for nothing. */
export function acceptsByDigest(
  bundle: readonly Digest[],
  known: readonly Root[],
  signer: KeyId | null,
  nowMs: number,
  marginMs = 0,
): boolean {
  const held = known.filter((root) => bundle.includes(root.digest));
  return accepts(held, signer, nowMs, marginMs);
}
