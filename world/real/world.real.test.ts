import { afterAll, beforeAll, expect, test } from 'vitest';
import { createCa, issueLeaf } from '../certificates.ts';
import { waitUntil } from '../wait.ts';
import type { ApiServer } from './api-servers.ts';
import { type RealWorld, startWorld } from './world.ts';

let world: RealWorld;
let failed = true;
beforeAll(async () => {
  world = await startWorld({ runtimes: 1, istio: true, gateways: 1 });
});
afterAll(async () => {
  await world?.stop({ failed });
});

const clusterOf = async ({ client }: ApiServer) => (await client.find('/api/v1/namespaces/kube-system'))?.metadata?.uid;

test('a runtime that restarts is the same cluster; one that was removed and joins again is another', async () => {
  const before = await clusterOf(world.runtime('runtime-1'));
  const { kubeconfig } = world.runtime('runtime-1');
  const again = await world.restartRuntime('runtime-1');
  expect(await clusterOf(again)).toBe(before);
  expect(again.kubeconfig).toBe(kubeconfig);

  await world.removeRuntime('runtime-1');
  expect(world.runtimes()).toEqual([]);
  const anew = await world.addRuntime('runtime-1');
  expect(await clusterOf(anew)).toBeDefined();
  expect(await clusterOf(anew)).not.toBe(before);
});

test('a Secret written to the runtime is mounted, and the traffic with it is answered through the gateway', async () => {
  const root = await createCa({ commonName: 'klm-watcher' });
  const server = await issueLeaf(root, { commonName: 'server', dnsNames: [world.gateway.host] });
  const client = await issueLeaf(root, { commonName: 'runtime-1' });
  const write = (cluster: ApiServer, namespace: string, name: string, pair: typeof server) =>
    cluster.client.apply(`/api/v1/namespaces/${namespace}/secrets/${name}`, {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace },
      stringData: { 'tls.crt': pair.certificatePem, 'tls.key': pair.keyPem, 'ca.crt': root.certificatePem },
    });
  await write(world.hub, 'istio-system', 'klm-istio-gateway', server);
  const watcher = await world.startWatcher('runtime-1', { seed: 7, delay: { minMs: 0, maxMs: 500 } });
  const written = await write(world.runtime('runtime-1'), 'kyma-system', 'skr-webhook-tls', client);
  expect(await waitUntil(() => watcher.traffic.counts().ok > 20, { everyMs: 100, timeoutMs: 30_000 })).toBe(true);
  expect(watcher.kubelet.mounted()?.resourceVersion).toBe(written.metadata?.resourceVersion);
  expect(watcher.kubelet.mounted()?.data.get('tls.crt')?.toString()).toBe(client.certificatePem);
  const counts = await watcher.stop();
  expect(counts).toMatchObject({ failed: 0, unfinished: 0, ok: counts.sent });
  expect(world.failures()).toEqual([]);
  failed = false;
});

test('a world that cannot start ends what it had started', async () => {
  const abort = new AbortController();
  const start = startWorld({ runtimes: 1, signal: abort.signal });
  setTimeout(() => abort.abort(new Error('enough')), 1_000);
  await expect(start).rejects.toThrow();
});
