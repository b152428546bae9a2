import { GATEWAY } from '../../api/names.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { apiVersionOf, type KubeObject, POD, type Resource, SERVICE } from '../../kubernetes/resource.ts';

/** Where one endpoint of the gateway listens. */
export interface EndpointPlace {
  readonly name: string;
  readonly host: string;
  readonly port: number;
}

export const gatewayNamespace = 'istio-system';
export const gatewayLabels: Readonly<Record<string, string>> = { istio: 'ingressgateway' };
export const gatewayCredential = 'klm-istio-gateway';
/** The pods share one named target port, and each gives it a number of its own: all of them are on one address. */
const portName = 'https-gateway';

/** The Gateway as Kyma's control plane ships it, with this host. */
export function gatewayResource(host: string): KubeObject {
  return {
    apiVersion: apiVersionOf(GATEWAY),
    kind: GATEWAY.kind,
    metadata: {
      name: 'klm-watcher',
      namespace: 'kcp-system',
      labels: { 'operator.kyma-project.io/watcher-gateway': 'default' },
    },
    spec: {
      selector: gatewayLabels,
      servers: [
        {
          hosts: [host],
          port: { name: 'https', number: 443, protocol: 'HTTPS' },
          tls: {
            mode: 'MUTUAL',
            credentialName: gatewayCredential,
            minProtocolVersion: 'TLSV1_3',
            maxProtocolVersion: 'TLSV1_3',
          },
        },
      ],
    },
  };
}

/** The Service in front of the gateway's pods. */
export function gatewayService(): KubeObject {
  return {
    apiVersion: apiVersionOf(SERVICE),
    kind: SERVICE.kind,
    metadata: { name: 'istio-ingressgateway', namespace: gatewayNamespace, labels: gatewayLabels },
    spec: { selector: gatewayLabels, ports: [{ name: 'https', port: 443, targetPort: portName, protocol: 'TCP' }] },
  };
}

/** One gateway pod, without its status. */
export function gatewayPod({ name, port }: EndpointPlace): KubeObject {
  return {
    apiVersion: apiVersionOf(POD),
    kind: POD.kind,
    metadata: { name, namespace: gatewayNamespace, labels: gatewayLabels },
    spec: {
      containers: [
        {
          name: 'istio-proxy',
          image: 'keyturn-sandbox',
          ports: [{ name: portName, containerPort: port, protocol: 'TCP' }],
        },
      ],
    },
  };
}

/** What kubelet would report of a pod that runs. */
export function runningPodStatus(
  { host }: EndpointPlace,
  ready: boolean,
  nowMs: number,
): Readonly<Record<string, unknown>> {
  const lastTransitionTime = `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
  const condition = (type: string) => ({ type, status: ready ? 'True' : 'False', lastTransitionTime });
  return {
    phase: 'Running',
    podIP: host,
    podIPs: [{ ip: host }],
    conditions: ['Initialized', 'PodScheduled', 'ContainersReady', 'Ready'].map(condition),
  };
}

/**
 * Writes all that a reader needs to find the gateway's endpoints: the Gateway, the Service and a ready pod for each endpoint.
 * The namespaces istio-system and kcp-system and the kind Gateway must be there.
 */
export async function applyGatewayObjects(
  client: KubeClient,
  {
    host,
    endpoints,
    nowMs,
  }: { readonly host: string; readonly endpoints: readonly EndpointPlace[]; readonly nowMs: number },
  signal: AbortSignal,
): Promise<void> {
  const call = { signal, fieldManager: 'keyturn-sandbox', force: true };
  const put = (resource: Resource, object: KubeObject) => client.apply(resource, object, call);
  await Promise.all([
    put(GATEWAY, gatewayResource(host)),
    put(SERVICE, gatewayService()),
    ...endpoints.map(async (place) => {
      await put(POD, gatewayPod(place));
      const status = runningPodStatus(place, true, nowMs);
      const ref = { namespace: gatewayNamespace, name: place.name };
      await client.mergePatch(POD, ref, { status }, { signal, subresource: 'status' });
    }),
  ]);
}
