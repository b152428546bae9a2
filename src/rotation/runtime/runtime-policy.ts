import { durationMs } from '../../api/duration.ts';
import type { TrustDomainSpec } from '../../api/trust-domain.ts';
import { renewBeforeMs } from '../decide/renew-before.ts';
import type { RuntimePolicy } from '../decide/runtime.ts';
import type { Root } from '../decide/values.ts';

/** An API server gives up a request after this long, so nothing that was sent before can arrive later. */
const serverTimeoutMs = 60_000;

/** The policy of a trust domain in milliseconds. */
export function runtimePolicy(spec: TrustDomainSpec, current: Root | null, nowMs: number): RuntimePolicy {
  return {
    skewMarginMs: durationMs(spec.skewMargin),
    renewBeforeMs: renewBeforeMs(durationMs(spec.issuer.renewBefore), current, nowMs),
    propagationDelayMs: durationMs(spec.proof.propagationDelay),
    fenceMs: durationMs(spec.delivery.deadline) + serverTimeoutMs,
    tainted: spec.tainted.map(({ publicKey }) => publicKey),
    revoked: spec.revoked.map(({ publicKey }) => publicKey),
    paused: spec.paused,
  };
}
