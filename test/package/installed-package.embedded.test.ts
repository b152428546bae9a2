import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, dirname, join, resolve } from 'node:path';
import { preProcessFile } from 'typescript';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Outcome } from '../../src/checker/outcome.ts';

/** The package as somebody gets it who installs it: packed, and put into an empty folder without what only we need. */
const project = join(import.meta.dirname, '../..');
let folder: string;
let files: readonly string[];
const installed = (...path: readonly string[]): string => join(folder, 'node_modules', ...path);

interface Tarball {
  readonly filename: string;
  readonly integrity: string;
  readonly files: readonly { readonly path: string }[];
}

beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyturn-package-'));
  // Without `prepare`, which would build again while other tests run what was built.
  const packed = await ran('npm', ['pack', '--ignore-scripts', '--json', '--pack-destination', folder], project);
  const [tarball] = JSON.parse(packed) as [Tarball];
  files = tarball.files.map(({ path }) => path);
  await lockTo(tarball);
  // `npm ci` has fetched these very versions into npm's cache, so that no registry has to be there.
  await ran('npm', ['ci', '--prefix', folder, '--omit=dev', '--prefer-offline', '--no-audit', '--no-fund'], folder);
}, 60_000);
afterAll(() => rm(folder, { recursive: true, force: true }));

test('the package holds the code that its commands reach, declarations, documents, and nothing else', async () => {
  expect(files).toEqual(expect.arrayContaining(['README.md', 'LICENSE', 'CHANGELOG.md', 'package.json']));
  const { reached } = await reachedFiles();
  const code = files.filter((path) => path.startsWith('dist/'));
  // A module of types alone is an empty file, which the declarations name.
  const isEmpty = async (path: string): Promise<boolean> =>
    (await readFile(installed('keyturn', path), 'utf8')).trim() === 'export {};';
  const strays: string[] = [];
  for (const path of code.filter((one) => one.endsWith('.js'))) {
    if (!reached.has(path) && !(await isEmpty(path))) strays.push(path);
  }
  expect(strays, 'no command reaches them: name them under "files" in package.json, or empty dist/').toEqual([]);
  expect(code.filter((path) => !/\.(js|d\.ts)$/.test(path))).toEqual([]);
  expect(files.filter((path) => !/^(dist\/src|config|docs)\//.test(path)).sort()).toEqual([
    'CHANGELOG.md',
    'LICENSE',
    'README.md',
    'package.json',
  ]);
});

test('what the package imports is among its dependencies, and each of these is imported', async () => {
  const { packages } = await reachedFiles();
  const { dependencies } = await json(installed('keyturn', 'package.json'));
  expect([...packages].sort()).toEqual(Object.keys(dependencies).sort());
});

test('both names of the command show its help, each under its own', async () => {
  expect(await command('keyturn', '--help')).toMatch(/^Usage: keyturn \[options\] \[command\]/);
  expect(await command('kubectl-keyturn', '--help')).toMatch(/^Usage: kubectl keyturn \[options\] \[command\]/);
});

test('the command prints completion scripts and what a hub needs', async () => {
  for (const shell of ['bash', 'zsh', 'fish'])
    expect(await command('keyturn', 'completion', shell)).toContain('keyturn');
  expect(await command('keyturn', 'crds')).toContain('kind: CustomResourceDefinition');
});

const hasKubectl = spawnSync('kubectl', ['version', '--client']).status === 0;
test.skipIf(!hasKubectl)(
  'kubectl finds the command as a plugin, and completes it',
  async () => {
    const kubectl = (...args: readonly string[]): Promise<string> => ran('kubectl', args, folder);
    expect(await kubectl('keyturn', '--help')).toMatch(/^Usage: kubectl keyturn /);
    expect(await kubectl('__complete', 'keyturn', 'status', '-o', 'y')).toMatch(/^yaml\n:4\n/);
    expect(await kubectl('__complete', 'keyturn', 'pl')).toMatch(/^plan\tSays what happens next/);
  },
  20_000,
);

test('a sandbox of the package rotates, and nothing fails', async () => {
  const said = await command('keyturn', ...'sandbox --runtimes 3 --rotations 1 --exit -o json'.split(' '));
  const outcome = JSON.parse(said.trimEnd().split('\n').at(-1) ?? '') as Outcome;
  expect(outcome).toMatchObject({ ok: true, rotations: 1, failed: 0, violations: 0, problems: [] });
}, 60_000);

/** Has an empty folder depend on the tarball, and on the versions that the project itself is tested with. */
async function lockTo({ filename, integrity }: Tarball): Promise<void> {
  const { version, dependencies, bin, engines } = await json(join(project, 'package.json'));
  const lock = await json(join(project, 'package-lock.json'));
  const resolved = `file:${filename}`;
  const wanted = { dependencies: { keyturn: resolved } };
  const ours = { version, resolved, integrity, dependencies, bin, engines };
  const others = Object.entries<{ readonly dev?: boolean }>(lock.packages).filter(
    ([path, { dev }]) => path !== '' && !dev,
  );
  const packages = { '': wanted, 'node_modules/keyturn': ours, ...Object.fromEntries(others) };
  await writeFile(join(folder, 'package.json'), JSON.stringify({ private: true, ...wanted }));
  await writeFile(join(folder, 'package-lock.json'), JSON.stringify({ lockfileVersion: 3, requires: true, packages }));
}

async function json(path: string) {
  return JSON.parse(await readFile(path, 'utf8'));
}

/** Runs what npm has linked, as a shell finds it, with the Node that runs this test. */
function command(name: string, ...args: readonly string[]): Promise<string> {
  return ran(installed('.bin', name), args, folder);
}

/** @returns standard output; rejects with what was said where the program does not end well */
async function ran(program: string, args: readonly string[], cwd: string): Promise<string> {
  const path = [installed('.bin'), dirname(process.execPath), process.env['PATH'] ?? ''].join(delimiter);
  const child = spawn(program, args, { cwd, env: { ...process.env, PATH: path }, stdio: ['ignore', 'pipe', 'pipe'] });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${program} ${args.join(' ')} ended with ${code}: ${err}${out}`);
  return out;
}

/** Follows every import, static, dynamic or of a process to be started, from the commands and the exports. */
async function reachedFiles(): Promise<{
  readonly reached: ReadonlySet<string>;
  readonly packages: ReadonlySet<string>;
}> {
  const { bin, exports } = await json(installed('keyturn', 'package.json'));
  const reached = new Set<string>();
  const packages = new Set<string>();
  const open: string[] = [...Object.values<string>(bin), exports['.'].default.replace('./', '')];
  for (let path = open.pop(); path !== undefined; path = open.pop()) {
    if (reached.has(path)) continue;
    reached.add(path);
    const text = await readFile(installed('keyturn', path), 'utf8');
    const processes = [...text.matchAll(/new URL\('(\.[^']+\.js)', import\.meta\.url\)/g)].map(
      ([, started = '']) => started,
    );
    const imports = preProcessFile(text).importedFiles.map(({ fileName }) => fileName);
    for (const name of [...imports, ...processes]) {
      if (name.startsWith('.')) open.push(resolve('/', dirname(path), name).slice(1));
      else if (!name.startsWith('node:')) packages.add(/^(@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
    }
  }
  return { reached, packages };
}
