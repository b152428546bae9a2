import { accepts } from './accepts.ts';
import type { GatewaySecret, KeyId, Leaf } from './values.ts';

export interface StaySituation {
  readonly gateway: GatewaySecret;
  readonly revoked: readonly KeyId[];
  readonly nowMs: number;
  /** A leaf is replaced when less than this is left of it or its signer. */
  readonly renewBeforeMs: number;
}

/**
 * May a leaf of an older root stay for now? Asked where the current root is tainted: another leaf of that one gains nothing, so
 * none is issued before the one in place is about to fail.
 */
export function mayStay(leaf: Leaf, { gateway, revoked, nowMs, renewBeforeMs }: StaySituation): boolean {
  const staying = gateway.bundle.filter(
    ({ digest, keyId }) => !gateway.closing.includes(digest) && !revoked.includes(keyId),
  );
  return leaf.notAfterMs > nowMs + renewBeforeMs && accepts(staying, leaf.signer, nowMs, renewBeforeMs);
}
