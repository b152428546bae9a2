import { afterEach, expect, test } from 'vitest';
import { createHealth } from '../controller/health.ts';
import { parseListenAddress, serveTelemetry, type TelemetryServer } from './http.ts';
import { createMetrics } from './metrics.ts';

let server: TelemetryServer | undefined;
afterEach(() => server?.close());

async function start() {
  const health = createHealth();
  const metrics = createMetrics('1');
  server = await serveTelemetry({ host: '127.0.0.1', port: 0 }, { health, metrics });
  const { url } = server;
  return { health, get: (path: string, init?: RequestInit) => fetch(url + path, init) };
}

test('metrics are served as text that Prometheus reads', async () => {
  const { get } = await start();
  const answer = await get('/metrics');
  expect(answer.status).toBe(200);
  expect(answer.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(await answer.text()).toContain('keyturn_info{version="1"} 1');
});

test('readiness tells what is missing, liveness does not depend on it', async () => {
  const { health, get } = await start();
  health.ready('caches', () => 'Secrets are not read yet');
  const ready = await get('/readyz?verbose');
  expect([ready.status, await ready.text()]).toEqual([503, '[-] caches: Secrets are not read yet\nfailed\n']);
  expect((await get('/livez')).status).toBe(200);
});

test('nothing else is answered', async () => {
  const { get } = await start();
  expect((await get('/')).status).toBe(404);
  expect((await get('/metrics', { method: 'POST', body: 'x' })).status).toBe(405);
});

test('a port that is taken is an error that names it', async () => {
  await start();
  const port = Number(new URL(server?.url ?? '').port);
  const parts = { health: createHealth(), metrics: createMetrics('1') };
  await expect(serveTelemetry({ host: '127.0.0.1', port }, parts)).rejects.toThrow(`127.0.0.1:${port}`);
});

test.each([
  ['127.0.0.1:8080', { host: '127.0.0.1', port: 8080 }],
  ['[::1]:9', { host: '::1', port: 9 }],
  [':8080', { host: '127.0.0.1', port: 8080 }],
  ['8080', { host: '127.0.0.1', port: 8080 }],
  ['0.0.0.0:1', { host: '0.0.0.0', port: 1 }],
  ['localhost', null],
  ['a:b', null],
  ['a:70000', null],
  ['::1:80', null],
])('the address %s', (text, address) => {
  expect(parseListenAddress(text)).toEqual(address);
});
