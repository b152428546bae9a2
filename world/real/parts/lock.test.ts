import { spawnSync } from 'node:child_process';
import { mkdtemp, readdir, rm, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { pause } from '../../wait.ts';
import { withLock } from './lock.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'lock-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

test('of two builders one waits for the other', async () => {
  const steps: string[] = [];
  const build = (name: string) =>
    withLock(join(folder, 'lock'), undefined, async () => {
      steps.push(`${name} begins`);
      await pause(100);
      steps.push(`${name} ends`);
    });
  await Promise.all([build('a'), build('b')]);
  expect([steps[0]?.slice(2), steps[1]?.slice(2)]).toEqual(['begins', 'ends']);
  expect(steps[0]?.slice(0, 1)).toBe(steps[1]?.slice(0, 1));
  expect(await readdir(folder)).toEqual([]);
});

test('the lock of a builder that was killed is taken over', async () => {
  const gone = spawnSync(process.execPath, ['--version']).pid;
  await writeFile(join(folder, 'lock'), String(gone));
  expect(await withLock(join(folder, 'lock'), AbortSignal.timeout(5_000), async () => 'built')).toBe('built');
});

test('a lock without a heartbeat is taken over, even if its pid has been given to somebody else', async () => {
  const file = join(folder, 'lock');
  await writeFile(file, String(process.pid));
  const before = new Date(Date.now() - 120_000);
  await utimes(file, before, before);
  expect(await withLock(file, AbortSignal.timeout(5_000), async () => 'built')).toBe('built');
});

test('waiting for a lock ends when it is aborted', async () => {
  const file = join(folder, 'lock');
  await writeFile(file, String(process.pid));
  await expect(withLock(file, AbortSignal.timeout(100), async () => 'built')).rejects.toThrow(/timeout/);
});
