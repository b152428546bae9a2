import { mkdtemp, readdir, readFile, readlink, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import type { Swap } from '../../src/sandbox/kubelet/mount.ts';
import type { KubernetesObject } from '../cluster-client.ts';
import { waitUntil } from '../wait.ts';
import { type Kubelet, startKubelet } from './kubelet.ts';

let folder: string;
let kubelet: Kubelet | undefined;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'kubelet-test-'));
});
afterEach(async () => {
  await kubelet?.stop();
  await rm(folder, { recursive: true, force: true });
});

const secret = (resourceVersion: string, data: Record<string, string>): KubernetesObject => ({
  metadata: { name: 'skr-webhook-tls', resourceVersion },
  data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')])),
});

interface Stand {
  current: KubernetesObject | undefined | Error;
  readonly swaps: Swap[];
}

async function stand(options: { minMs: number; maxMs: number; onDeletion?: 'keep' | 'empty' }): Promise<Stand> {
  const made: Stand = { current: undefined, swaps: [] };
  kubelet = await startKubelet({
    client: {
      find: async () => {
        if (made.current instanceof Error) throw made.current;
        return made.current;
      },
    },
    folder: join(folder, 'mount'),
    delay: options,
    seed: 1,
    pollMs: 10,
    onSwap: (swap) => made.swaps.push(swap),
    ...(options.onDeletion === undefined ? {} : { onDeletion: options.onDeletion }),
  });
  return made;
}

const swapped = (made: Stand, count: number) =>
  waitUntil(() => made.swaps.length >= count, { everyMs: 5, timeoutMs: 5_000 });
const mounted = (file: string) => readFile(join(folder, 'mount', file), 'utf8');

test('files are links through ..data, and a new version replaces all of them with one link', async () => {
  const made = await stand({ minMs: 0, maxMs: 0 });
  made.current = secret('1', { 'tls.crt': 'certificate 1', 'tls.key': 'key 1', 'ca.crt': 'roots 1' });
  expect(await swapped(made, 1)).toBe(true);
  expect(await readlink(join(folder, 'mount', 'tls.crt'))).toBe('..data/tls.crt');
  const first = await readlink(join(folder, 'mount', '..data'));
  expect(await mounted('ca.crt')).toBe('roots 1');

  made.current = secret('2', { 'tls.crt': 'certificate 2', 'ca.crt': 'roots 2' });
  expect(await swapped(made, 2)).toBe(true);
  const second = await readlink(join(folder, 'mount', '..data'));
  expect(second).not.toBe(first);
  expect(await mounted('tls.crt')).toBe('certificate 2');
  expect((await readdir(join(folder, 'mount'))).sort()).toEqual(['..data', second, 'ca.crt', 'tls.crt'].sort());
  expect(made.swaps.map(({ resourceVersion }) => resourceVersion)).toEqual(['1', '2']);
});

test('what is mounted after the delay is the newest value, not the one that was noticed', async () => {
  const made = await stand({ minMs: 150, maxMs: 150 });
  made.current = secret('1', { 'ca.crt': 'one' });
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(made.swaps).toHaveLength(0);
  made.current = secret('2', { 'ca.crt': 'two' });
  expect(await swapped(made, 1)).toBe(true);
  expect(await mounted('ca.crt')).toBe('two');
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(made.swaps.map(({ resourceVersion }) => resourceVersion)).toEqual(['2']);
});

test('a change that leaves the data as it is does not touch the files', async () => {
  const made = await stand({ minMs: 0, maxMs: 0 });
  made.current = secret('1', { 'ca.crt': 'one' });
  await swapped(made, 1);
  const before = await readlink(join(folder, 'mount', '..data'));
  made.current = secret('2', { 'ca.crt': 'one' });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await readlink(join(folder, 'mount', '..data'))).toBe(before);
});

test('an unreachable API server and a deleted Secret leave the files in place', async () => {
  const made = await stand({ minMs: 0, maxMs: 0 });
  made.current = secret('1', { 'ca.crt': 'one' });
  await swapped(made, 1);
  made.current = new Error('connection refused');
  await new Promise((resolve) => setTimeout(resolve, 60));
  made.current = undefined;
  await new Promise((resolve) => setTimeout(resolve, 60));
  expect(await mounted('ca.crt')).toBe('one');
  made.current = secret('9', { 'ca.crt': 'again' });
  expect(await swapped(made, 2)).toBe(true);
  expect(await mounted('ca.crt')).toBe('again');
});

test('a deleted Secret empties an optional volume', async () => {
  const made = await stand({ minMs: 0, maxMs: 0, onDeletion: 'empty' });
  made.current = secret('1', { 'ca.crt': 'one' });
  await swapped(made, 1);
  made.current = undefined;
  expect(await swapped(made, 2)).toBe(true);
  expect((await readdir(join(folder, 'mount'))).filter((entry) => !entry.startsWith('..'))).toEqual([]);
});

test('stopping removes the folder', async () => {
  await stand({ minMs: 0, maxMs: 0 });
  await kubelet?.stop();
  await expect(stat(join(folder, 'mount'))).rejects.toThrow(/ENOENT/);
});
