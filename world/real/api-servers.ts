import { generateKeyPairSync, randomBytes } from 'node:crypto';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { kubeconfigOf } from '../../src/sandbox/api-server/identity.ts';
import { createCa, issueLeaf, type Pair } from '../certificates.ts';
import { type ClusterClient, connectTo } from '../cluster-client.ts';
import { freePort, freePorts } from '../free-ports.ts';
import { type RunningProcess, startProcess } from '../process.ts';
import type { Workspace } from '../workspace.ts';
import type { Cluster } from '../world.ts';
import { partPath } from './parts/cache.ts';

/** One etcd and the API servers that share it, each under a prefix of its own. */
export interface ApiServers {
  /** Starts a cluster. An earlier one of the same name that was stopped comes back with its data, address and token. */
  start(name: string, signal?: AbortSignal): Promise<ApiServer>;
  /** Makes the next start of this name an empty cluster, as if the earlier one had been deleted. Stop it first. */
  forget(name: string): void;
  /** Of etcd and of every API server that was started. */
  pids(): readonly number[];
  /** Processes that ended without being stopped. */
  failures(): string[];
  stop(): Promise<void>;
}

/** A cluster that a real API server answers for; `stop` closes its client. */
export interface ApiServer extends Cluster {
  /** File with the same kubeconfig. */
  readonly kubeconfigPath: string;
  /** File with one JSON audit event a line; undefined without an audit policy. */
  readonly auditLog?: string;
  /** A certificate and key by which every API server of this world knows the user. */
  clientCertificate(username: string, group?: string): Promise<Pair>;
  readonly pid: number;
  kill(signal: NodeJS.Signals): void;
  stop(): Promise<void>;
}

export interface ApiServersOptions {
  /** Audit policy (YAML) of every API server. @default no audit */
  readonly auditPolicy?: string;
}

export async function startApiServers(
  workspace: Workspace,
  signal?: AbortSignal,
  { auditPolicy }: ApiServersOptions = {},
): Promise<ApiServers> {
  const folder = await workspace.subfolder('api-servers');
  const [{ etcd, etcdUrl }, identity] = await Promise.all([startEtcd(workspace, signal), createIdentity(folder)]);
  const processes: RunningProcess[] = [etcd];
  const clients = new Set<ClusterClient>();
  const places = new Map<string, Place>();
  let prefixes = 0;
  const placeOf = async (name: string): Promise<Place> => {
    const known = places.get(name);
    if (known !== undefined) return known;
    prefixes += 1;
    const place = {
      etcdPrefix: `/${prefixes}-${name}`,
      port: await freePort(),
      adminToken: randomBytes(24).toString('hex'),
    };
    places.set(name, place);
    return place;
  };

  return {
    forget: (name) => void places.delete(name),
    start: async (name, startSignal = signal) => {
      const cluster = await startOne({
        name,
        place: await placeOf(name),
        workspace,
        folder,
        etcdUrl,
        identity,
        auditPolicy,
        signal: startSignal,
      });
      processes.push(cluster.process);
      clients.add(cluster.server.client);
      return cluster.server;
    },
    pids: () => processes.map(({ pid }) => pid),
    failures: () => processes.filter((one) => one.hasFailed()).map(({ name }) => name),
    stop: async () => {
      await Promise.all([...clients].map((client) => client.close()));
      // API servers first: one without etcd fills its log while it waits for its last requests.
      await Promise.all(processes.filter((one) => one !== etcd).map((one) => one.stop()));
      await etcd.stop();
    },
  };
}

async function startEtcd(
  workspace: Workspace,
  signal?: AbortSignal,
): Promise<{ etcd: RunningProcess; etcdUrl: string }> {
  const [clientPort, peerPort] = await freePorts(2);
  const etcdUrl = `http://127.0.0.1:${clientPort}`;
  const etcd = await startProcess({
    name: 'etcd',
    command: partPath('etcd'),
    args: [
      `--data-dir=${await workspace.subfolder('etcd')}`,
      `--listen-client-urls=${etcdUrl}`,
      `--advertise-client-urls=${etcdUrl}`,
      `--listen-peer-urls=http://127.0.0.1:${peerPort}`,
      '--unsafe-no-fsync',
      '--log-level=warn',
    ],
    logFile: workspace.logFile('etcd'),
    ready: async (readySignal) => (await fetch(`${etcdUrl}/health`, { signal: readySignal })).ok,
    ...(signal === undefined ? {} : { signal }),
  });
  return { etcd, etcdUrl };
}

interface Identity {
  readonly ca: Pair;
  readonly caFile: string;
  readonly serviceAccountKeyFile: string;
  readonly servingCertificateFile: string;
  readonly servingKeyFile: string;
}

