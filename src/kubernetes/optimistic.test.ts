import { expect, test } from 'vitest';
import { createKubeClient } from './client.ts';
import { createMemoryTransport, refusal } from './memory-transport.ts';
import { modify } from './optimistic.ts';
import { SECRET, type SecretObject } from './resource.ts';

const signal = new AbortController().signal;
const ref = { namespace: 'kcp', name: 'a' };

async function withSecret() {
  const transport = createMemoryTransport();
  const client = createKubeClient({ server: 'http://memory', insecureSkipTlsVerify: false }, { transport });
  const created = await client.create<SecretObject>(SECRET, { metadata: ref, data: { n: '0' } }, { signal });
  transport.requests.length = 0;
  return { transport, client, created };
}

test('a change meets the newest object when another writer comes between', async () => {
  const { client, created } = await withSecret();
  let times = 0;
  const seen: unknown[] = [];
  const result = await modify<SecretObject>(
    client,
    SECRET,
    ref,
    (current) => {
      seen.push(current.data?.['n']);
      times += 1;
      // The other writer wins the race during our first attempt.
      if (times === 1) void client.replace(SECRET, { ...created, data: { n: '1' } }, { signal });
      return { ...current, data: { ...current.data, mine: 'yes' } };
    },
    { signal },
  );
  expect(seen).toEqual(['0', '1']);
  expect(result.data).toEqual({ n: '1', mine: 'yes' });
});

test('a change that wants nothing writes nothing', async () => {
  const { transport, client } = await withSecret();
  await modify(client, SECRET, ref, () => undefined, { signal });
  expect(transport.requests.map(({ verb }) => verb)).toEqual(['get']);
});

test('the condition stands even if the change drops the metadata it was read with', async () => {
  const { transport, client, created } = await withSecret();
  await modify<SecretObject>(client, SECRET, ref, () => ({ metadata: ref, data: {} }), { signal });
  const body = JSON.parse(transport.requests.at(-1)?.body ?? '') as SecretObject;
  expect(body.metadata).toMatchObject({ uid: created.metadata.uid, resourceVersion: created.metadata.resourceVersion });
});

test('five conflicts in a row are a fight, which the caller hears of', async () => {
  const { transport, client } = await withSecret();
  transport.intercept = (request) => (request.verb === 'replace' ? refusal(409, 'Conflict') : undefined);
  await expect(modify<SecretObject>(client, SECRET, ref, (s) => ({ ...s }), { signal })).rejects.toMatchObject({
    status: 409,
  });
  expect(transport.requests.filter(({ verb }) => verb === 'replace')).toHaveLength(5);
});
