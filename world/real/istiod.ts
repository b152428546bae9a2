import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Pair } from '../certificates.ts';
import { applyCrds } from '../crds.ts';
import { freePorts } from '../free-ports.ts';
import { type RunningProcess, startProcess } from '../process.ts';
import { waitUntil } from '../wait.ts';
import type { Workspace } from '../workspace.ts';
import type { ApiServer } from './api-servers.ts';
import { partCrds } from './part-crds.ts';
import { partPath } from './parts/cache.ts';

export interface Istiod {
  readonly process: RunningProcess;
  /** Port of its secure gRPC server on 127.0.0.1. */
  readonly port: number;
  /** The CA that signs what Envoys show to istiod, and that istiod's own certificate is of. */
  readonly ca: Pair;
}

/** Kinds that the gateway's configuration is made of; istiod does without the others, and each CRD costs the API server time. */
const kinds = ['gateways', 'virtualservices', 'serviceentries', 'destinationrules', 'envoyfilters'];

/** Applies the CRDs of Istio that a gateway needs. */
export async function installIstioCrds({ client }: ApiServer, signal?: AbortSignal): Promise<void> {
  const crds = (await partCrds('istiod')).filter(({ metadata }) => kinds.includes(metadata?.name?.split('.')[0] ?? ''));
  await applyCrds(client, crds, signal);
}

/** Starts the real istiod for a cluster as its admin. The namespace istio-system must exist. */
export async function startIstiod(hub: ApiServer, workspace: Workspace, signal?: AbortSignal): Promise<Istiod> {
  const folder = await workspace.subfolder('istiod');
  const [grpc, http, https, port, monitoring] = await freePorts(5);
  // Without auto mTLS no sidecar certificate is looked for; the networks file is only there because its default path is not.
  await writeFile(join(folder, 'mesh.yaml'), 'enableAutoMtls: false\n');
  await writeFile(join(folder, 'networks.yaml'), 'networks: {}\n');
  const process = await startProcess({
    name: 'istiod',
    command: partPath('istiod'),
    args: [
      'discovery',
      `--kubeconfig=${hub.kubeconfigPath}`,
      `--grpcAddr=127.0.0.1:${grpc}`,
      `--httpAddr=127.0.0.1:${http}`,
      `--httpsAddr=127.0.0.1:${https}`,
      `--secureGRPCAddr=127.0.0.1:${port}`,
      `--monitoringAddr=127.0.0.1:${monitoring}`,
      '--ctrlz_address=127.0.0.1',
      '--ctrlz_port=0',
      '--meshConfig=mesh.yaml',
      '--networksConfig=networks.yaml',
    ],
    env: {
      POD_NAMESPACE: 'istio-system',
      CLUSTER_ID: 'Kubernetes',
      REVISION: 'default',
      PILOT_CERT_PROVIDER: 'istiod',
      JWT_POLICY: 'third-party-jwt',
      // Both are extensions that only Istio's own proxy is built with.
      PILOT_ENABLE_METADATA_EXCHANGE: 'false',
      PILOT_DISABLE_MX_ALPN: 'true',
    },
    cwd: folder,
    logFile: workspace.logFile('istiod'),
    ready: async (readySignal) => (await fetch(`http://127.0.0.1:${http}/ready`, { signal: readySignal })).ok,
    ...(signal === undefined ? {} : { signal }),
  });
  return { process, port: port as number, ca: await readCa(hub, signal) };
}

async function readCa({ client }: ApiServer, signal?: AbortSignal): Promise<Pair> {
  let data: Readonly<Record<string, string>> = {};
  const found = await waitUntil(
    async () => {
      const secret = await client.find('/api/v1/namespaces/istio-system/secrets/istio-ca-secret', signal);
      data = (secret?.['data'] ?? {}) as typeof data;
      return data['ca-cert.pem'] !== undefined && data['ca-key.pem'] !== undefined;
    },
    { everyMs: 100, timeoutMs: 20_000, signal },
  );
  signal?.throwIfAborted();
  if (!found) throw new Error('istiod wrote no CA to istio-system/istio-ca-secret within 20 s: look at its log');
  const decode = (key: string) => Buffer.from(data[key] ?? '', 'base64').toString('utf8');
  return { certificatePem: decode('ca-cert.pem'), keyPem: decode('ca-key.pem') };
}
