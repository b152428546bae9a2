import { durationMs } from '../../api/duration.ts';
import type { TrustDomainSpec } from '../../api/trust-domain.ts';
import type { GatewayPolicy } from '../decide/gateway.ts';
import type { GatewayDelays } from '../decide/gateway-journal.ts';
import { renewBeforeMs } from '../decide/renew-before.ts';
import type { Root } from '../decide/values.ts';

/** The policy of a trust domain in milliseconds. */
export function gatewayPolicy(spec: TrustDomainSpec, current: Root | null, nowMs: number): GatewayPolicy {
  return {
    skewMarginMs: durationMs(spec.skewMargin),
    serverRenewBeforeMs: renewBeforeMs(durationMs(spec.serverCertificate.renewBefore), current, nowMs),
    unprovableAfterMs: durationMs(spec.proof.unprovableAfter),
    revoked: spec.revoked.map(({ publicKey }) => publicKey),
    tainted: spec.tainted.map(({ publicKey }) => publicKey),
    paused: spec.paused,
  };
}

export function gatewayDelays(spec: TrustDomainSpec): GatewayDelays {
  return { probeDelayMs: durationMs(spec.probe.delay), propagationDelayMs: durationMs(spec.proof.propagationDelay) };
}
