import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Outcome } from '../../src/checker/outcome.ts';
import { unrecorded } from '../contract/unrecorded.ts';

const main = join(import.meta.dirname, '../../dist/src/cli/main.js');

const tellKinds = join(import.meta.dirname, '../../dist/test/contract/tell-kinds-at-exit.js');
const folder = mkdtempSync(join(tmpdir(), 'keyturn-sandbox-test-'));
const kindsFile = join(folder, 'kinds');
afterAll(() => rmSync(folder, { recursive: true }));

/** Runs the built command, as a person would, but for an ear on the requests to its API servers. */
async function sandbox(...args: readonly string[]) {
  const child = spawn(process.execPath, ['--import', tellKinds, main, 'sandbox', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, KEYTURN_KINDS_FILE: kindsFile },
  });
  let out = '';
  let err = '';
  child.stdout.setEncoding('utf8').on('data', (text: string) => {
    out += text;
  });
  child.stderr.setEncoding('utf8').on('data', (text: string) => {
    err += text;
  });
  const [code] = (await once(child, 'close')) as [number | null];
  return { code, out, err };
}

test('a sandbox rotates with the traffic going on, and ends with one line of JSON and code 0', async () => {
  const { code, out, err } = await sandbox('--runtimes', '3', '--rotations', '2', '--exit', '-o', 'json');
  const last = out.trimEnd().split('\n').at(-1) ?? '';
  const outcome = JSON.parse(last) as Outcome;
  expect(outcome, err).toMatchObject({
    scenario: 'sandbox',
    ok: true,
    failed: 0,
    violations: 0,
    gaps: 0,
    problems: [],
  });
  // The first root is none.
  expect(outcome.rotations).toBe(2);
  expect(outcome.requests).toBeGreaterThan(20);
  expect(code).toBe(0);
  const kubeconfig = /KUBECONFIG=(\S+)/.exec(err)?.[1] ?? '';
  expect(kubeconfig).toMatch(/kubeconfig\.yaml$/);
  expect(existsSync(kubeconfig), 'the token of the hub is left behind').toBe(false);
  const kinds = readFileSync(kindsFile, 'utf8').split('\n');
  expect(kinds.length).toBeGreaterThan(20);
  expect(await unrecorded(kinds), 'requests of kinds that the contract does not compare').toEqual([]);
});

test('a number that makes no sense is refused, with what would', async () => {
  const { code, err } = await sandbox('--runtimes', '0');
  expect(code).toBe(2);
  expect(err).toContain('Write a whole number from 1 to 200.');
});
