import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { defaultSettings, type Entry, historyOf } from './history.ts';
import { lineOf, readHistory } from './history-file.ts';

let folder: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'history-'));
});
afterAll(() => rm(folder, { recursive: true }));

it('a history file reads back as the history that was written, in order of time', async () => {
  const entries: Entry[] = [
    { entry: 'settings', requestGraceMs: 1 },
    { entry: 'swap', atMs: 2, runtime: 'r1', resourceVersion: '7', data: { 'ca.crt': 'x\ny' } },
    { entry: 'swap', atMs: 1, runtime: 'r1', resourceVersion: '6', data: null },
    { entry: 'mark', atMs: 3, kind: 'rekey', rootDigest: 'ab' },
  ];
  const path = join(folder, 'good.jsonl');
  await writeFile(path, entries.map(lineOf).join(''));
  const history = await readHistory(path);
  expect(history).toEqual(historyOf(entries));
  expect(history.settings).toEqual({ ...defaultSettings, requestGraceMs: 1 });
  expect(history.swaps.map(({ atMs }) => atMs)).toEqual([1, 2]);
});

it('a history file with a broken line is refused, and the line named', async () => {
  const path = join(folder, 'broken.jsonl');
  await writeFile(path, `${lineOf({ entry: 'mark', atMs: 1, kind: 'x' })}{"entry":"surprise"}\n`);
  await expect(readHistory(path)).rejects.toThrow(/line 2/);
});
