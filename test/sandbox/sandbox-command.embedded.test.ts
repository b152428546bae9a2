import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import type { Outcome } from '../../src/checker/outcome.ts';
import { unrecorded } from '../contract/unrecorded.ts';
import { keyturn, keyturnWith } from './built-command.ts';

const folder = mkdtempSync(join(tmpdir(), 'keyturn-sandbox-test-'));
const kindsFile = join(folder, 'kinds');
afterAll(() => rmSync(folder, { recursive: true }));

/** An ear on the requests to its API servers. */
const tellKinds = {
  preload: join(import.meta.dirname, '../../dist/test/contract/tell-kinds-at-exit.js'),
  env: { KEYTURN_KINDS_FILE: kindsFile },
};

test('a sandbox rotates with the traffic going on, and ends with one line of JSON and code 0', async () => {
  const { code, out, err } = await keyturnWith(
    tellKinds,
    ...['sandbox', '--runtimes', '3', '--rotations', '2', '--exit', '-o', 'json'],
  );
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
  const { code, err } = await keyturn('sandbox', '--runtimes', '0');
  expect(code).toBe(2);
  expect(err).toContain('Write a whole number from 1 to 200.');
});
