import { existsSync, mkdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { openOwnFolder } from './own-folder.ts';

test('what a sandbox that was killed left behind is removed, and not what one that runs has', async () => {
  // Above what any system gives out.
  const gone = join(tmpdir(), 'keyturn-sandbox-99999999-gone');
  const running = join(tmpdir(), `keyturn-sandbox-${process.pid}-running`);
  for (const folder of [gone, running]) mkdirSync(folder, { recursive: true });
  const own = await openOwnFolder();
  expect([gone, running, own].map((folder) => existsSync(folder))).toEqual([false, true, true]);
  for (const folder of [running, own]) rmSync(folder, { recursive: true });
});
