import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort, freePorts } from '../../world/free-ports.ts';
import { type RunningProcess, runToEnd, startProcess } from '../../world/process.ts';
import { partPath } from '../../world/real/parts/cache.ts';
import type { Workspace } from '../../world/workspace.ts';
import type { End, Servers } from './matrix.ts';

/** One Envoy with a listener for each end that is wanted; they are all known beforehand, since its configuration is static. */
export async function startEnvoy(
  workspace: Workspace,
  ends: readonly End[],
): Promise<Servers & { close(): Promise<void> }> {
  const ports = await freePorts(ends.length);
  const adminPort = await freePort();
  const config = await writeConfig(workspace, ends, ports, adminPort);
  const envoy: RunningProcess = await startProcess({
    name: 'envoy',
    command: partPath('envoy'),
    args: ['--config-path', config, '--disable-hot-restart', '--concurrency', '1', '--log-level', 'warning'],
    logFile: workspace.logFile('envoy'),
    ready: async (signal) => (await fetch(`http://127.0.0.1:${adminPort}/ready`, { signal })).ok,
  });
  return {
    listen: async (end) => {
      const index = ends.findIndex(
        (one) => one.pair.certificate.digest === end.pair.certificate.digest && one.bundlePem === end.bundlePem,
      );
      const port = ports[index];
      if (port === undefined) throw new Error('Envoy was started without a listener for this pair and bundle');
      return port;
    },
    close: () => envoy.stop(),
  };
}

/** Whether Envoy takes a configuration with this pair and bundle at all. */
export async function envoyTakes(workspace: Workspace, end: End): Promise<boolean> {
  const config = await writeConfig(workspace, [end], await freePorts(1), await freePort());
  return runToEnd({
    name: 'envoy --mode validate',
    command: partPath('envoy'),
    args: ['--mode', 'validate', '--config-path', config, '--log-level', 'off'],
    logFile: workspace.logFile('envoy-validate'),
  }).then(
    () => true,
    () => false,
  );
}

async function writeConfig(
  workspace: Workspace,
  ends: readonly End[],
  ports: readonly number[],
  adminPort: number,
): Promise<string> {
  const file = join(workspace.folder, `envoy-${adminPort}.json`);
  const listeners = ends.map((end, index) => listener(end, ports[index] ?? 0));
  const config = { admin: { address: loopback(adminPort) }, static_resources: { listeners } };
  await writeFile(file, JSON.stringify(config), { mode: 0o600 });
  return file;
}

/** What istiod makes of a Gateway server with tls mode MUTUAL, without its filters. */
function listener({ pair, bundlePem }: End, port: number): unknown {
  const type = (name: string): string => `type.googleapis.com/envoy.extensions.${name}`;
  const tls = {
    '@type': type('transport_sockets.tls.v3.DownstreamTlsContext'),
    require_client_certificate: true,
    common_tls_context: {
      alpn_protocols: ['h2', 'http/1.1'],
      tls_params: { tls_minimum_protocol_version: 'TLSv1_2', tls_maximum_protocol_version: 'TLSv1_3' },
      tls_certificates: [
        { certificate_chain: { inline_string: pair.certificatePem }, private_key: { inline_string: pair.keyPem } },
      ],
      validation_context: { trusted_ca: { inline_string: bundlePem } },
    },
  };
  const http = {
    '@type': type('filters.network.http_connection_manager.v3.HttpConnectionManager'),
    stat_prefix: 'gateway',
    route_config: {
      virtual_hosts: [
        { name: 'all', domains: ['*'], routes: [{ match: { prefix: '/' }, direct_response: { status: 200 } }] },
      ],
    },
    http_filters: [
      { name: 'envoy.filters.http.router', typed_config: { '@type': type('filters.http.router.v3.Router') } },
    ],
  };
  return {
    name: `port-${port}`,
    address: loopback(port),
    filter_chains: [
      {
        transport_socket: { name: 'envoy.transport_sockets.tls', typed_config: tls },
        filters: [{ name: 'envoy.filters.network.http_connection_manager', typed_config: http }],
      },
    ],
  };
}

function loopback(port: number): unknown {
  return { socket_address: { address: '127.0.0.1', port_value: port } };
}
