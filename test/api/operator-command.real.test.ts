import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { crds } from '../../src/api/manifests.ts';
import { hubRbac, runtimeRbac } from '../../src/api/rbac.ts';
import type { RuntimeTrust } from '../../src/api/runtime-trust.ts';
import { trustDomainDefaults } from '../../src/api/trust-domain.ts';
import { createCa } from '../../world/certificates.ts';
import type { ClusterClient, KubernetesObject } from '../../world/cluster-client.ts';
import { applyCrds, readCrds } from '../../world/crds.ts';
import { freePort } from '../../world/free-ports.ts';
import { type RunningProcess, startProcess } from '../../world/process.ts';
import { projectRoot } from '../../world/project-root.ts';
import { type ApiServer, type ApiServers, startApiServers } from '../../world/real/api-servers.ts';
import { installCertManagerCrds, startCertManager } from '../../world/real/cert-manager.ts';
import { partCrdFiles } from '../../world/real/parts/cache.ts';
import { createTokenUser } from '../../world/token-user.ts';
import { waitUntil } from '../../world/wait.ts';
import { openWorkspace, type Workspace } from '../../world/workspace.ts';

/**
 * The built command (`npm run build`) against a hub and a runtime, under the roles that we publish and nothing more. No
 * gateway runs: the probe is unanswered and its delay stands in.
 */
let workspace: Workspace;
let servers: ApiServers;
let hub: ApiServer;
let runtime: ApiServer;
let certManager: RunningProcess;
let operator: RunningProcess;
let metricsUrl: string;
let failed = true;

const spec = trustDomainDefaults();
const object = (apiVersion: string, kind: string, name: string, namespace: string, rest: object = {}) => {
  const { metadata = {}, ...fields } = rest as { metadata?: object };
  return { apiVersion, kind, metadata: { name, namespace, ...metadata }, ...fields } as KubernetesObject;
};
const put = (client: ClusterClient, plural: string, value: KubernetesObject): Promise<KubernetesObject> => {
  const group = value.apiVersion === 'v1' ? '/api/v1' : `/apis/${value.apiVersion}`;
  const { name, namespace } = value.metadata ?? {};
  return client.apply(`${group}/namespaces/${namespace}/${plural}/${name}`, value);
};

beforeAll(async () => {
  workspace = await openWorkspace();
  servers = await startApiServers(workspace);
  [hub, runtime] = await Promise.all([servers.start('hub'), servers.start('runtime-1')]);
  for (const [cluster, names] of [
    [hub, ['kcp-system', 'istio-system']],
    [runtime, ['kyma-system']],
  ] as const) {
    for (const name of names) {
      await cluster.client.apply(`/api/v1/namespaces/${name}`, {
        apiVersion: 'v1',
        kind: 'Namespace',
        metadata: { name },
      });
    }
  }
  const istio = await readCrds(partCrdFiles('istiod'));
  await Promise.all([
    applyCrds(hub.client, crds() as readonly KubernetesObject[]),
    applyCrds(hub.client, await readCrds([join(projectRoot, 'world/manifests/kyma-crd.yaml')])),
    applyCrds(
      hub.client,
      istio.filter(({ metadata }) => metadata?.name === 'gateways.networking.istio.io'),
    ),
    installCertManagerCrds(hub),
  ]);
  certManager = await startCertManager(hub, workspace);
  await fillHub();
  const kubeconfig = join(await workspace.subfolder('operator'), 'kubeconfig.yaml');
  await writeFile(kubeconfig, await createTokenUser(hub, hubRbac(spec, 'kcp-system')));
  metricsUrl = `http://127.0.0.1:${await freePort()}`;
  operator = await startProcess({
    name: 'keyturn operator',
    command: process.execPath,
    args: [
      join(projectRoot, 'dist/src/cli/main.js'),
      ...['operator', '--kubeconfig', kubeconfig, '--leader-elect', '--log-level', 'debug'],
      ...['--metrics-address', new URL(metricsUrl).host],
    ],
    logFile: workspace.logFile('operator'),
    ready: async (signal) => (await fetch(`${metricsUrl}/readyz`, { signal })).ok,
  });
});
afterAll(async () => {
  await operator?.stop();
  await certManager?.stop();
  await servers?.stop();
  const logs = await workspace?.close({ keepLogs: failed });
  if (logs !== undefined && failed) console.error(`Logs: ${String(logs)}`);
});

