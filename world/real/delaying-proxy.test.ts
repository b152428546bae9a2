import { once } from 'node:events';
import { type AddressInfo, connect, createServer } from 'node:net';
import { expect, test } from 'vitest';
import { startDelayingProxy } from './delaying-proxy.ts';

test('what the server says arrives late and in order, also when the delay shrinks', async () => {
  const server = createServer((socket) => {
    socket.on('data', (text) => socket.write(`echo ${text}`));
    socket.on('error', () => {});
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const proxy = await startDelayingProxy((server.address() as AddressInfo).port, 1_000);
  const client = connect(proxy.port, '127.0.0.1');
  client.on('error', () => {});
  let heard = '';
  client.on('data', (text) => {
    heard += text;
  });
  const startedMs = performance.now();
  client.write('one;');
  // Long enough for a busy machine to bring the first text to the proxy while the delay is long.
  await new Promise((resolve) => setTimeout(resolve, 500));
  proxy.setDelayMs(0);
  client.write('two;');
  while (!heard.includes('two;')) await once(client, 'data');
  expect(heard).toBe('echo one;echo two;');
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(995);
  await proxy.close();
  server.close();
});
