import { spawn, spawnSync } from 'node:child_process';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import {
  addKubeconfig,
  addKyma,
  applyIssuer,
  applyTrustDomain,
  applyWebhook,
  certificatesPath,
  domainPath,
  istioSystem,
  kcp,
  kymaSystem,
  operatorKubeconfig,
  prepareHub,
} from '../../scenarios/hub-objects.ts';
import type { TrustDomain } from '../../src/api/trust-domain.ts';
import { parseKubeconfig } from '../../src/kubernetes/kubeconfig.ts';
import { runOperator } from '../../src/operator.ts';
import { createLog } from '../../src/telemetry/log.ts';
import type { KubernetesObject } from '../../world/cluster-client.ts';
import { applyCrds, readCrds } from '../../world/crds.ts';
import type { RunningProcess } from '../../world/process.ts';
import { projectRoot } from '../../world/project-root.ts';
import { type ApiServer, type ApiServers, startApiServers } from '../../world/real/api-servers.ts';
import { installCertManagerCrds, startCertManager } from '../../world/real/cert-manager.ts';
import { partCrdFiles } from '../../world/real/parts/cache.ts';
import { waitUntil } from '../../world/wait.ts';
import { openWorkspace, type Workspace } from '../../world/workspace.ts';

/** The built command (`npm run build`) against real API servers; runtimes under the rights that we publish and nothing more. */
let workspace: Workspace;
let servers: ApiServers;
let hub: ApiServer;
let certManager: RunningProcess;
let operator: Promise<unknown>;
let failed = true;
let plugins: string;
const ending = new AbortController();
const { signal } = ending;
const names = ['runtime-1', 'runtime-2'];

beforeAll(async () => {
  workspace = await openWorkspace();
  servers = await startApiServers(workspace, signal);
  hub = await servers.start('hub', signal);
  const runtimes = await Promise.all(names.map((name) => servers.start(name, signal)));
  const namespace = ({ client }: ApiServer, name: string) =>
    client.apply(`/api/v1/namespaces/${name}`, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, signal);
  await Promise.all([namespace(hub, kcp), namespace(hub, istioSystem)]);
  const istio = await readCrds(partCrdFiles('istiod'));
  await Promise.all([
    applyCrds(hub.client, await readCrds([join(projectRoot, 'world/manifests/kyma-crd.yaml')])),
    applyCrds(
      hub.client,
      istio.filter(({ metadata }) => metadata?.name === 'gateways.networking.istio.io'),
    ),
    installCertManagerCrds(hub, signal),
  ]);
  certManager = await startCertManager(hub, workspace, { signal });
  await prepareHub(hub, signal);
  await applyIssuer(hub.client, 'klm-watcher-root', { selfSigned: {} }, signal);
  await hub.client.apply(`${certificatesPath}/klm-watcher-serving`, rootCertificate, signal);
  await hub.client.apply('/apis/networking.istio.io/v1/namespaces/kcp-system/gateways/klm-watcher', gateway, signal);
  for (const runtime of runtimes) {
    await namespace(runtime, kymaSystem);
    await applyWebhook(runtime, signal);
    await addKubeconfig(hub, runtime, signal);
    await addKyma(hub, runtime.name, signal);
  }
  const issuer = { privateKey: { algorithm: 'ECDSA', size: 256, encoding: 'PKCS8' } } as const;
  await applyTrustDomain(
    hub,
    {
      probe: { delay: '200ms', timeout: '1s', interval: '200ms' },
      proof: { propagationDelay: '2500ms', unprovableAfter: '1h' },
      issuer,
      skewMargin: '0s',
    },
    signal,
  );
  operator = runOperator(
    {
      hub: parseKubeconfig(await operatorKubeconfig(hub, signal)),
      identity: 'test',
      log: createLog({ destination: { write: () => undefined } }),
    },
    signal,
  );
  plugins = await workspace.subfolder('plugins');
  // As npm installs it: an executable of this name on the path.
  const start = `#!/bin/sh\nexec "${process.execPath}" "${join(projectRoot, 'dist/src/cli/main.js')}" "$@"\n`;
  await writeFile(join(plugins, 'kubectl-keyturn'), start, { mode: 0o755 });
});
afterAll(async () => {
  ending.abort();
  await operator;
  await certManager?.stop();
  await servers?.stop();
  const logs = await workspace?.close({ keepLogs: failed });
  if (logs !== undefined && failed) console.error(`Logs: ${String(logs)}`);
});

