import { spawnSync } from 'node:child_process';
import { mkdir, mkdtemp, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { openWorkspace } from './workspace.ts';

let parent: string;
beforeEach(async () => {
  parent = await mkdtemp(join(tmpdir(), 'workspace-test-'));
});
afterEach(() => rm(parent, { recursive: true, force: true }));

test('only the logs outlive a failure, and nothing a success', async () => {
  const failed = await openWorkspace('keyturn-world-', parent);
  await failed.subfolder('etcd');
  await writeFile(failed.logFile('etcd'), 'full');
  expect((await stat(failed.folder)).mode & 0o077).toBe(0);
  const logs = (await failed.close({ keepLogs: true })) ?? '';
  expect(await readdir(failed.folder)).toEqual(['logs']);
  expect(await readdir(logs)).toEqual(['etcd.log']);

  const fine = await openWorkspace('keyturn-world-', parent);
  expect(await fine.close({ keepLogs: false })).toBeUndefined();
  expect(await readdir(parent)).not.toContain(fine.folder);
});

test('a folder in memory is private, and goes with the workspace', async () => {
  const workspace = await openWorkspace('keyturn-world-', parent);
  const folder = await workspace.inMemory('mounts');
  expect((await stat(join(folder, '..'))).mode & 0o077).toBe(0);
  await workspace.close({ keepLogs: true });
  await expect(stat(folder)).rejects.toThrow('ENOENT');
});

test('a second start of a part does not write into the log of the first', async () => {
  const workspace = await openWorkspace('keyturn-world-', parent);
  expect([workspace.logFile('envoy'), workspace.logFile('envoy')].map((file) => file.split('/').at(-1))).toEqual([
    'envoy.log',
    'envoy.2.log',
  ]);
});

test('what a killed world left behind goes at the next start, its logs a day later; a living one is left alone', async () => {
  const dead = spawnSync(process.execPath, ['--version']).pid;
  const leave = async (name: string) => {
    await mkdir(join(parent, name, 'api-servers'), { recursive: true });
    await mkdir(join(parent, name, 'logs'));
    return join(parent, name, 'logs');
  };
  await leave(`keyturn-world-${dead}-a`);
  await leave(`keyturn-world-${process.pid}-c`);
  const old = await leave(`keyturn-world-${dead}-b`);
  const longAgo = new Date(Date.now() - 25 * 3_600_000);
  await utimes(old, longAgo, longAgo);

  await openWorkspace('keyturn-world-', parent);
  expect(await readdir(join(parent, `keyturn-world-${dead}-a`))).toEqual(['logs']);
  expect(await readdir(join(parent, `keyturn-world-${process.pid}-c`))).toEqual(['api-servers', 'logs']);
  expect(await readdir(parent)).not.toContain(`keyturn-world-${dead}-b`);
});
