import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKubeClient, type KubeClient } from '../../kubernetes/client.ts';
import { parseKubeconfig } from '../../kubernetes/kubeconfig.ts';
import { NAMESPACE, SECRET, type SecretObject } from '../../kubernetes/resource.ts';
import { type EmbeddedCluster, startCluster } from './start-cluster.ts';

let cluster: EmbeddedCluster;
let client: KubeClient;
const ending = new AbortController();
const call = { signal: ending.signal };

beforeAll(async () => {
  cluster = await startCluster({ name: 'hub' });
  client = createKubeClient(parseKubeconfig(cluster.kubeconfig));
  await client.create(NAMESPACE, { metadata: { name: 'here' } }, call);
});
afterAll(async () => {
  ending.abort();
  await client?.close();
  await cluster?.stop();
});

describe('a cluster', () => {
  test('has its namespaces from the start', async () => {
    const { items } = await client.list(NAMESPACE, {}, call);
    expect(items.map(({ metadata }) => metadata.name)).toEqual([
      'default',
      'here',
      'kube-node-lease',
      'kube-public',
      'kube-system',
    ]);
  });

  test('keeps what is created, changed and deleted', async () => {
    const ref = { namespace: 'here', name: 'one' };
    const created = await client.create<SecretObject>(SECRET, { metadata: ref, data: { a: 'YQ==' } }, call);
    expect(created).toMatchObject({ type: 'Opaque', data: { a: 'YQ==' }, metadata: { namespace: 'here' } });
    const replaced = await client.replace<SecretObject>(SECRET, { ...created, data: { a: 'Yg==' } }, call);
    expect(replaced.data).toEqual({ a: 'Yg==' });
    await expect(client.replace(SECRET, created, call)).rejects.toMatchObject({ status: 409, reason: 'Conflict' });
    expect(await client.delete(SECRET, ref, call)).toBe(true);
    expect(await client.find(SECRET, ref, call)).toBeUndefined();
  });
});
