import { durationMs } from '../../api/duration.ts';
import type { TrustDomainSpec } from '../../api/trust-domain.ts';
import type { RuntimePolicy } from '../decide/runtime.ts';

/** The policy of a trust domain in milliseconds. */
export function runtimePolicy(spec: TrustDomainSpec): RuntimePolicy {
  return {
    skewMarginMs: durationMs(spec.skewMargin),
    renewBeforeMs: durationMs(spec.issuer.renewBefore),
    propagationDelayMs: durationMs(spec.proof.propagationDelay),
    paused: spec.paused,
  };
}
