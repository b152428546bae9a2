import type { RootObservation } from '../decide/admit.ts';
import type { Fleet } from '../decide/fleet.ts';
import type { GatewayPlan, GatewayPolicy } from '../decide/gateway.ts';
import type { GatewaySecret } from '../decide/values.ts';

export interface LookAhead {
  readonly plan: GatewayPlan;
  readonly policy: GatewayPolicy;
  readonly root: RootObservation;
  readonly secret: GatewaySecret | null;
  readonly fleet: Fleet;
  readonly nowMs: number;
}

/**
 * When time alone may change the decision: starts and ends of certificates, and the policy's patience with a runtime.
 * Everything else arrives as an event.
 *
 * @returns milliseconds from now, at least 1; `null`: never
 */
export function nextLookMs({ plan, policy, root, secret, fleet, nowMs }: LookAhead): number | null {
  const instants: number[] = [];
  if (root.state === 'readable') instants.push(root.root.notBeforeMs, root.root.notAfterMs);
  for (const { notAfterMs } of secret?.bundle ?? []) instants.push(notAfterMs, notAfterMs - policy.skewMarginMs);
  if (secret?.server) instants.push(secret.server.notAfterMs, secret.server.notAfterMs - policy.serverRenewBeforeMs);
  if (plan.candidate !== null) {
    instants.push(
      plan.candidate.notBeforeMs + policy.skewMarginMs,
      plan.candidate.notAfterMs - policy.serverRenewBeforeMs,
    );
  }
  const waits = instants.map((atMs) => atMs - nowMs);
  if ((plan.switch?.waitsFor.length ?? 0) > 0) waits.push(policy.unprovableAfterMs - longestWaitMs(fleet, policy));
  const ahead = waits.filter((ms) => ms > 0);
  // One millisecond past the instant, so that the comparison has turned by then.
  return ahead.length === 0 ? null : Math.min(...ahead) + 1;
}

/** Of those who are not given up yet. */
function longestWaitMs({ groups }: Fleet, { unprovableAfterMs }: GatewayPolicy): number {
  let longest = 0;
  for (const { unprovenForMs, longestUnprovenMs } of groups) {
    if (longestUnprovenMs < unprovableAfterMs) longest = Math.max(longest, longestUnprovenMs);
    else for (const ms of unprovenForMs) if (ms < unprovableAfterMs) longest = Math.max(longest, ms);
  }
  return longest;
}
