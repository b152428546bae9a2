import { describe, expect, test } from 'vitest';
import { createKubeClient } from './client.ts';
import { isNotFound } from './errors.ts';
import { answerJson, startLoopback } from './loopback-server.ts';
import { type KubeObject, SECRET, type SecretObject } from './resource.ts';

const signal = new AbortController().signal;
const call = { signal };
const ref = { namespace: 'kcp', name: 'a' };

describe('the client', () => {
  test('keeps every field the server sent, known or not', async () => {
    const object = {
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { ...ref, newMetaField: { deep: [1] } },
      futureField: 'kept',
    };
    await using server = await startLoopback((_, response) => answerJson(response, 200, object));
    const client = createKubeClient(server.config);
    expect(await client.get<SecretObject>(SECRET, ref, call)).toEqual(object);
    await client.close();
  });

  test('finds nothing at 404, and throws it from get', async () => {
    await using server = await startLoopback((_, response) => answerJson(response, 404, { reason: 'NotFound' }));
    const client = createKubeClient(server.config);
    expect(await client.find(SECRET, ref, call)).toBeUndefined();
    expect(await client.delete(SECRET, ref, call)).toBe(false);
    expect(isNotFound(await client.get(SECRET, ref, call).catch((error: unknown) => error))).toBe(true);
    await client.close();
  });

  test('lists all pages and gives built-in objects the type that the server leaves out', async () => {
    await using server = await startLoopback((incoming, response) => {
      const token = new URL(incoming.url ?? '', 'http://host').searchParams.get('continue');
      const [name, next] = token === null ? ['a', 'two'] : ['b', ''];
      answerJson(response, 200, {
        kind: 'SecretList',
        metadata: { resourceVersion: '9', continue: next },
        items: [{ metadata: { namespace: 'kcp', name } }],
      });
    });
    const client = createKubeClient(server.config, { pageSize: 1 });
    const list = await client.list<SecretObject>(SECRET, {}, call);
    expect(list.resourceVersion).toBe('9');
    expect(list.items.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, metadata.name])).toEqual([
      ['v1', 'Secret', 'a'],
      ['v1', 'Secret', 'b'],
    ]);
    expect(server.seen).toEqual(['GET /api/v1/secrets?limit=1', 'GET /api/v1/secrets?limit=1&continue=two']);
    await client.close();
  });

  test('sends a read once more when the connection breaks, and a write never', async () => {
    let requests = 0;
    await using server = await startLoopback((incoming, response) => {
      requests += 1;
      if (requests % 2 === 1) incoming.socket.resetAndDestroy();
      else answerJson(response, 200, { metadata: ref });
    });
    const client = createKubeClient(server.config);
    expect((await client.get<KubeObject>(SECRET, ref, call)).metadata.name).toBe('a');
    await expect(client.replace(SECRET, { metadata: ref }, call)).rejects.toMatchObject({ outcome: 'unknown' });
    expect(requests).toBe(3);
    await client.close();
  });

  test('takes an answer that is no JSON for a fault that leaves a write unknown', async () => {
    await using server = await startLoopback((_, response) => response.writeHead(200).end('<html>'));
    const client = createKubeClient(server.config);
    await expect(client.create(SECRET, { metadata: ref }, call)).rejects.toMatchObject({
      reason: 'MalformedResponse',
      outcome: 'unknown',
    });
    await client.close();
  });

  test('throws the refusal of a watch with its status', async () => {
    await using server = await startLoopback((_, response) => answerJson(response, 410, { reason: 'Expired' }));
    const client = createKubeClient(server.config);
    const { watch } = await import('./request.ts');
    await expect(client.stream(watch(SECRET), call)).rejects.toMatchObject({ status: 410, reason: 'Expired' });
    await client.close();
  });
});
