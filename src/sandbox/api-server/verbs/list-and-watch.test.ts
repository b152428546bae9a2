import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createKubeClient, type KubeClient } from '../../../kubernetes/client.ts';
import { parseKubeconfig } from '../../../kubernetes/kubeconfig.ts';
import * as requests from '../../../kubernetes/request.ts';
import { NAMESPACE, type ObjectMeta, SECRET, type SecretObject } from '../../../kubernetes/resource.ts';
import { type EmbeddedCluster, startCluster } from '../start-cluster.ts';

interface Event {
  readonly type: string;
  readonly object: SecretObject & { readonly code?: number; readonly message?: string };
}

let cluster: EmbeddedCluster;
let client: KubeClient;
let namespace = '';
let count = 0;
const ending = new AbortController();
const call = { signal: ending.signal };

beforeAll(async () => {
  cluster = await startCluster({ name: 'hub' });
  client = createKubeClient(parseKubeconfig(cluster.kubeconfig));
});
afterAll(async () => {
  ending.abort();
  await client?.close();
  await cluster?.stop();
});
beforeEach(async () => {
  count += 1;
  namespace = `n${count}`;
  await client.create(NAMESPACE, { metadata: { name: namespace } }, call);
});

const create = (name: string, metadata: Partial<ObjectMeta> = {}) =>
  client.create<SecretObject>(SECRET, { metadata: { namespace, name, ...metadata } }, call);
const names = (items: readonly SecretObject[]) => items.map(({ metadata }) => metadata.name);

/** The first events of a watch. */
async function events(query: Readonly<Record<string, string>>, number: number): Promise<readonly Event[]> {
  const base = requests.watch(SECRET, { namespace }, {});
  const stream = await client.stream({ ...base, query: { watch: 'true', ...query } }, call);
  const found: Event[] = [];
  let text = '';
  for await (const chunk of stream.chunks) {
    text += chunk.toString('utf8');
    const lines = text.split('\n');
    text = lines.pop() ?? '';
    found.push(...lines.map((line) => JSON.parse(line) as Event));
    if (found.length >= number) break;
  }
  stream.close();
  return found;
}

describe('pages of a list', () => {
  test('show one moment, whatever is written in between', async () => {
    for (const name of ['a', 'b', 'c', 'd', 'e']) await create(name);
    const first = await client.page<SecretObject>(SECRET, { namespace }, { limit: 2 }, call);
    await create('b2');
    await client.delete(SECRET, { namespace, name: 'e' }, call);
    const second = await client.page<SecretObject>(
      SECRET,
      { namespace },
      { limit: 9, continue: first.continue ?? '' },
      call,
    );
    expect(names([...first.items, ...second.items])).toEqual(['a', 'b', 'c', 'd', 'e']);
    expect(second.resourceVersion).toBe(first.resourceVersion);
    expect(second.continue).toBeUndefined();
  });

  test('that are asked for too late are gone', async () => {
    for (const name of ['a', 'b']) await create(name);
    const first = await client.page<SecretObject>(SECRET, { namespace }, { limit: 1 }, call);
    cluster.faults.forgetHistory();
    await expect(client.page(SECRET, { namespace }, { continue: first.continue ?? '' }, call)).rejects.toMatchObject({
      status: 410,
      reason: 'Expired',
    });
  });

  test('keep to selectors of labels and fields', async () => {
    await create('x', { labels: { a: '1' } });
    await create('y', { labels: { a: '2' } });
    await client.create<SecretObject>(SECRET, { metadata: { namespace, name: 'z' }, type: 'example.com/other' }, call);
    const list = async (selection: requests.Selection) =>
      names((await client.list<SecretObject>(SECRET, { namespace, ...selection }, call)).items);
    expect(await list({ labelSelector: 'a' })).toEqual(['x', 'y']);
    expect(await list({ labelSelector: 'a in (2,3)' })).toEqual(['y']);
    expect(await list({ fieldSelector: 'metadata.name=z' })).toEqual(['z']);
    expect(await list({ fieldSelector: 'type=Opaque' })).toEqual(['x', 'y']);
    await expect(list({ fieldSelector: 'spec.colour=red' })).rejects.toMatchObject({ status: 400 });
  });

  test('can hold the metadata alone', async () => {
    await create('x', { labels: { a: '1' } });
    const { items } = await client.list<SecretObject>(SECRET, { namespace, metadataOnly: true }, call);
    expect(items[0]?.metadata.labels).toEqual({ a: '1' });
    expect(items[0]?.data).toBeUndefined();
  });
});

