import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestClock, type TestClock } from '../../controller/test-clock.ts';
import { createKubeClient, type KubeClient } from '../../kubernetes/client.ts';
import { createMemoryTransport, type MemoryTransport } from '../../kubernetes/memory-transport.ts';
import { SECRET, type SecretObject } from '../../kubernetes/resource.ts';
import { type Mount, type MountOptions, type Swap, startMount } from './mount.ts';

const call = { signal: new AbortController().signal };
const ref = { namespace: 'kyma-system', name: 'skr-webhook-tls' };
let clock: TestClock;
let transport: MemoryTransport;
let client: KubeClient;
let mount: Mount;
let swaps: Swap[];

beforeEach(() => {
  clock = createTestClock();
  transport = createMemoryTransport();
  client = createKubeClient({ server: 'https://memory', insecureSkipTlsVerify: false }, { transport });
  swaps = [];
});
afterEach(() => mount.stop());

const start = (options: Partial<MountOptions> = {}) => {
  const delay = { minMs: 1_000, maxMs: 1_000 };
  mount = startMount({ client, seed: 1, clock, delay, onSwap: (swap) => swaps.push(swap), ...options });
};
const object = (text: string, labels: Readonly<Record<string, string>> = {}): SecretObject => ({
  metadata: { ...ref, labels },
  data: { 'ca.crt': Buffer.from(text).toString('base64') },
});
/** The API server has forgotten what happened meanwhile. */
const expired: MemoryTransport['intercept'] = (request) => {
  if (request.query['resourceVersion'] === undefined || request.verb !== 'watch') return undefined;
  return { status: 410, headers: {}, text: '{"kind":"Status","code":410,"reason":"Expired"}' };
};
const mountedText = () => mount.mounted()?.data.get('ca.crt')?.toString();

test('a change shows after its delay, all at once and with the newest value', async () => {
  start();
  await client.create(SECRET, object('one'), call);
  await clock.advance(500);
  await client.replace(SECRET, object('two'), call);
  await clock.advance(499);
  expect(mount.mounted()).toBeUndefined();
  await clock.advance(1);
  expect(mountedText()).toBe('two');
  await client.replace(SECRET, object('three'), call);
  await clock.advance(999);
  expect(mountedText()).toBe('two');
  await clock.advance(2);
  expect(mountedText()).toBe('three');
  expect(swaps).toHaveLength(2);
  expect(swaps[1]).toMatchObject({
    resourceVersion: '4',
    atMs: expect.any(Number),
    sha256: { 'ca.crt': expect.any(String) },
  });
});

test('a change of labels alone, another Secret and a deletion leave the files', async () => {
  start();
  await client.create(SECRET, object('one'), call);
  await clock.advance(2_000);
  await client.replace(SECRET, object('one', { some: 'label' }), call);
  await client.create(SECRET, { ...object('other'), metadata: { ...ref, name: 'another' } }, call);
  await clock.advance(2_000);
  await client.delete(SECRET, ref, call);
  await clock.advance(2_000);
  expect(swaps).toHaveLength(1);
  expect(mountedText()).toBe('one');
});

test('a volume that is optional is emptied by a deletion, also one that the watch missed', async () => {
  start({ onDeletion: 'empty' });
  await client.create(SECRET, object('one'), call);
  await clock.advance(2_000);
  transport.intercept = () => {
    throw new Error('unplugged');
  };
  transport.endWatches();
  await clock.advance(10);
  transport.intercept = undefined;
  await client.delete(SECRET, ref, call);
  transport.intercept = expired;
  await clock.advance(60_000);
  expect(mount.mounted()?.data.size).toBe(0);
});

test('nothing is mounted any more once it was stopped', async () => {
  start();
  await client.create(SECRET, object('one'), call);
  await clock.advance(500);
  await mount.stop();
  await clock.advance(5_000);
  expect(mount.mounted()).toBeUndefined();
});

test('behind an API server that was away for long a change is no later than ever', async () => {
  start();
  await client.create(SECRET, object('one'), call);
  await clock.advance(2_000);
  transport.intercept = () => {
    throw new Error('unplugged');
  };
  transport.endWatches();
  await clock.advance(60_000);
  transport.intercept = undefined;
  await client.replace(SECRET, object('two'), call);
  transport.intercept = expired;
  // The longest pause between two attempts, twice, and the delay.
  await clock.advance(2 * 200 + 1_000 + 10);
  expect(mountedText()).toBe('two');
});
