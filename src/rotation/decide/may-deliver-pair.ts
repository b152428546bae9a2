import { accepts } from './accepts.ts';
import type { GatewaySecret, HeldClient, KeyId, Leaf, Root, TrustedRoot } from './values.ts';

/** The pair that the issuer put into the hub. */
export interface HubPair extends Leaf {
  readonly keyMatches: boolean;
}

/** Why a pair does not go out yet, in the words of the catalogue. Named after the violation. */
export type PairObstacle =
  | 'PairKeyDoesNotMatch'
  | 'PairNotYetValid'
  | 'PairNearsItsEnd'
  | 'PairSignerNotInBundle'
  | 'PairSignerNotProven'
  | 'PairSignerClosing'
  | 'WebhookMayNotTrustSigner';

export interface PairSituation {
  readonly pair: HubPair;
  readonly gateway: GatewaySecret;
  /** From the status of the trust domain, read live. */
  readonly trusted: readonly TrustedRoot[];
  /** Signers of pairs that the runtime may be using now; the API servers trust them already. */
  readonly heldSigners: readonly (KeyId | null)[];
  /** Every `caBundle` that the runtime's API servers may be using, `null` where that is not known; empty without a webhook. */
  readonly caBundles: readonly (readonly Root[] | null)[];
  readonly nowMs: number;
  readonly skewMarginMs: number;
}

/**
 * May this pair go to its runtime (design 3.4)? It does not matter who had it issued: issuers renew when and with what they
 * like, so this gate alone keeps S1 and S3.
 */
export function pairObstacles(at: PairSituation): readonly PairObstacle[] {
  const { pair, gateway, nowMs, skewMarginMs } = at;
  const obstacles: PairObstacle[] = [];
  if (!pair.keyMatches) obstacles.push('PairKeyDoesNotMatch');
  if (pair.notBeforeMs + skewMarginMs > nowMs) obstacles.push('PairNotYetValid');
  if (pair.notAfterMs - skewMarginMs <= nowMs) obstacles.push('PairNearsItsEnd');
  const signers = gateway.bundle.filter(
    (root) => root.keyId === pair.signer && accepts([root], pair.signer, nowMs, skewMarginMs),
  );
  const proven = (root: Root): boolean =>
    at.trusted.some(({ digest, added }) => digest === root.digest && added === gateway.added[root.digest]);
  if (signers.length === 0) obstacles.push('PairSignerNotInBundle');
  else if (!signers.some(proven)) obstacles.push('PairSignerNotProven');
  if (signers.some((root) => gateway.closing.includes(root.digest))) obstacles.push('PairSignerClosing');
  const known = at.heldSigners.includes(pair.signer);
  const trustedByApiServers = at.caBundles.every(
    (bundle) => bundle !== null && accepts(bundle, pair.signer, nowMs, skewMarginMs),
  );
  if (!known && !trustedByApiServers) obstacles.push('WebhookMayNotTrustSigner');
  return obstacles;
}

/** The pair as a runtime's record keeps it. */
export function asHeld(pair: Leaf): HeldClient {
  return { digest: pair.digest, signer: pair.signer, notAfterMs: pair.notAfterMs };
}
