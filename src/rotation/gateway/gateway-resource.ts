import type { KubeObject } from '../../kubernetes/resource.ts';

/** What an Istio Gateway says of the gateway Secret. */
export interface GatewayReading {
  /** Hosts that the server certificate has to cover, in their order. */
  readonly hosts: readonly string[];
  /** Ports of those servers, as clients of the Service see them. */
  readonly ports: readonly number[];
  /** Labels of the pods that serve it. */
  readonly selector: Readonly<Record<string, string>>;
}

/**
 * Hosts, ports and pods of the servers that name the Secret.
 *
 * @returns `null` when there is none: no server with mutual TLS and a host names it
 */
export function readGateway(gateway: KubeObject, credentialName: string): GatewayReading | null {
  const spec = asRecord(gateway['spec']);
  const servers = asList(spec['servers']).filter((server) => {
    const tls = asRecord(server['tls']);
    return tls['credentialName'] === credentialName && tls['mode'] === 'MUTUAL';
  });
  const hosts = servers.flatMap(({ hosts }) =>
    Array.isArray(hosts) ? hosts.map((host) => plainHost(String(host))) : [],
  );
  // No certificate can cover every name there is; such a server takes whatever the others have.
  const named = [...new Set(hosts)].filter((host) => host !== '' && host !== '*');
  if (named.length === 0) return null;
  const ports = servers.flatMap((server) => {
    const number = asRecord(server['port'])['number'];
    return typeof number === 'number' ? [number] : [];
  });
  const selector = Object.fromEntries(
    Object.entries(asRecord(spec['selector'])).map(([key, value]) => [key, String(value)]),
  );
  return { hosts: named, ports: [...new Set(ports)], selector };
}

/** A host may be bound to a namespace: `namespace/host`. */
function plainHost(host: string): string {
  return host.slice(host.indexOf('/') + 1).toLowerCase();
}

function asRecord(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function asList(value: unknown): readonly Readonly<Record<string, unknown>>[] {
  return Array.isArray(value) ? value.map(asRecord) : [];
}
