import { X509Certificate } from 'node:crypto';
import { request } from 'node:https';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCa, issueLeaf, type Pair } from '../certificates.ts';
import { pause, waitUntil } from '../wait.ts';
import { openSecretVolume } from './secret-volume.ts';
import { startTraffic } from './traffic.ts';
import { type RealWorld, startWorld } from './world.ts';

const slowMs = 1_500;
let world: RealWorld;
let failed = true;
let rootA: Pair;
let rootB: Pair;
let serverPair: Pair;

beforeAll(async () => {
  [rootA, rootB] = await Promise.all([
    createCa({ commonName: 'klm-watcher' }),
    createCa({ commonName: 'klm-watcher' }),
  ]);
  world = await startWorld({ runtimes: 0, istio: true, gateways: 2, slowGatewayDelayMs: slowMs });
  serverPair = await issueLeaf(rootA, { commonName: 'server', dnsNames: [world.gateway.host] });
  await writeGatewaySecret([rootA]);
});
afterAll(async () => {
  const logs = await world?.stop({ failed });
  if (logs) console.log(`Logs: ${logs}`);
});

const indices = [0, 1];

test('each Envoy answers a client certificate of a bundled root and refuses any other', async () => {
  const client = await issueLeaf(rootA, { commonName: 'runtime-1' });
  const stranger = await issueLeaf(rootB, { commonName: 'runtime-1' });
  for (const index of indices) {
    const answered = await waitUntil(async () => (await ask(index, client)) === 200, {
      everyMs: 100,
      timeoutMs: 20_000,
    });
    expect(answered, `Envoy ${index}`).toBe(true);
    await expect(ask(index, stranger)).rejects.toThrow();
  }
});

test('the dump shows the bundle and the server certificate in use, and the slow Envoy has them later', async () => {
  const certificate = new X509Certificate(serverPair.certificatePem);
  for (const index of indices) {
    const { serverCertificate } = await world.gateway.configDump(index);
    expect(new X509Certificate(serverCertificate?.pem ?? '').fingerprint256).toBe(certificate.fingerprint256);
  }
  const startedMs = performance.now();
  await writeGatewaySecret([rootB, rootA]);
  const seenAfterMs = await Promise.all(
    indices.map(async (index) => {
      const holds = async () => (await world.gateway.configDump(index)).bundle?.pem.match(/BEGIN/g)?.length === 2;
      expect(await waitUntil(holds, { everyMs: 20, timeoutMs: 20_000 })).toBe(true);
      return performance.now() - startedMs;
    }),
  );
  console.log(`new bundle in use after ${seenAfterMs.map(Math.round).join(' and ')} ms`);
  expect(seenAfterMs[0]).toBeLessThan(slowMs);
  expect(seenAfterMs[1]).toBeGreaterThanOrEqual(slowMs);
  const client = await issueLeaf(rootB, { commonName: 'runtime-1' });
  for (const index of indices) expect(await ask(index, client)).toBe(200);
});

test('the traffic client counts no failure while its certificate moves to another bundled root', async () => {
  const volume = await openSecretVolume(join(world.workspace.folder, 'mount'));
  const mount = async (root: Pair) => {
    const pair = await issueLeaf(root, { commonName: 'runtime-1' });
    const files = {
      'tls.crt': pair.certificatePem,
      'tls.key': pair.keyPem,
      'ca.crt': rootB.certificatePem + rootA.certificatePem,
    };
    await volume.replace(new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])));
    return new X509Certificate(pair.certificatePem).serialNumber.toLowerCase();
  };
  const traffic = await startTraffic({
    runtime: 'runtime-1',
    mountFolder: volume.folder,
    addresses: world.gateway.endpoints.map(({ host, port }) => `${host}:${port}`),
    serverName: world.gateway.host,
    seed: 1,
    workspace: world.workspace,
  });
  await pause(1_500);
  expect(traffic.counts().sent).toBe(0);
  await mount(rootA);
  await pause(3_000);
  const serial = await mount(rootB);
  await pause(3_000);
  expect(traffic.latest()).toMatchObject({ clientSerial: serial, caCount: 2, keptDials: 1, lastError: '' });
  expect(Object.keys(traffic.latest()?.servers ?? {})).toHaveLength(2);
  const counts = await traffic.stop();
  console.log('traffic', counts);
  expect(counts).toMatchObject({ failed: 0, unfinished: 0, ok: counts.sent, retried: 0 });
  expect(counts.sent).toBeGreaterThan(50);
});

test('a request that is refused for 10 s has failed, with its errors', async () => {
  const volume = await openSecretVolume(join(world.workspace.folder, 'mount-of-a-stranger'));
  const pair = await issueLeaf(await createCa({ commonName: 'klm-watcher' }), { commonName: 'stranger' });
  const files = { 'tls.crt': pair.certificatePem, 'tls.key': pair.keyPem, 'ca.crt': rootA.certificatePem };
  await volume.replace(new Map(Object.entries(files).map(([name, text]) => [name, Buffer.from(text)])));
  const [endpoint] = world.gateway.endpoints;
  const traffic = await startTraffic({
    runtime: 'stranger',
    mountFolder: volume.folder,
    addresses: [`${endpoint?.host}:${endpoint?.port}`],
    serverName: world.gateway.host,
    ratePerSecond: 2,
    seed: 1,
    workspace: world.workspace,
  });
  await pause(1_500);
  const counts = await traffic.stop();
  expect(counts.failed).toBe(counts.sent);
  expect(counts.failed).toBeGreaterThan(0);
  expect(traffic.failures()[0]?.errors.join()).toMatch(/certificate/);
});

test('an Envoy that was killed comes back on its port', async () => {
  const client = await issueLeaf(rootA, { commonName: 'runtime-1' });
  await world.gateway.restartEndpoint(0);
  expect(await waitUntil(async () => (await ask(0, client)) === 200, { everyMs: 100, timeoutMs: 20_000 })).toBe(true);
  expect(world.failures()).toEqual([]);
  failed = false;
});

async function writeGatewaySecret(bundle: readonly Pair[]): Promise<void> {
  await world.hub.client.apply('/api/v1/namespaces/istio-system/secrets/klm-istio-gateway', {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'klm-istio-gateway', namespace: 'istio-system' },
    stringData: {
      'tls.crt': serverPair.certificatePem,
      'tls.key': serverPair.keyPem,
      'ca.crt': bundle.map(({ certificatePem }) => certificatePem).join(''),
    },
  });
}

/** One request with a connection of its own. @returns the HTTP status. */
function ask(index: number, client: Pair): Promise<number> {
  const endpoint = world.gateway.endpoints[index];
  return new Promise((resolve, reject) => {
    request({
      host: endpoint?.host,
      port: endpoint?.port,
      servername: world.gateway.host,
      headers: { host: world.gateway.host },
      path: '/v2/lifecycle-manager/event',
      ca: rootA.certificatePem,
      cert: client.certificatePem,
      key: client.keyPem,
      agent: false,
      timeout: 5_000,
    })
      .on('response', (response) => {
        response.resume();
        resolve(response.statusCode ?? 0);
      })
      .on('timeout', () => reject(new Error('no answer within 5 s')))
      .on('error', reject)
      .end();
  });
}
