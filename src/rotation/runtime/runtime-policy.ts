import { durationMs } from '../../api/duration.ts';
import type { TrustDomainSpec } from '../../api/trust-domain.ts';
import type { RuntimePolicy } from '../decide/runtime.ts';

/** An API server gives up a request after this long, so nothing that was sent before can arrive later. */
const serverTimeoutMs = 60_000;

/** The policy of a trust domain in milliseconds. */
export function runtimePolicy(spec: TrustDomainSpec): RuntimePolicy {
  return {
    skewMarginMs: durationMs(spec.skewMargin),
    renewBeforeMs: durationMs(spec.issuer.renewBefore),
    propagationDelayMs: durationMs(spec.proof.propagationDelay),
    fenceMs: durationMs(spec.delivery.deadline) + serverTimeoutMs,
    paused: spec.paused,
  };
}