const rootCertificate: KubernetesObject = {
  apiVersion: 'cert-manager.io/v1',
  kind: 'Certificate',
  metadata: { name: 'klm-watcher-serving', namespace: istioSystem },
  spec: {
    commonName: 'klm-watcher-selfsigned-ca',
    isCA: true,
    privateKey: { rotationPolicy: 'Always', algorithm: 'ECDSA', size: 256 },
    duration: '2160h',
    renewBefore: '1464h',
    secretName: 'klm-watcher',
    issuerRef: { name: 'klm-watcher-root', kind: 'Issuer', group: 'cert-manager.io' },
  },
};
const gateway: KubernetesObject = {
  apiVersion: 'networking.istio.io/v1',
  kind: 'Gateway',
  metadata: { name: 'klm-watcher', namespace: kcp },
  spec: {
    selector: { istio: 'ingressgateway' },
    servers: [
      {
        hosts: ['listener.example'],
        port: { name: 'https', number: 443, protocol: 'HTTPS' },
        tls: { mode: 'MUTUAL', credentialName: 'klm-istio-gateway' },
      },
    ],
  },
};

const keyturn = (...args: string[]) =>
  new Promise<{ readonly code: number | null; readonly text: string }>((resolve, reject) => {
    const script = join(projectRoot, 'dist/src/cli/main.js');
    const child = spawn(process.execPath, [script, ...args, '--kubeconfig', hub.kubeconfigPath], { signal });
    const chunks: Buffer[] = [];
    child.stdout.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.stderr.on('data', (chunk: Buffer) => chunks.push(chunk));
    child.once('error', reject);
    child.once('close', (code) => resolve({ code, text: Buffer.concat(chunks).toString() }));
  });
const domain = async () => (await hub.client.find(domainPath, signal)) as unknown as TrustDomain | undefined;

test('a fleet that settles is told, planned for and verified', async () => {
  const settled = await waitUntil(
    async () =>
      (await domain())?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false,
    { everyMs: 250, timeoutMs: 120_000 },
  );
  expect(settled, JSON.stringify((await domain())?.status)).toBe(true);
  const status = await keyturn('status');
  expect([status.code, status.text]).toEqual([0, expect.stringMatching(/klm-watcher: Settled[\s\S]*runtime-2 +True/)]);
  const plan = await keyturn('plan');
  expect([plan.code, plan.text]).toEqual([0, expect.stringMatching(/Everything is on the new root after about/)]);
  const explained = await keyturn('explain', 'runtime-1');
  expect([explained.code, explained.text]).toEqual([0, expect.stringContaining('signed by the current root')]);
  const verified = await keyturn('verify');
  expect([verified.code, verified.text]).toEqual([0, expect.stringContaining(': 0 violations; judged were 2 client')]);
});

test('pause, resume, taint: the API server takes what they write', async () => {
  expect((await keyturn('pause')).code).toBe(0);
  expect((await domain())?.spec.paused).toBe(true);
  expect((await keyturn('resume')).code).toBe(0);
  expect((await domain())?.spec.paused).toBe(false);
  const { digest = '', keyId } = (await domain())?.status?.root ?? {};
  expect((await keyturn('taint', digest.slice(0, 12))).code).toBe(0);
  expect((await domain())?.spec.tainted).toEqual([{ publicKey: keyId }]);
});

test('rotate asks cert-manager, and verify sees no violation while it goes on, by single reads', async () => {
  const before = (await domain())?.status?.root?.digest;
  const watching = keyturn('verify', '--for', '20s', '-o', 'json');
  const rotated = await keyturn('rotate', '--wait', '--timeout', '90s');
  expect([rotated.code, rotated.text]).toEqual([0, expect.stringMatching(/Everything is on root/)]);
  expect((await domain())?.status?.root?.digest).not.toBe(before);
  const { code, text } = await watching;
  expect(code, text).toBe(0);
});

test.skipIf(spawnSync('kubectl', ['version', '--client']).status !== 0)('it works as kubectl keyturn', () => {
  const { status, stdout, stderr } = spawnSync(
    'kubectl',
    ['keyturn', 'status', '-o', 'name', '--kubeconfig', hub.kubeconfigPath],
    {
      encoding: 'utf8',
      env: { ...process.env, PATH: `${plugins}:${process.env['PATH'] ?? ''}` },
    },
  );
  expect([status, stderr]).toEqual([0, '']);
  expect(stdout.split('\n')).toEqual(['trustdomain/klm-watcher', ...names.map((name) => `runtimetrust/${name}`), '']);
  failed = false;
});
