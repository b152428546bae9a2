import { spawn } from 'node:child_process';
import { copyFile, mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import ts from 'typescript';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { isAlive, startProcess } from './process.ts';
import { waitUntil } from './wait.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'process-test-'));
});
afterEach(() => rm(folder, { recursive: true, force: true }));

const shell = (name: string, script: string) => ({
  name,
  command: '/bin/sh',
  args: ['-c', script],
  logFile: join(folder, `${name}.log`),
});

/** Ready once the script has said so: a signal that comes before its traps are set would meet none. */
const announced = (name: string, script: string) => ({
  ...shell(name, script),
  ready: async () => (await readFile(join(folder, `${name}.log`), 'utf8')).includes('here'),
});

test('a child that ends before it is ready is an error with the end of its log', async () => {
  const start = startProcess({ ...shell('early', 'echo no port left; exit 3'), ready: async () => false });
  await expect(start).rejects.toThrow(/early ended with exit code 3 before it was ready.*no port left/s);
});

test('a child that never gets ready is ended and reported', async () => {
  const start = startProcess({
    ...shell('slow', 'echo $$; exec sleep 60'),
    ready: async () => false,
    readyTimeoutMs: 300,
  });
  await expect(start).rejects.toThrow(/slow was not ready after 300 ms/);
  const pid = Number(await readFile(join(folder, 'slow.log'), 'utf8'));
  expect(isAlive(pid)).toBe(false);
});

test('a command that does not exist is reported with what the shell said', async () => {
  const start = startProcess({
    name: 'gone',
    command: join(folder, 'nothing'),
    args: [],
    logFile: join(folder, 'gone.log'),
    ready: async () => false,
  });
  await expect(start).rejects.toThrow(/exit code 127.*not found/s);
});

test('stopping sends the polite signal to the child itself', async () => {
  const child = await startProcess(
    announced('polite', 'trap "echo bye; exit 0" TERM; echo here; while :; do sleep 0.05; done'),
  );
  expect(isAlive(child.pid)).toBe(true);
  await child.stop();
  expect(await child.exited).toBe(0);
  expect(child.hasFailed()).toBe(false);
  expect(await readFile(child.logFile, 'utf8')).toContain('bye');
});

test('a child that ignores the polite signal is killed after the grace', async () => {
  const child = await startProcess({
    ...announced('stubborn', 'trap "" TERM; echo here; while :; do sleep 0.05; done'),
    graceSeconds: 1,
  });
  const startedMs = performance.now();
  await child.stop();
  expect(await child.exited).toBe(128 + 9);
  expect(performance.now() - startedMs).toBeGreaterThan(800);
});

test('a child that ends by itself has failed', async () => {
  const child = await startProcess(shell('broken', 'exit 7'));
  expect(await child.exited).toBe(7);
  expect(child.hasFailed()).toBe(true);
});

test('an aborted signal ends the child', async () => {
  const abort = new AbortController();
  const child = await startProcess({ ...shell('aborted', 'exec sleep 60'), signal: abort.signal });
  abort.abort();
  expect(await child.exited).toBe(128 + 15);
});

test('a child receives standard input that ends when it is stopped', async () => {
  const child = await startProcess(announced('reader', 'trap "" TERM; echo here; cat >/dev/null; exit 5'));
  await child.stop();
  expect(await child.exited).toBe(5);
});

test('standard output arrives line by line', async () => {
  const lines: string[] = [];
  const child = await startProcess({
    ...shell('talker', 'echo one; printf tw; sleep 0.1; echo o'),
    onStdoutLine: (line) => lines.push(line),
  });
  await child.exited;
  expect(lines).toEqual(['one', 'two']);
});

test('when the parent is killed with SIGKILL its children end', async () => {
  await transpileInto(join(folder, 'world'), ['process.ts', 'project-root.ts', 'wait.ts']);
  await copyFile(new URL('guardian.sh', import.meta.url), join(folder, 'world/guardian.sh'));
  const program = `
    import { isAlive, startProcess } from './world/process.js';
    const child = await startProcess({ name: 'orphan', command: '/bin/sleep', args: ['300'], logFile: 'orphan.log' });
    console.log(child.pid);
    setInterval(() => {}, 1000);
  `;
  // What a project's folder is known by.
  await mkdir(join(folder, 'real-parts'));
  await writeFile(join(folder, 'package.json'), '{"type":"module"}');
  await writeFile(join(folder, 'parent.mjs'), program);
  const parent = spawn(process.execPath, ['parent.mjs'], { cwd: folder, stdio: ['ignore', 'pipe', 'inherit'] });
  const pid = await new Promise<number>((resolve) => parent.stdout.once('data', (text) => resolve(Number(text))));
  expect(isAlive(pid)).toBe(true);
  parent.kill('SIGKILL');
  expect(await waitUntil(() => !isAlive(pid), { everyMs: 50, timeoutMs: 5_000 })).toBe(true);
});

/** The parent must be a process of its own that can be killed, and Node 20 does not run TypeScript. */
async function transpileInto(target: string, files: readonly string[]): Promise<void> {
  await mkdir(target, { recursive: true });
  const compilerOptions = {
    module: ts.ModuleKind.ESNext,
    target: ts.ScriptTarget.ES2023,
    rewriteRelativeImportExtensions: true,
  };
  for (const file of files) {
    const source = await readFile(new URL(file, import.meta.url), 'utf8');
    await writeFile(
      join(target, file.replace('.ts', '.js')),
      ts.transpileModule(source, { compilerOptions }).outputText,
    );
  }
}
