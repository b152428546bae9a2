import type { HubPair } from './may-deliver-pair.ts';
import { mayStay } from './may-stay.ts';
import type { Digest, GatewaySecret, KeyId, Root } from './values.ts';

/** The issuer's resource for one runtime and what came of it. */
export interface HubCertificate {
  readonly exists: boolean;
  /** It says what it should: names, duration, issuer. */
  readonly asSpecified: boolean;
  readonly issuing: boolean;
  /** Epoch milliseconds until which the issuer waits after a failure; 0 if it does not. */
  readonly backOffUntilMs: number;
  /** Issuances that failed since the last good one. */
  readonly failures: number;
  /** The root that was current when this process last asked; `null` if it has not. */
  readonly askedFor: Digest | null;
  /** `null` until its Secret holds a readable certificate. */
  readonly pair: HubPair | null;
}

export type IssueStep =
  | { readonly step: 'apply'; readonly reason: 'CertificateMissing' | 'CertificateDiffers' }
  | { readonly step: 'renew'; readonly reason: 'SignedByOlderRoot' | 'NearsItsEnd' | 'KeyDoesNotMatch' }
  | { readonly step: 'wait'; readonly reason: IssueWait }
  | { readonly step: 'none' };

/** What an issuance waits for, in the words of the catalogue. */
export type IssueWait =
  | 'GatewaySecretMissing'
  | 'RootNotAdmitted'
  | 'RootNotBundled'
  | 'Issuing'
  | 'IssuerBackOff'
  | 'WaveNotReached'
  | 'TaintedFirst'
  | 'RootTainted'
  | 'Paused';

export interface IssueSituation {
  readonly certificate: HubCertificate;
  /** `null` while there is no valid one: nobody is asked for a certificate before (first seed, responsibility 1). */
  readonly gateway: GatewaySecret | null;
  /** The current root, once admitted. */
  readonly current: Root | null;
  readonly paused: boolean;
  /** The waves have a place. */
  readonly mayRenew: boolean;
  /** Another one that comes first waits for a place. */
  readonly taintedAhead: boolean;
  readonly comesFirst: boolean;
  readonly tainted: readonly KeyId[];
  readonly revoked: readonly KeyId[];
  readonly nowMs: number;
  readonly renewBeforeMs: number;
}

/** Does the runtime need another client certificate (design 3.3)? Its signer decides, never its age. */
export function issueStep(at: IssueSituation): IssueStep {
  const { certificate, gateway, current, nowMs } = at;
  if (gateway === null) return { step: 'wait', reason: 'GatewaySecretMissing' };
  if (current === null) return { step: 'wait', reason: 'RootNotAdmitted' };
  if (!gateway.bundle.some((root) => root.digest === current.digest)) return { step: 'wait', reason: 'RootNotBundled' };
  if (!certificate.exists) return { step: 'apply', reason: 'CertificateMissing' };
  // Another specification makes the issuer issue again, so it has to wait for its turn as a renewal does; not for an issuance
  // under way, which may be stuck by the very specification that is about to change.
  if (!certificate.asSpecified) {
    if (at.paused) return { step: 'wait', reason: 'Paused' };
    return waitForTurn(at) ?? { step: 'apply', reason: 'CertificateDiffers' };
  }
  if (certificate.issuing) return { step: 'wait', reason: 'Issuing' };
  const need = renewalNeed(certificate.pair, current, nowMs, at.renewBeforeMs);
  if (need === null) return { step: 'none' };
  if (at.paused) return { step: 'wait', reason: 'Paused' };
  if (need === 'SignedByOlderRoot' && gainsNothing(at, gateway, current))
    return { step: 'wait', reason: 'RootTainted' };
  if (certificate.backOffUntilMs > nowMs && isHammering(certificate, current))
    return { step: 'wait', reason: 'IssuerBackOff' };
  return waitForTurn(at) ?? { step: 'renew', reason: need };
}

function waitForTurn({ mayRenew, taintedAhead, comesFirst }: IssueSituation): IssueStep | null {
  if (!mayRenew) return { step: 'wait', reason: 'WaveNotReached' };
  return taintedAhead && !comesFirst ? { step: 'wait', reason: 'TaintedFirst' } : null;
}

/** From one root to another that is tainted, while the pair of the older one serves on. */
function gainsNothing(at: IssueSituation, gateway: GatewaySecret, current: Root): boolean {
  const { pair } = at.certificate;
  return at.tainted.includes(current.keyId) && pair !== null && mayStay(pair, { ...at, gateway });
}

function renewalNeed(
  pair: HubPair | null,
  current: Root,
  nowMs: number,
  renewBeforeMs: number,
): 'SignedByOlderRoot' | 'NearsItsEnd' | 'KeyDoesNotMatch' | null {
  // No pair yet: the issuer works on the first one by itself, and there is nothing to ask it for twice.
  if (pair === null) return null;
  if (!pair.keyMatches) return 'KeyDoesNotMatch';
  if (pair.signer !== current.keyId) return 'SignedByOlderRoot';
  // The end of the root itself is no reason: another leaf of it would end no later, and asking again would never stop.
  return pair.notAfterMs - renewBeforeMs <= nowMs ? 'NearsItsEnd' : null;
}

/**
 * An issuer that reads its root while that changes fails once, and would then leave the runtime on the old root for an hour.
 * So a failure is asked about once more, and a new root is a new question; beyond that its back-off is kept (B49).
 */
function isHammering(certificate: HubCertificate, current: Root): boolean {
  return certificate.failures > 1 && certificate.askedFor === current.digest;
}