describe('a watch', () => {
  test('goes on after a version and misses nothing', async () => {
    const { metadata } = await create('a');
    await create('b');
    await client.mergePatch(SECRET, { namespace, name: 'b' }, { data: { k: 'dg==' } }, call);
    await client.delete(SECRET, { namespace, name: 'a' }, call);
    const seen = await events({ resourceVersion: metadata.resourceVersion ?? '' }, 3);
    expect(seen.map(({ type, object }) => `${type} ${object.metadata.name}`)).toEqual([
      'ADDED b',
      'MODIFIED b',
      'DELETED a',
    ]);
    const versions = seen.map(({ object }) => Number(object.metadata.resourceVersion));
    expect(versions).toEqual([...versions].sort((one, other) => one - other));
  });

  test('shows what leaves its selector as deleted and what enters as added', async () => {
    const { metadata } = await create('a', { labels: { on: 'yes' } });
    await client.mergePatch(SECRET, { namespace, name: 'a' }, { metadata: { labels: { on: 'no' } } }, call);
    await client.mergePatch(SECRET, { namespace, name: 'a' }, { metadata: { labels: { on: 'yes' } } }, call);
    const seen = await events({ resourceVersion: metadata.resourceVersion ?? '', labelSelector: 'on=yes' }, 2);
    expect(seen.map(({ type }) => type)).toEqual(['DELETED', 'ADDED']);
    expect(seen[0]?.object.metadata.labels).toEqual({ on: 'yes' });
  });

  test('with initial events ends them with a bookmark', async () => {
    await create('a');
    const query = { sendInitialEvents: 'true', resourceVersionMatch: 'NotOlderThan', allowWatchBookmarks: 'true' };
    const seen = await events(query, 2);
    expect(seen.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK']);
    expect(seen[1]?.object.metadata.annotations).toEqual({ 'k8s.io/initial-events-end': 'true' });
    await expect(events({ sendInitialEvents: 'true' }, 1)).rejects.toMatchObject({ status: 422 });
  });

  test('from a version that is forgotten gets a 410 as its only event', async () => {
    const { metadata } = await create('a');
    await create('b');
    cluster.faults.forgetHistory();
    const [seen] = await events({ resourceVersion: metadata.resourceVersion ?? '' }, 1);
    expect(seen).toMatchObject({ type: 'ERROR', object: { code: 410, reason: 'Expired' } });
    expect(seen?.object.message).toContain('too old resource version');
  });

  test('ends after its time with a bookmark', async () => {
    await create('a');
    const seen = await events({ timeoutSeconds: '1', allowWatchBookmarks: 'true' }, 99);
    expect(seen.map(({ type }) => type)).toEqual(['ADDED', 'BOOKMARK']);
  });

  test('loses events where that is asked for', async () => {
    const lost = cluster.faults.loseWatchEvents({ resource: 'secrets', namespace }, { times: 1 });
    const { metadata } = await create('a');
    await create('b');
    await create('c');
    const seen = await events({ resourceVersion: metadata.resourceVersion ?? '' }, 1);
    expect(seen.map(({ object }) => object.metadata.name)).toEqual(['c']);
    expect(lost.hits).toBe(1);
    lost.remove();
  });
});
