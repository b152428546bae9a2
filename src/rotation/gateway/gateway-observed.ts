import { explain } from '../../api/reasons.ts';
import type { Fleet } from '../decide/fleet.ts';
import type { FleetTraces, GatewayObserved } from '../decide/gateway.ts';
import type { DomainView } from './domain-view.ts';
import type { GatewayMemory } from './gateway-memory.ts';
import { gatewayPolicy } from './gateway-policy.ts';
import type { GatewayReadings } from './observe-gateway.ts';

/** What a decision at the gateway is made from: what was read, and what this process remembers. */
export function gatewayObserved(
  readings: GatewayReadings,
  memory: GatewayMemory,
  beside: { readonly fleet: Fleet; readonly traces: FleetTraces; readonly nowMs: number },
): GatewayObserved {
  const { domain, root, gatewaySecret, candidate } = readings;
  const current = root.observation.state === 'readable' ? root.observation.root : null;
  return {
    ...beside,
    policy: gatewayPolicy(domain.spec, current, beside.nowMs),
    root: root.observation,
    secret:
      gatewaySecret.state === 'missing'
        ? null
        : gatewaySecret.state === 'unreadable'
          ? 'unreadable'
          : gatewaySecret.secret,
    candidate,
    hosts: hostsOf(readings, memory),
    journal: memory.journal(),
  };
}

/** Hosts that a server certificate has to cover; without a Gateway, those of the certificate that stands or stood last. */
export function hostsOf({ gateway, gatewaySecret }: GatewayReadings, memory: GatewayMemory): readonly string[] {
  if (typeof gateway !== 'string') return gateway.hosts;
  const server = gatewaySecret.state === 'readable' ? gatewaySecret.secret.server : memory.lastSeen()?.secret.server;
  return server?.dnsNames ?? [];
}

/**
 * What keeps a trust domain from acting at all.
 *
 * @param twin an older trust domain that names the same gateway Secret
 */
export function haltOf(
  { domain, gateway, gatewaySecret }: GatewayReadings,
  twin: string | undefined,
): DomainView['halted'] {
  if (twin !== undefined) {
    const reason = 'OtherTrustDomainOwnsSecret';
    return { reason, message: `${explain(reason)} The older one is ${twin}` };
  }
  if (domain.spec.serverCertificate.mode === 'root') {
    const reason = 'NotSupported';
    return { reason, message: `${explain(reason)} It is spec.serverCertificate.mode` };
  }
  if (typeof gateway === 'string' && gatewaySecret.state !== 'readable') {
    const reason = gateway === 'missing' ? 'GatewayMissing' : 'GatewayUnsuitable';
    return { reason, message: explain(reason) };
  }
  return null;
}
