import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { createKubeClient, type KubeClient } from '../../kubernetes/client.ts';
import { parseKubeconfig } from '../../kubernetes/kubeconfig.ts';
import { NAMESPACE, SECRET } from '../../kubernetes/resource.ts';
import { onRequestSeen, type RequestSeen } from './request-seen.ts';
import { type EmbeddedCluster, startCluster } from './start-cluster.ts';

let cluster: EmbeddedCluster;
let client: KubeClient;
let ending: AbortController;
let call: { readonly signal: AbortSignal };
const ref = { namespace: 'default', name: 'x' };

beforeEach(async () => {
  ending = new AbortController();
  call = { signal: ending.signal };
  cluster = await startCluster({ name: 'hub' });
  client = createKubeClient(parseKubeconfig(cluster.kubeconfig));
});
afterEach(async () => {
  ending.abort();
  await client?.close();
  await cluster?.stop();
});

describe('a planted fault', () => {
  test('meets the requests of its filter and no others, as often as it is asked to', async () => {
    const fault = cluster.faults.answer(
      { code: 429, retryAfterSeconds: 3 },
      { verb: 'create', resource: 'secrets' },
      { times: 1 },
    );
    await expect(client.create(SECRET, { metadata: ref }, call)).rejects.toMatchObject({
      status: 429,
      reason: 'TooManyRequests',
      retryAfterMs: 3_000,
    });
    await client.create(SECRET, { metadata: ref }, call);
    await client.get(NAMESPACE, { name: 'default' }, call);
    expect(fault.hits).toBe(1);
  });

  test('after the act leaves it done', async () => {
    cluster.faults.answer({ code: 503 }, { verb: 'create' }, { when: 'after' });
    await expect(client.create(SECRET, { metadata: ref }, call)).rejects.toMatchObject({
      status: 503,
      outcome: 'unknown',
    });
    expect(await client.find(SECRET, ref, call)).toBeDefined();
  });

  test('cuts the connection in place of an answer', async () => {
    cluster.faults.disconnect({ verb: 'create' });
    await expect(client.create(SECRET, { metadata: ref }, call)).rejects.toMatchObject({ outcome: 'unknown' });
    cluster.faults.clear();
    expect(await client.find(SECRET, ref, call)).toBeUndefined();
  });

  test('makes answers late', async () => {
    cluster.faults.latency(80, { verb: 'get' });
    const startedMs = performance.now();
    await client.get(NAMESPACE, { name: 'default' }, call);
    expect(performance.now() - startedMs).toBeGreaterThan(75);
  });

  test('of silence holds a request until it is removed', async () => {
    const silence = cluster.faults.silence({ verb: 'create' });
    const written = client.create(SECRET, { metadata: ref }, call);
    expect(await client.find(SECRET, ref, call)).toBeUndefined();
    silence.remove();
    expect((await written).metadata.name).toBe('x');
  });
});

describe('an unplugged cluster', () => {
  test('cuts what is open, refuses what comes, and is back with its data on the same port', async () => {
    const made = await client.create(SECRET, { metadata: ref }, call);
    const stream = await client.stream(
      {
        verb: 'watch',
        resource: SECRET,
        method: 'GET',
        path: '/api/v1/secrets',
        query: { watch: 'true' },
        headers: { accept: 'application/json' },
      },
      call,
    );
    const read = (async () => {
      for await (const _ of stream.chunks);
    })();
    const broken = expect(read).rejects.toThrow();
    await cluster.unplug();
    await broken;
    await expect(client.get(SECRET, ref, call)).rejects.toMatchObject({ outcome: 'refused', reason: 'Unreachable' });
    await cluster.plugIn();
    expect(await client.get(SECRET, ref, call)).toEqual(made);
  });
});

test('every request is told after its answer, without its contents', async () => {
  const seen: RequestSeen[] = [];
  const off = onRequestSeen((request) => seen.push(request));
  const data = { key: Buffer.from('do not tell').toString('base64') };
  await client.create(SECRET, { metadata: ref, data }, { ...call, fieldManager: 'me' });
  await client.find(SECRET, { ...ref, name: 'none' }, call);
  off();
  await client.find(SECRET, ref, call);
  expect(seen).toMatchObject([
    {
      verb: 'create',
      resource: 'secrets',
      namespace: 'default',
      code: 201,
      query: { fieldManager: 'me' },
      username: 'admin',
    },
    { verb: 'get', resource: 'secrets', name: 'none', code: 404 },
  ]);
  expect(JSON.stringify(seen)).not.toContain(data.key);
  expect(JSON.stringify(seen)).not.toContain(cluster.adminToken);
});

test('many clusters live in one process', async () => {
  const many = await Promise.all(Array.from({ length: 20 }, (_, i) => startCluster({ name: `runtime-${i}` })));
  const uids = await Promise.all(
    many.map(async (one) => {
      const own = createKubeClient(parseKubeconfig(one.kubeconfig));
      const { metadata } = await own.get(NAMESPACE, { name: 'kube-system' }, call);
      await own.close();
      return metadata.uid;
    }),
  );
  expect(new Set(uids).size).toBe(20);
  await Promise.all(many.map((one) => one.stop()));
});
