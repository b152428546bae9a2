/**
 * The public face of the package: resources, reasons and the pure decisions of a rotation. Everything else is internal.
 *
 * @module
 */
export { type Condition, withConditions } from './api/condition.ts';
export { type Held, heldIn } from './api/held.ts';
export { crds, hubManifests, toYaml } from './api/manifests.ts';
export { explain, REASONS, type Reason } from './api/reasons.ts';
export type { RuntimeTrust, RuntimeTrustSpec, RuntimeTrustStatus } from './api/runtime-trust.ts';
export {
  type TrustDomain,
  type TrustDomainSpec,
  type TrustDomainSpecWritten,
  trustDomainDefaults,
} from './api/trust-domain.ts';
export type { TrustDomainStatus } from './api/trust-domain-status.ts';
export {
  decideGateway,
  type GatewayAction,
  type GatewayObserved,
  type GatewayPlan,
  type GatewayPolicy,
} from './rotation/decide/gateway.ts';
export {
  decideRuntime,
  type RuntimeAction,
  type RuntimeObserved,
  type RuntimePlan,
  type RuntimePolicy,
} from './rotation/decide/runtime.ts';
