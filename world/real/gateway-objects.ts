import type { ClusterClient, KubernetesObject } from '../cluster-client.ts';

/** Host of the hub's Gateway, as SNI and Host header. */
export const gatewayHost = 'listener.kyma.local';

/** One gateway pod: its name, its address that nothing routes to, and the port that its Envoy listens on. */
export interface GatewayPod {
  readonly name: string;
  readonly address: string;
  readonly port: number;
}

const system = 'istio-system';
const labels = { istio: 'ingressgateway' };
/** The pods share one named target port and each gives it a number of its own, since all Envoys are on 127.0.0.1. */
const portName = 'https-gateway';

/** Everything that istiod must find to configure stock Envoys as ingress gateways of the real `Gateway`. */
export async function applyGatewayObjects(
  client: ClusterClient,
  pods: readonly GatewayPod[],
  backendPort: number,
  signal?: AbortSignal,
): Promise<void> {
  const put = (path: string, object: KubernetesObject) => client.apply(path, object, signal);
  const istio = (namespace: string, kind: string, name: string) =>
    `/apis/networking.istio.io/v1/namespaces/${namespace}/${kind}/${name}`;
  await Promise.all([
    put(`/apis/networking.istio.io/v1alpha3/namespaces/${system}/envoyfilters/stock-envoy`, stockEnvoyFilter),
    put(`/api/v1/namespaces/${system}/serviceaccounts/istio-ingressgateway`, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'istio-ingressgateway', namespace: system },
    }),
    // istiod sends a proxy only those Secrets that the proxy's own account may read.
    put(`/apis/rbac.authorization.k8s.io/v1/namespaces/${system}/roles/istio-ingressgateway`, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'Role',
      metadata: { name: 'istio-ingressgateway', namespace: system },
      rules: [{ apiGroups: [''], resources: ['secrets'], verbs: ['get', 'list', 'watch'] }],
    }),
    put(`/apis/rbac.authorization.k8s.io/v1/namespaces/${system}/rolebindings/istio-ingressgateway`, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'istio-ingressgateway', namespace: system },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'istio-ingressgateway' },
      subjects: [{ kind: 'ServiceAccount', name: 'istio-ingressgateway', namespace: system }],
    }),
    put(`/api/v1/namespaces/${system}/services/istio-ingressgateway`, {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'istio-ingressgateway', namespace: system, labels },
      spec: { selector: labels, ports: [{ name: 'https', port: 443, targetPort: portName, protocol: 'TCP' }] },
    }),
    ...pods.map((pod) => applyPod(client, pod, signal)),
    put(istio('kcp-system', 'gateways', 'klm-watcher'), klmGateway),
    put(istio('kcp-system', 'serviceentries', 'backend'), {
      apiVersion: 'networking.istio.io/v1',
      kind: 'ServiceEntry',
      metadata: { name: 'backend', namespace: 'kcp-system' },
      spec: {
        hosts: ['backend.kyma.local'],
        ports: [{ number: 8082, name: 'http', protocol: 'HTTP' }],
        resolution: 'STATIC',
        location: 'MESH_EXTERNAL',
        endpoints: [{ address: '127.0.0.1', ports: { http: backendPort } }],
      },
    }),
    put(istio('kcp-system', 'virtualservices', 'backend'), {
      apiVersion: 'networking.istio.io/v1',
      kind: 'VirtualService',
      metadata: { name: 'backend', namespace: 'kcp-system' },
      spec: {
        hosts: [gatewayHost],
        gateways: ['kcp-system/klm-watcher'],
        http: [{ route: [{ destination: { host: 'backend.kyma.local', port: { number: 8082 } } }] }],
      },
    }),
  ]);
}

async function applyPod(
  client: ClusterClient,
  { name, address, port }: GatewayPod,
  signal?: AbortSignal,
): Promise<void> {
  const path = `/api/v1/namespaces/${system}/pods/${name}`;
  const metadata = { name, namespace: system, labels };
  await client.apply(
    path,
    {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata,
      spec: {
        serviceAccountName: 'istio-ingressgateway',
        containers: [
          { name: 'istio-proxy', image: 'envoy', ports: [{ name: portName, containerPort: port, protocol: 'TCP' }] },
        ],
      },
    },
    signal,
  );
  const since = new Date().toISOString();
  const condition = (type: string) => ({ type, status: 'True', lastTransitionTime: since });
  const status = {
    phase: 'Running',
    podIP: address,
    podIPs: [{ ip: address }],
    conditions: ['Initialized', 'PodScheduled', 'ContainersReady', 'Ready'].map(condition),
  };
  await client.send('PATCH', `${path}/status`, {
    body: { status },
    contentType: 'application/merge-patch+json',
    signal,
  });
  await client.apply(
    `/apis/discovery.k8s.io/v1/namespaces/${system}/endpointslices/${name}`,
    {
      apiVersion: 'discovery.k8s.io/v1',
      kind: 'EndpointSlice',
      metadata: { ...metadata, labels: { 'kubernetes.io/service-name': 'istio-ingressgateway' } },
      addressType: 'IPv4',
      endpoints: [
        { addresses: [address], conditions: { ready: true }, targetRef: { kind: 'Pod', name, namespace: system } },
      ],
      ports: [{ name: 'https', port, protocol: 'TCP' }],
    },
    signal,
  );
}

/** Istio's own proxy has this HTTP filter compiled in; stock Envoy refuses a configuration that names it. */
const stockEnvoyFilter: KubernetesObject = {
  apiVersion: 'networking.istio.io/v1alpha3',
  kind: 'EnvoyFilter',
  metadata: { name: 'stock-envoy', namespace: system },
  spec: {
    configPatches: [
      {
        applyTo: 'HTTP_FILTER',
        match: {
          context: 'GATEWAY',
          listener: {
            filterChain: {
              filter: { name: 'envoy.filters.network.http_connection_manager', subFilter: { name: 'istio.alpn' } },
            },
          },
        },
        patch: { operation: 'REMOVE' },
      },
    ],
  },
};

/** As KLM ships it, with one host and, since all of this is on one machine, bound to loopback. */
const klmGateway: KubernetesObject = {
  apiVersion: 'networking.istio.io/v1',
  kind: 'Gateway',
  metadata: {
    name: 'klm-watcher',
    namespace: 'kcp-system',
    labels: { 'operator.kyma-project.io/watcher-gateway': 'default' },
  },
  spec: {
    selector: labels,
    servers: [
      {
        hosts: [gatewayHost],
        bind: '127.0.0.1',
        port: { name: 'https', number: 443, protocol: 'HTTPS' },
        tls: {
          mode: 'MUTUAL',
          credentialName: 'klm-istio-gateway',
          minProtocolVersion: 'TLSV1_3',
          maxProtocolVersion: 'TLSV1_3',
        },
      },
    ],
  },
};
