import { chmod, mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { afterEach, beforeEach, expect, test, vi } from 'vitest';
import { binaryPath, partPath } from './cache.ts';
import { part, partNames } from './catalogue.ts';
import { aboutHowLong, ensureParts, missingParts, whyUnbuildable } from './ensure.ts';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'parts-test-'));
  vi.stubEnv('KEYTURN_PARTS', join(folder, 'cache'));
  vi.stubEnv('KUBEBUILDER_ASSETS', '');
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(folder, { recursive: true, force: true });
});

async function program(path: string, output: string): Promise<void> {
  await mkdir(dirname(path), { recursive: true });
  await writeFile(path, `#!/bin/sh\necho '${output}'\n`);
  await chmod(path, 0o755);
}

test('where Go and pip are missing every part is unbuildable and says what to install', async () => {
  vi.stubEnv('PATH', folder);
  const states = await ensureParts();
  expect(states.map(({ name }) => name)).toEqual(partNames);
  for (const state of states) {
    expect(state.state).toBe('unbuildable');
    expect(state.state === 'unbuildable' && state.why).toMatch(/^[^\n]+: install (Go|Python)[^\n]*$/);
  }
  expect(whyUnbuildable(states.flatMap((state) => (state.state === 'unbuildable' ? [state] : [])))).toBe(
    `${partNames.join(', ')} cannot be built here: install Go 1.26 or later, and Python 3 with pip`,
  );
});

test('with Go and pip at hand a part that is not in the cache is missing, with an estimate', async () => {
  await program(join(folder, 'bin/go'), 'go version go1.26.0');
  await program(join(folder, 'bin/pip'), 'pip 24');
  vi.stubEnv('PATH', join(folder, 'bin'));
  const missing = await missingParts();
  expect(missing.map(({ state }) => state)).toEqual(partNames.map(() => 'missing'));
});

test('a part in the cache is ready without any tool', async () => {
  vi.stubEnv('PATH', folder);
  await program(binaryPath(part('etcd')), 'etcd');
  expect(await missingParts(['etcd'])).toEqual([]);
  expect(partPath('etcd')).toBe(binaryPath(part('etcd')));
  expect(() => partPath('istiod')).toThrow('istiod is not built: run "npm run parts"');
});

test('KUBEBUILDER_ASSETS stands before the cache, for etcd and the API server, with its own version', async () => {
  await program(join(folder, 'assets/kube-apiserver'), 'Kubernetes v1.34.1');
  vi.stubEnv('KUBEBUILDER_ASSETS', join(folder, 'assets'));
  const [state] = await ensureParts(['kube-apiserver']);
  expect(state).toMatchObject({ state: 'ready', version: 'v1.34.1', path: join(folder, 'assets/kube-apiserver') });
});

test('a build that fails says where it failed, and leaves nothing that looks like a part', async () => {
  await mkdir(join(folder, 'bin'));
  await writeFile(join(folder, 'bin/go'), '#!/bin/sh\n[ "$1" = version ] && exit 0\necho no space left >&2\nexit 1\n');
  await chmod(join(folder, 'bin/go'), 0o755);
  vi.stubEnv('PATH', `${join(folder, 'bin')}:${process.env['PATH']}`);
  await expect(ensureParts(['etcd'])).rejects.toThrow(/go build of etcd ended with exit code 1.*no space left/s);
  expect((await missingParts(['etcd'])).map(({ state }) => state)).toEqual(['missing']);
});

test('estimates are rounded to what a person wants to know', () => {
  expect(aboutHowLong([{ estimatedSeconds: 15 }])).toBe('about 20 s');
  expect(aboutHowLong([{ estimatedSeconds: 240 }, { estimatedSeconds: 100 }])).toBe('about 6 min');
});
