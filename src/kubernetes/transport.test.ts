import { createServer } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { KubeError, mayHaveBeenWritten } from './errors.ts';
import { answerJson, startLoopback } from './loopback-server.ts';
import * as request from './request.ts';
import { SECRET } from './resource.ts';
import { createTransport, type RequestRecord } from './transport.ts';

const signal = new AbortController().signal;
const getSecret = request.get(SECRET, { namespace: 'istio-system', name: 'klm-watcher' });
const createSecret = request.create(SECRET, { metadata: { namespace: 'istio-system', name: 'klm-watcher' } });

async function failure(promise: Promise<unknown>): Promise<KubeError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof KubeError)) throw new Error(`expected a KubeError, got ${String(error)}`);
  return error;
}

async function unusedPort(): Promise<number> {
  await using server = await startLoopback(() => undefined);
  return server.port;
}

describe('a request without an answer', () => {
  test('is refused for sure when nothing listens, for every one of many waiting calls', async () => {
    const config = { server: `http://127.0.0.1:${await unusedPort()}`, insecureSkipTlsVerify: false };
    const transport = createTransport(config, { connections: 2 });
    const errors = await Promise.all(
      Array.from({ length: 20 }, () => failure(transport.send(createSecret, { signal, timeoutMs: 5_000 }))),
    );
    expect(new Set(errors.map((e) => `${e.reason} ${e.outcome} ${e.retry}`))).toEqual(
      new Set(['Unreachable refused later']),
    );
    await transport.close();
  });

  test('leaves a write unknown when the connection breaks after it was sent', async () => {
    await using server = await startLoopback((incoming) => incoming.socket.resetAndDestroy());
    const transport = createTransport(server.config);
    const error = await failure(transport.send(createSecret, { signal }));
    expect(error).toMatchObject({ reason: 'ConnectionLost', outcome: 'unknown', retry: 'later', status: undefined });
    expect(mayHaveBeenWritten(error)).toBe(true);
    await transport.close();
  });

  test('leaves a write unknown when the answer breaks off in its body', async () => {
    await using server = await startLoopback((incoming, response) => {
      response.writeHead(201, { 'content-length': '1000' });
      response.write('{"kind":');
      setTimeout(() => incoming.socket.resetAndDestroy(), 20);
    });
    const transport = createTransport(server.config);
    expect(await failure(transport.send(createSecret, { signal }))).toMatchObject({
      reason: 'ConnectionLost',
      outcome: 'unknown',
    });
    await transport.close();
  });

  test('leaves a write unknown when the server does not answer in time', async () => {
    await using server = await startLoopback(() => undefined);
    const transport = createTransport(server.config, { timeoutMs: 50 });
    expect(await failure(transport.send(createSecret, { signal }))).toMatchObject({
      reason: 'TimedOut',
      outcome: 'unknown',
      retry: 'later',
    });
    await transport.close();
  });

  test('is refused for sure, and is never sent, when its time runs out before a connection is free', async () => {
    await using server = await startLoopback(() => undefined);
    const transport = createTransport(server.config, { connections: 1, timeoutMs: 300 });
    const first = failure(transport.send(getSecret, { signal }));
    const waiting = await failure(transport.send(createSecret, { signal, timeoutMs: 50 }));
    expect(waiting).toMatchObject({ reason: 'TimedOut', outcome: 'refused' });
    await first;
    await sleep(50);
    expect(server.seen).toEqual([`GET ${getSecret.path}`]);
    await transport.close();
  });

  test('is unknown when aborted under way and refused when aborted before', async () => {
    await using server = await startLoopback(() => undefined);
    const transport = createTransport(server.config);
    const controller = new AbortController();
    const running = failure(transport.send(createSecret, { signal: controller.signal }));
    while (server.seen.length === 0) await sleep(5);
    controller.abort();
    expect(await running).toMatchObject({ reason: 'Aborted', outcome: 'unknown', retry: 'no' });
    expect(await failure(transport.send(createSecret, { signal: controller.signal }))).toMatchObject({
      reason: 'Aborted',
      outcome: 'refused',
    });
    expect(server.seen).toHaveLength(1);
    await transport.close();
  });

  test('is refused for sure when the TLS handshake gets no TLS', async () => {
    await using server = await startLoopback(() => undefined);
    const transport = createTransport({ server: `https://127.0.0.1:${server.port}`, insecureSkipTlsVerify: true });
    const error = await failure(transport.send(createSecret, { signal }));
    expect(error.outcome).toBe('refused');
    await transport.close();
  });

  test('that is called off leaves no handshake behind once the client is closed', async () => {
    let hungUp = false;
    const blackHole = createServer((socket) => {
      // What a client that hangs up has sent has to be taken before its end is seen.
      socket.resume();
      socket
        .on('error', () => undefined)
        .on('close', () => {
          hungUp = true;
        });
    });
    await new Promise<void>((resolve) => blackHole.listen(0, '127.0.0.1', resolve));
    const { port } = blackHole.address() as { port: number };
    const transport = createTransport({ server: `https://127.0.0.1:${port}`, insecureSkipTlsVerify: true });
    const calledOff = AbortSignal.timeout(100);
    expect(await failure(transport.send(createSecret, { signal: calledOff }))).toMatchObject({ reason: 'Aborted' });
    await transport.close();
    await expect.poll(() => hungUp).toBe(true);
    blackHole.close();
  });

  test('fails within the connect limit when the server accepts and says nothing to a TLS hello', async () => {
    const blackHole = createServer(() => undefined);
    await new Promise<void>((resolve) => blackHole.listen(0, '127.0.0.1', resolve));
    const { port } = blackHole.address() as { port: number };
    const transport = createTransport(
      { server: `https://127.0.0.1:${port}`, insecureSkipTlsVerify: true },
      { timeoutMs: 100 },
    );
    expect(await failure(transport.send(createSecret, { signal }))).toMatchObject({
      reason: 'TimedOut',
      outcome: 'refused',
    });
    const closed = transport.close();
    blackHole.close();
    await closed;
  });
});

