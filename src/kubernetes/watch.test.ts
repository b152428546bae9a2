import { createServer, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { describe, expect, test } from 'vitest';
import { createTestClock } from '../controller/test-clock.ts';
import { createKubeClient } from './client.ts';
import { startInformer } from './informer.ts';
import { answerJson, type Respond, startLoopback } from './loopback-server.ts';
import { createMemoryTransport } from './memory-transport.ts';
import { SECRET, type SecretObject } from './resource.ts';
import { runWatch, type WatchEvent, type WatchProblem } from './watch.ts';

const END = { metadata: { resourceVersion: '9', annotations: { 'k8s.io/initial-events-end': 'true' } } };
const line = (type: string, object: unknown): string => `${JSON.stringify({ type, object })}\n`;
const secret = (name: string, resourceVersion: string) => ({ metadata: { namespace: 'kcp', name, resourceVersion } });

/** Runs a watch against a loopback server until it has given so many events. */
async function follow(
  respond: Respond,
  wanted: number,
  options: { timeoutSeconds?: number; idleMarginMs?: number } = {},
) {
  await using server = await startLoopback(respond);
  const client = createKubeClient(server.config);
  const ending = new AbortController();
  const events: string[] = [];
  const problems: WatchProblem[] = [];
  const guard = setTimeout(() => ending.abort(), 10_000);
  await runWatch<SecretObject>({
    client,
    resource: SECRET,
    signal: ending.signal,
    random: () => 0.5,
    onEvent(event) {
      events.push('object' in event ? `${event.type} ${event.object.metadata.name}` : event.type);
      if (events.length >= wanted) ending.abort();
    },
    onProblem: (problem) => problems.push(problem),
    ...options,
  });
  clearTimeout(guard);
  await client.close();
  return { events, problems, seen: server.seen };
}

describe('over a real connection a watch', () => {
  test('reads events whose bytes are cut in the middle of a line and of a character', async () => {
    const { events } = await follow((_, response) => {
      response.writeHead(200).flushHeaders();
      const bytes = Buffer.from(line('ADDED', secret('zürich', '7')) + line('BOOKMARK', END));
      const inCharacter = bytes.indexOf(0xc3) + 1;
      response.write(bytes.subarray(0, inCharacter));
      setTimeout(() => response.write(bytes.subarray(inCharacter, inCharacter + 9)), 20);
      setTimeout(() => response.write(bytes.subarray(inCharacter + 9)), 40);
    }, 3);
    expect(events).toEqual(['Init', 'InitApply zürich', 'InitDone']);
  });

  test('falls back to pages where the server knows no streaming list, then watches from there', async () => {
    const { events, seen } = await follow((incoming, response) => {
      const query = new URL(incoming.url ?? '', 'http://host').searchParams;
      if (query.has('sendInitialEvents')) answerJson(response, 422, { reason: 'Invalid', message: 'forbidden' });
      else if (query.has('watch')) response.writeHead(200).write(line('MODIFIED', secret('b', '12')));
      else if (query.has('continue'))
        answerJson(response, 200, { metadata: { resourceVersion: '11' }, items: [secret('b', '2')] });
      else
        answerJson(response, 200, { metadata: { resourceVersion: '11', continue: 'next' }, items: [secret('a', '1')] });
    }, 5);
    expect(events).toEqual(['Init', 'InitApply a', 'InitApply b', 'InitDone', 'Apply b']);
    expect(seen.at(-1)).toContain('resourceVersion=11');
  });

  test('notices a connection that died without a word and goes on from its last version', async () => {
    let connections = 0;
    const { events, seen, problems } = await follow(
      (_, response) => {
        connections += 1;
        response.writeHead(200);
        if (connections === 1) response.write(line('BOOKMARK', END));
        // From here on the server is gone, and TCP does not tell.
        else response.write(line('ADDED', secret('late', '10')));
      },
      3,
      { timeoutSeconds: 0, idleMarginMs: 150 },
    );
    expect(events).toEqual(['Init', 'InitDone', 'Apply late']);
    expect(seen[1]).toContain('resourceVersion=9');
    expect(problems).toHaveLength(1);
  });

  test('reads everything anew after an ERROR event of 410, on a new connection', async () => {
    let requests = 0;
    const { events } = await follow((_, response) => {
      requests += 1;
      response.writeHead(200);
      response.write(line('BOOKMARK', END));
      if (requests === 1) response.write(line('ERROR', { kind: 'Status', code: 410, reason: 'Expired' }));
    }, 4);
    expect(events).toEqual(['Init', 'InitDone', 'Init', 'InitDone']);
  });

  test('goes on after the server was unreachable, reset connections, and sent garbage', async () => {
    let requests = 0;
    const { events, problems } = await follow((incoming, response) => {
      requests += 1;
      if (requests === 1) incoming.socket.resetAndDestroy();
      else if (requests === 2) response.writeHead(200).end('this is no event\n');
      else if (incoming.url?.includes('watch=true') === true) response.writeHead(200).flushHeaders();
      else answerJson(response, 200, { metadata: { resourceVersion: '9' }, items: [secret('a', '1')] });
    }, 4);
    expect(events).toEqual(['Init', 'Init', 'InitApply a', 'InitDone']);
    expect(problems.map(({ failures }) => failures)).toEqual([1, 2]);
  });

  test('ends when its signal aborts, also while the server hangs before its headers', async () => {
    const sockets = new Set<Socket>();
    const server = createServer((socket) => sockets.add(socket));
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const { port } = server.address() as { port: number };
    const client = createKubeClient({ server: `http://127.0.0.1:${port}`, insecureSkipTlsVerify: false });
    const ending = new AbortController();
    const running = runWatch({ client, resource: SECRET, signal: ending.signal, onEvent: () => undefined });
    while (sockets.size === 0) await sleep(5);
    ending.abort();
    await running;
    await client.close();
    for (const socket of sockets) socket.destroy();
    server.close();
  });
});

describe('an informer', () => {
  const start = () => {
    const clock = createTestClock();
    const transport = createMemoryTransport();
    const client = createKubeClient({ server: 'http://memory', insecureSkipTlsVerify: false }, { transport });
    const ending = new AbortController();
    const options = { client, clock, resource: SECRET, signal: ending.signal, random: () => 0.5 };
    return { clock, transport, client, ending, options, call: { signal: ending.signal } };
  };

  test('shows what is written, changed and deleted', async () => {
    const { clock, client, ending, options, call } = start();
    await client.create(SECRET, { metadata: { namespace: 'kcp', name: 'a' } }, call);
    const { store, ended } = startInformer<SecretObject>(options);
    await store.whenSynced(ending.signal);
    await client.create(SECRET, { metadata: { namespace: 'kcp', name: 'b' } }, call);
    await client.delete(SECRET, { namespace: 'kcp', name: 'a' }, call);
    await clock.advance(0);
    expect(store.list().map(({ metadata }) => metadata.name)).toEqual(['b']);
    ending.abort();
    await ended;
  });

  test('survives 1000 closed watches without losing an event and without a storm', async () => {
    const { clock, transport, client, ending, options, call } = start();
    const { store, ended, trouble } = startInformer<SecretObject>(options);
    await store.whenSynced(ending.signal);
    const beganMs = clock.monotonicMs();
    for (let round = 0; round < 1_000; round += 1) {
      transport.endWatches();
      await clock.advance(clock.nextTimerMs() ?? 0);
    }
    // Each life was short, so almost each reconnect came after the longest pause.
    expect((clock.monotonicMs() - beganMs) / transport.requests.length).toBeGreaterThan(15_000);
    await client.create(SECRET, { metadata: { namespace: 'kcp', name: 'late' } }, call);
    await clock.advance(60_000);
    expect(store.get({ namespace: 'kcp', name: 'late' })).toBeDefined();
    expect(trouble()).toBeUndefined();
    expect(clock.pending()).toBeLessThanOrEqual(1);
    ending.abort();
    await ended;
  });

  test('says since when it has been in trouble, and keeps what it knows', async () => {
    const { clock, transport, client, ending, options, call } = start();
    await client.create(SECRET, { metadata: { namespace: 'kcp', name: 'a' } }, call);
    const { store, ended, trouble } = startInformer<SecretObject>(options);
    await store.whenSynced(ending.signal);
    transport.intercept = () => {
      throw new Error('no way to the server');
    };
    transport.endWatches();
    await clock.advance(60_000);
    expect(trouble()?.sinceMs).toBeGreaterThan(50_000);
    expect(store.synced && store.size === 1).toBe(true);
    ending.abort();
    await ended;
  });

  test('ends with what a subscriber throws, since the event would be lost otherwise', async () => {
    const { client, options, call } = start();
    await client.create(SECRET, { metadata: { namespace: 'kcp', name: 'a' } }, call);
    const events: WatchEvent[] = [];
    await expect(
      runWatch({
        ...options,
        onEvent(event) {
          events.push(event);
          throw new Error('a bug');
        },
      }),
    ).rejects.toThrow('a bug');
    expect(events).toHaveLength(1);
  });
});
