import { generateKeyPairSync } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { type ApiServer, type ApiServers, startApiServers } from '../../world/real/api-servers.ts';
import { openWorkspace, type Workspace } from '../../world/workspace.ts';
import { readHistory } from '../checker/history-file.ts';
import { createKubeClient, type KubeClient } from '../kubernetes/client.ts';
import { type KubeObject, SECRET, VALIDATING_WEBHOOK_CONFIGURATION } from '../kubernetes/resource.ts';
import { startRecorder } from './recorder.ts';

let workspace: Workspace;
let servers: ApiServers;
let hub: ApiServer;
let runtime: ApiServer;
let hubClient: KubeClient;
let runtimeClient: KubeClient;
const call = { signal: new AbortController().signal };

beforeAll(async () => {
  workspace = await openWorkspace();
  servers = await startApiServers(workspace);
  [hub, runtime] = await Promise.all([servers.start('hub'), servers.start('runtime-1')]);
  hubClient = clientOf(hub);
  runtimeClient = clientOf(runtime);
  for (const [cluster, name] of [
    [hub, 'istio-system'],
    [runtime, 'kyma-system'],
  ] as const) {
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await cluster.client.apply(`/api/v1/namespaces/${name}`, namespace);
  }
});
afterAll(async () => {
  await Promise.all([hubClient?.close(), runtimeClient?.close()]);
  await servers?.stop();
  await workspace?.close({ keepLogs: false });
});

function clientOf({ server, caPem, adminToken }: ApiServer): KubeClient {
  const token = { text: adminToken };
  return createKubeClient({ server, certificateAuthority: { text: caPem }, insecureSkipTlsVerify: false, token });
}

function secret(namespace: string, name: string, data: Readonly<Record<string, string>>): KubeObject {
  const base64 = Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]);
  return { apiVersion: 'v1', kind: 'Secret', metadata: { namespace, name }, data: Object.fromEntries(base64) };
}

test('every version of every Secret is recorded, also across a restart of an API server, and no private key', async () => {
  const ending = new AbortController();
  const file = join(await workspace.subfolder('recorder'), 'history.jsonl');
  const key = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey;
  const keyPem = key.export({ type: 'pkcs8', format: 'pem' }).toString();
  const gateway = { ...call, fieldManager: 'test', force: true };
  await hubClient.apply(SECRET, secret('istio-system', 'klm-istio-gateway', { 'ca.crt': 'before' }), gateway);

  const recorder = await startRecorder({
    hub: hubClient,
    file,
    signal: ending.signal,
    settings: { requestGraceMs: 7 },
  });
  await recorder.addRuntime('runtime-1', runtimeClient);
  for (let version = 0; version < 100; version += 1) {
    const data = { 'ca.crt': `bundle ${version}`, 'tls.key': keyPem };
    await hubClient.apply(SECRET, secret('istio-system', 'klm-istio-gateway', data), gateway);
  }
  await hubClient.apply(SECRET, secret('istio-system', 'runtime-1-webhook-tls', { 'tls.crt': 'pair' }), gateway);
  await hubClient.delete(SECRET, { namespace: 'istio-system', name: 'runtime-1-webhook-tls' }, call);
  const webhook = (caBundle: string) => ({
    apiVersion: 'admissionregistration.k8s.io/v1',
    kind: 'ValidatingWebhookConfiguration',
    metadata: { name: 'skr-webhook' },
    webhooks: [
      {
        name: 'a.b.c',
        clientConfig: { url: 'https://localhost:1/x', caBundle: Buffer.from(caBundle).toString('base64') },
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
      },
    ],
  });
  await runtimeClient.apply(SECRET, secret('kyma-system', 'skr-webhook-tls', { 'ca.crt': 'one' }), gateway);
  await runtime.stop();
  runtime = await servers.start('runtime-1');
  for (const bundle of ['two', 'three']) {
    await runtimeClient.apply(SECRET, secret('kyma-system', 'skr-webhook-tls', { 'ca.crt': bundle }), gateway);
  }
  // An API server takes nothing that is no certificate as caBundle, so an empty one has to do.
  await runtimeClient.apply(VALIDATING_WEBHOOK_CONFIGURATION, webhook(''), gateway);
  recorder.swapped('runtime-1', {
    atMs: Date.now(),
    resourceVersion: '1',
    data: new Map([['tls.key', Buffer.from(keyPem)]]),
  });
  const history = await recorder.stop();

  const bundles = (role: string) =>
    history.secrets.filter((version) => version.role === role).map(({ data }) => data?.['ca.crt']);
  expect(history.gaps).toEqual([]);
  expect(bundles('gateway')).toEqual(['before', ...Array.from({ length: 100 }, (_, version) => `bundle ${version}`)]);
  expect(bundles('runtime')).toEqual(['one', 'two', 'three']);
  expect(history.secrets.filter(({ role }) => role === 'hub-client').map(({ data }) => data)).toEqual([
    { 'tls.crt': 'pair' },
    null,
  ]);
  expect(history.webhooks.map(({ caBundles }) => caBundles)).toEqual([['']]);
  const text = await readFile(file, 'utf8');
  expect(text).not.toContain('PRIVATE KEY');
  expect(text).not.toContain(keyPem.split('\n')[1]);
  expect(await readHistory(file)).toEqual(history);
  ending.abort();
}, 120_000);