describe('connections', () => {
  test('are reused by later requests, also after error answers whose body nobody wants', async () => {
    await using server = await startLoopback((_, response) => answerJson(response, 500, { message: 'x'.repeat(5000) }));
    const transport = createTransport(server.config, { connections: 1 });
    for (let i = 0; i < 20; i += 1) await transport.send(getSecret, { signal });
    expect(server.connections()).toBe(1);
    await transport.close();
  });

  test('of open streams do not take those of requests', async () => {
    await using server = await startLoopback((incoming, response) => {
      if (incoming.url?.includes('watch=true') === true) response.writeHead(200).flushHeaders();
      else answerJson(response, 200, {});
    });
    const transport = createTransport(server.config, { connections: 1, timeoutMs: 2_000 });
    const streams = await Promise.all(
      Array.from({ length: 5 }, () => transport.stream(request.watch(SECRET), { signal })),
    );
    expect((await transport.send(getSecret, { signal })).status).toBe(200);
    for (const stream of streams) stream.close();
    await transport.close();
  });

  test('end with the client: streams break off, later calls are refused', async () => {
    await using server = await startLoopback((_, response) => response.writeHead(200).flushHeaders());
    const transport = createTransport(server.config);
    const stream = await transport.stream(request.watch(SECRET), { signal });
    const ended = (async () => {
      for await (const _ of stream.chunks);
    })().then(
      () => 'ended',
      () => 'broken',
    );
    await transport.close();
    expect(await ended).toBe('broken');
    expect(await failure(transport.send(createSecret, { signal }))).toMatchObject({
      reason: 'ClientClosed',
      outcome: 'refused',
    });
  });

  test('a stream that gets no headers in time is given up', async () => {
    await using server = await startLoopback(() => undefined);
    const transport = createTransport(server.config);
    expect(await failure(transport.stream(request.watch(SECRET), { signal, timeoutMs: 50 }))).toMatchObject({
      reason: 'TimedOut',
    });
    await transport.close();
  });
});

test('counts each request by verb and resource and reports its status', async () => {
  await using server = await startLoopback((_, response) => answerJson(response, 404, {}));
  const records: RequestRecord[] = [];
  const transport = createTransport(server.config, { onRequest: (record) => records.push(record) });
  await transport.send(getSecret, { signal });
  await transport.send(getSecret, { signal });
  await transport.send(request.getPath('/version'), { signal });
  expect(transport.counts()).toEqual({ 'get secrets': 2, 'get /version': 1 });
  expect(records.map(({ verb, resource, status }) => ({ verb, resource, status }))).toEqual([
    { verb: 'get', resource: 'secrets', status: 404 },
    { verb: 'get', resource: 'secrets', status: 404 },
    { verb: 'get', resource: '', status: 404 },
  ]);
  await transport.close();
});