/** One CA and one service account key serve all clusters of a world: nothing here tells clusters apart by them. */
async function createIdentity(folder: string): Promise<Identity> {
  const ca = await createCa({ commonName: 'api-servers-ca' });
  const serving = await issueLeaf(ca, {
    commonName: 'kube-apiserver',
    dnsNames: ['localhost', 'kubernetes', 'kubernetes.default', 'kubernetes.default.svc'],
    ipAddresses: ['127.0.0.1'],
  });
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const file = (name: string) => join(folder, name);
  await Promise.all([
    writeFile(file('ca.crt'), ca.certificatePem),
    writeFile(file('serving.crt'), serving.certificatePem),
    writeFile(file('serving.key'), serving.keyPem, { mode: 0o600 }),
    writeFile(file('service-account.key'), privateKey.export({ type: 'sec1', format: 'pem' }), { mode: 0o600 }),
  ]);
  return {
    ca,
    caFile: file('ca.crt'),
    serviceAccountKeyFile: file('service-account.key'),
    servingCertificateFile: file('serving.crt'),
    servingKeyFile: file('serving.key'),
  };
}

/** What stays the same when an API server is started again. */
interface Place {
  readonly etcdPrefix: string;
  readonly port: number;
  readonly adminToken: string;
}

interface StartOptions {
  readonly name: string;
  readonly place: Place;
  readonly workspace: Workspace;
  readonly folder: string;
  readonly etcdUrl: string;
  readonly identity: Identity;
  readonly auditPolicy: string | undefined;
  readonly signal: AbortSignal | undefined;
}

async function startOne(options: StartOptions): Promise<{ server: ApiServer; process: RunningProcess }> {
  const { name, workspace, folder, etcdUrl, identity, auditPolicy, signal } = options;
  const { etcdPrefix, port, adminToken } = options.place;
  const server = `https://127.0.0.1:${port}`;
  const caPem = identity.ca.certificatePem;
  const kubeconfig = kubeconfigOf({ name, server, caPem, token: adminToken });
  const tokenFile = join(folder, `${name}.tokens.csv`);
  const kubeconfigPath = join(folder, `${name}.kubeconfig`);
  await writeFile(tokenFile, `${adminToken},admin,admin,"system:masters"\n`, { mode: 0o600 });
  await writeFile(kubeconfigPath, kubeconfig, { mode: 0o600 });
  const auditPolicyFile = join(folder, `${name}.audit-policy.yaml`);
  const auditLog = auditPolicy === undefined ? undefined : join(folder, `${name}.audit.log`);
  if (auditPolicy !== undefined) await writeFile(auditPolicyFile, auditPolicy);

  const client = connectTo({ server, caPem, token: adminToken });
  const running = await startProcess({
    name: `kube-apiserver ${name}`,
    command: partPath('kube-apiserver'),
    args: [
      `--etcd-servers=${etcdUrl}`,
      `--etcd-prefix=${etcdPrefix}`,
      `--secure-port=${port}`,
      '--bind-address=127.0.0.1',
      '--advertise-address=127.0.0.1',
      `--tls-cert-file=${identity.servingCertificateFile}`,
      `--tls-private-key-file=${identity.servingKeyFile}`,
      `--service-account-key-file=${identity.serviceAccountKeyFile}`,
      `--service-account-signing-key-file=${identity.serviceAccountKeyFile}`,
      '--service-account-issuer=https://kubernetes.default.svc',
      `--token-auth-file=${tokenFile}`,
      `--client-ca-file=${identity.caFile}`,
      '--authorization-mode=RBAC',
      `--cert-dir=${folder}`,
      '--disable-admission-plugins=ServiceAccount',
      '--profiling=false',
      ...(auditLog === undefined ? [] : [`--audit-policy-file=${auditPolicyFile}`, `--audit-log-path=${auditLog}`]),
    ],
    logFile: workspace.logFile(`kube-apiserver-${name}`),
    // 3 s of one idle core; many at once on two busy cores take a multiple of it.
    readyTimeoutMs: 180_000,
    // Not /readyz?verbose: the plain form answers 200 only when every check passes, RBAC's bootstrap roles among them.
    ready: async (readySignal) => {
      return (await client.text('/readyz', readySignal)) === 'ok';
    },
    ...(signal === undefined ? {} : { signal }),
  }).catch(async (error: unknown) => {
    await client.close();
    throw error;
  });

  const stop = async () => {
    await client.close();
    await running.stop();
  };
  const { pid, kill } = running;
  return {
    server: {
      name,
      server,
      caPem,
      adminToken,
      kubeconfig,
      kubeconfigPath,
      ...(auditLog === undefined ? {} : { auditLog }),
      client,
      clientCertificate: (username, group) =>
        issueLeaf(identity.ca, { commonName: username, ...(group === undefined ? {} : { organization: group }) }),
      pid,
      kill,
      stop,
    },
    process: running,
  };
}