async function fillHub(): Promise<void> {
  const { client } = hub;
  const { certificatePem, keyPem } = await createCa({ commonName: 'fleet root' });
  await put(
    client,
    'secrets',
    object('v1', 'Secret', 'klm-watcher', 'istio-system', {
      stringData: { 'tls.crt': certificatePem, 'tls.key': keyPem, 'ca.crt': certificatePem },
    }),
  );
  await put(
    client,
    'issuers',
    object('cert-manager.io/v1', 'Issuer', 'klm-watcher-selfsigned', 'istio-system', {
      spec: { ca: { secretName: 'klm-watcher' } },
    }),
  );
  const server = {
    hosts: ['listener.example'],
    port: { name: 'https', number: 443, protocol: 'HTTPS' },
    tls: { mode: 'MUTUAL', credentialName: 'klm-istio-gateway' },
  };
  await put(
    client,
    'gateways',
    object('networking.istio.io/v1', 'Gateway', 'klm-watcher', 'kcp-system', {
      spec: { selector: { istio: 'ingressgateway' }, servers: [server] },
    }),
  );
  await put(
    client,
    'secrets',
    object('v1', 'Secret', 'kubeconfig-kyma-1', 'kcp-system', {
      metadata: { labels: { 'operator.kyma-project.io/kyma-name': 'kyma-1' } },
      stringData: { config: await createTokenUser(runtime, runtimeRbac(spec)) },
    }),
  );
  await put(
    client,
    'kymas',
    object('operator.kyma-project.io/v1beta2', 'Kyma', 'kyma-1', 'kcp-system', {
      metadata: {
        labels: { 'kyma-project.io/runtime-id': 'id-1' },
        annotations: { 'skr-domain': 'kyma-1.example' },
      },
    }),
  );
  await put(
    client,
    'trustdomains',
    object('keyturn.kyma-project.io/v1alpha1', 'TrustDomain', 'klm-watcher', 'kcp-system', {
      spec: {
        probe: { delay: '200ms', timeout: '1s', interval: '200ms' },
        proof: { propagationDelay: '500ms', unprovableAfter: '1h' },
        issuer: { privateKey: { algorithm: 'ECDSA', size: 256, encoding: 'PKCS8' } },
        skewMargin: '0s',
      },
    }),
  );
}

async function record(): Promise<RuntimeTrust | undefined> {
  const path = '/apis/keyturn.kyma-project.io/v1alpha1/namespaces/kcp-system/runtimetrusts/kyma-1';
  return (await hub.client.find(path)) as unknown as RuntimeTrust | undefined;
}

test('a runtime gets bundle and pair, and no right was missing', async () => {
  const ready = await waitUntil(
    async () =>
      (await record())?.status?.conditions?.some(({ type, status }) => type === 'Ready' && status === 'True') ?? false,
    { everyMs: 500, timeoutMs: 120_000 },
  );
  const status = (await record())?.status;
  expect(ready, JSON.stringify(status, null, 1)).toBe(true);
  const secret = await runtime.client.find('/api/v1/namespaces/kyma-system/secrets/skr-webhook-tls');
  expect(Object.keys((secret?.['data'] ?? {}) as object).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);

  const metrics = await (await fetch(`${metricsUrl}/metrics`)).text();
  const refused = [...metrics.matchAll(/^keyturn_kube_requests_total\{.*code="40[13]"\} .*$/gm)].map(([line]) => line);
  expect(refused).toEqual([]);
  expect(metrics).toMatch(/^keyturn_leader 1$/m);
  expect(await (await fetch(`${metricsUrl}/readyz?verbose`)).text()).toMatch(/ok\n$/);
});

test('what was done at the gateway is told as events', async () => {
  const events = await hub.client.send('GET', '/apis/events.k8s.io/v1/namespaces/kcp-system/events');
  const told = (events['items'] as { reason: string; reportingController: string }[])
    .filter(({ reportingController }) => reportingController.startsWith('keyturn'))
    .map(({ reason }) => reason);
  expect(told).toContain('GatewaySecretCreated');
});

test('SIGTERM ends it with code 0 and gives the Lease back', async () => {
  operator.kill('SIGTERM');
  expect(await operator.exited).toBe(0);
  const lease = await hub.client.find('/apis/coordination.k8s.io/v1/namespaces/kcp-system/leases/keyturn');
  const holder = lease?.['spec'] as { holderIdentity?: string } | undefined;
  expect(lease).toBeDefined();
  expect(holder?.holderIdentity ?? '').toBe('');
  failed = false;
});
