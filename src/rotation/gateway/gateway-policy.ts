import { durationMs } from '../../api/duration.ts';
import type { TrustDomainSpec } from '../../api/trust-domain.ts';
import type { GatewayPolicy } from '../decide/gateway.ts';
import type { GatewayDelays } from '../decide/gateway-journal.ts';
import type { Root } from '../decide/values.ts';

/** The policy of a trust domain in milliseconds. */
export function gatewayPolicy(spec: TrustDomainSpec, current: Root | null, nowMs: number): GatewayPolicy {
  return {
    skewMarginMs: durationMs(spec.skewMargin),
    serverRenewBeforeMs: serverRenewBeforeMs(spec, current, nowMs),
    unprovableAfterMs: durationMs(spec.proof.unprovableAfter),
    revoked: spec.revoked.map(({ publicKey }) => publicKey),
    paused: spec.paused,
  };
}

export function gatewayDelays(spec: TrustDomainSpec): GatewayDelays {
  return { probeDelayMs: durationMs(spec.probe.delay), propagationDelayMs: durationMs(spec.proof.propagationDelay) };
}

/**
 * A leaf never outlives its root, so close to the root's end another leaf of it would be due at once as well, and again.
 * Half of what is left of the root is the most that can be asked for.
 */
function serverRenewBeforeMs(spec: TrustDomainSpec, current: Root | null, nowMs: number): number {
  const wantedMs = durationMs(spec.serverCertificate.renewBefore);
  return current === null ? wantedMs : Math.min(wantedMs, Math.max(0, (current.notAfterMs - nowMs) / 2));
}
