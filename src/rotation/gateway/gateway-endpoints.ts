import type { TrustDomainSpec } from '../../api/trust-domain.ts';
import type { CallOptions } from '../../kubernetes/answer.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { type KubeObject, POD, SERVICE } from '../../kubernetes/resource.ts';
import type { GatewayReading } from './gateway-resource.ts';

export interface Endpoint {
  readonly host: string;
  readonly port: number;
}

interface PodShape {
  readonly spec?: {
    readonly containers?: readonly {
      readonly ports?: readonly { readonly name?: string; readonly containerPort: number }[];
    }[];
  };
  readonly status?: {
    readonly podIP?: string;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

interface ServiceShape {
  readonly spec?: {
    readonly selector?: Readonly<Record<string, string>>;
    readonly ports?: readonly { readonly port: number; readonly targetPort?: number | string }[];
  };
}

/**
 * Where the gateway answers: the addresses of the policy, or each ready pod. Each pod by itself, not the Service: a pod that
 * keeps old credentials would hide behind the others (design 6).
 */
export async function gatewayEndpoints(
  client: KubeClient,
  spec: TrustDomainSpec,
  gateway: GatewayReading,
  call: CallOptions,
): Promise<readonly Endpoint[]> {
  const { addresses } = spec.probe;
  if (addresses !== undefined && addresses.length > 0) return addresses.map(({ host, port }) => ({ host, port }));
  if (Object.keys(gateway.selector).length === 0) return [];
  const { namespace } = spec.gatewaySecretRef;
  const labelSelector = Object.entries(gateway.selector)
    .map(([key, value]) => `${key}=${value}`)
    .join(',');
  const [pods, services] = await Promise.all([
    client.list<KubeObject & PodShape>(POD, { namespace, labelSelector }, call),
    client.list<KubeObject & ServiceShape>(SERVICE, { namespace }, call),
  ]);
  return pods.items.filter(isReady).flatMap((pod) => {
    const host = pod.status?.podIP;
    if (host === undefined) return [];
    return gateway.ports.map((port) => ({ host, port: podPort(pod, services.items, port) }));
  });
}

function isReady(pod: PodShape & KubeObject): boolean {
  const ready = pod.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false;
  return ready && pod.metadata.deletionTimestamp === undefined;
}

/** The Gateway names the port of the Service; the pod listens at the Service's target port. */
function podPort(pod: PodShape & KubeObject, services: readonly (ServiceShape & KubeObject)[], port: number): number {
  const labels = pod.metadata.labels ?? {};
  for (const { spec } of services) {
    const selector = Object.entries(spec?.selector ?? {});
    if (selector.length === 0 || !selector.every(([key, value]) => labels[key] === value)) continue;
    const target = spec?.ports?.find((one) => one.port === port)?.targetPort;
    if (typeof target === 'number') return target;
    const named = pod.spec?.containers?.flatMap(({ ports }) => ports ?? []).find(({ name }) => name === target);
    if (target !== undefined && named !== undefined) return named.containerPort;
  }
  return port;
}
