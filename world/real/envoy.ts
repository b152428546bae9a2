import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { stringify } from 'yaml';
import { issueLeaf } from '../certificates.ts';
import { freePort } from '../free-ports.ts';
import { type RunningProcess, startProcess } from '../process.ts';
import type { Workspace } from '../workspace.ts';
import type { GatewayPod } from './gateway-objects.ts';
import type { Istiod } from './istiod.ts';
import { partPath } from './parts/cache.ts';

export interface EnvoyOptions {
  readonly pod: GatewayPod;
  readonly istiod: Istiod;
  /** Port on 127.0.0.1 that leads to istiod. */
  readonly istiodPort: number;
  readonly workspace: Workspace;
  readonly signal?: AbortSignal;
}

export interface Envoy {
  readonly process: RunningProcess;
  readonly adminPort: number;
}

/** Starts a stock Envoy that calls itself a gateway pod of istiod's cluster. Ready means that its admin port answers. */
export async function startEnvoy(options: EnvoyOptions): Promise<Envoy> {
  const { pod, istiod, workspace, signal } = options;
  const folder = await workspace.subfolder(pod.name);
  const adminPort = await freePort();
  const identity = await issueLeaf(istiod.ca, {
    commonName: pod.name,
    uris: ['spiffe://cluster.local/ns/istio-system/sa/istio-ingressgateway'],
  });
  await Promise.all([
    writeFile(join(folder, 'client.crt'), identity.certificatePem),
    writeFile(join(folder, 'client.key'), identity.keyPem, { mode: 0o600 }),
    writeFile(join(folder, 'istiod-ca.pem'), istiod.ca.certificatePem),
    writeFile(join(folder, 'bootstrap.yaml'), stringify(bootstrap(pod, options.istiodPort, adminPort))),
  ]);
  const process = await startProcess({
    name: `envoy ${pod.name}`,
    command: partPath('envoy'),
    args: ['--config-path', 'bootstrap.yaml', '--disable-hot-restart', '--concurrency', '1', '--log-level', 'warning'],
    cwd: folder,
    logFile: workspace.logFile(`envoy-${pod.name}`),
    ready: async (readySignal) =>
      (await fetch(`http://127.0.0.1:${adminPort}/server_info`, { signal: readySignal })).ok,
    ...(signal === undefined ? {} : { signal }),
  });
  return { process, adminPort };
}

function bootstrap(pod: GatewayPod, istiodPort: number, adminPort: number): unknown {
  const ads = { ads: {}, resource_api_version: 'V3' };
  return {
    node: {
      id: `router~${pod.address}~${pod.name}.istio-system~istio-system.svc.cluster.local`,
      cluster: 'istio-ingressgateway.istio-system',
      metadata: {
        NAMESPACE: 'istio-system',
        CLUSTER_ID: 'Kubernetes',
        SERVICE_ACCOUNT: 'istio-ingressgateway',
        ISTIO_VERSION: '1.30.0',
        LABELS: { istio: 'ingressgateway' },
        INSTANCE_IPS: pod.address,
        NAME: pod.name,
      },
    },
    admin: { address: loopback(adminPort) },
    dynamic_resources: {
      ads_config: {
        api_type: 'GRPC',
        transport_api_version: 'V3',
        set_node_on_first_message_only: true,
        grpc_services: [{ envoy_grpc: { cluster_name: 'xds-grpc' } }],
      },
      cds_config: ads,
      lds_config: ads,
    },
    static_resources: { clusters: [istiodCluster(istiodPort)] },
  };
}

function istiodCluster(istiodPort: number): unknown {
  return {
    name: 'xds-grpc',
    type: 'STATIC',
    typed_extension_protocol_options: {
      'envoy.extensions.upstreams.http.v3.HttpProtocolOptions': {
        '@type': 'type.googleapis.com/envoy.extensions.upstreams.http.v3.HttpProtocolOptions',
        explicit_http_config: { http2_protocol_options: {} },
      },
    },
    transport_socket: {
      name: 'tls',
      typed_config: {
        '@type': 'type.googleapis.com/envoy.extensions.transport_sockets.tls.v3.UpstreamTlsContext',
        sni: 'istiod.istio-system.svc',
        common_tls_context: {
          alpn_protocols: ['h2'],
          tls_certificates: [
            { certificate_chain: { filename: 'client.crt' }, private_key: { filename: 'client.key' } },
          ],
          validation_context: { trusted_ca: { filename: 'istiod-ca.pem' } },
        },
      },
    },
    load_assignment: {
      cluster_name: 'xds-grpc',
      endpoints: [{ lb_endpoints: [{ endpoint: { address: loopback(istiodPort) } }] }],
    },
  };
}

function loopback(port: number): unknown {
  return { socket_address: { address: '127.0.0.1', port_value: port } };
}
