import { EventEmitter } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import type { OperatorArguments } from './operator-command.ts';
import { runProgram } from './program.ts';
import { untilStopped } from './stop-signal.ts';

let folder: string;
let kubeconfig: string;
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyturn-cli-'));
  kubeconfig = join(folder, 'hub.yaml');
  const hub = { name: 'hub', cluster: { server: 'https://hub.example:6443' } };
  const context = { name: 'hub', context: { cluster: 'hub' } };
  const content = { apiVersion: 'v1', kind: 'Config', clusters: [hub], contexts: [context], 'current-context': 'hub' };
  await writeFile(kubeconfig, JSON.stringify(content));
});
afterAll(() => rm(folder, { recursive: true }));

async function run(...args: string[]) {
  const output = { text: '', errors: '' };
  let given: OperatorArguments | undefined;
  const code = await runProgram(args, {
    loadOperator: () =>
      Promise.resolve((operator) => {
        given = operator;
        return operator.namespace === 'broken' ? Promise.reject(new Error('Lease lost')) : Promise.resolve();
      }),
    write: (text) => {
      output.text += text;
    },
    writeError: (text) => {
      output.errors += text;
    },
  });
  return { code, ...output, given };
}

test('the operator gets what the command line says, and defaults for the rest', async () => {
  const { code, given } = await run('operator', '--kubeconfig', kubeconfig, '--log-level', 'error');
  expect(code).toBe(0);
  expect(given).toMatchObject({
    hub: { server: 'https://hub.example:6443' },
    namespace: 'kcp-system',
    metricsAddress: { host: '127.0.0.1', port: 8080 },
    lease: null,
  });
  const flags = ['--metrics-address', '0.0.0.0:9', '--leader-elect', '--namespace', 'x', '--log-level', 'error'];
  const other = await run('operator', '--kubeconfig', kubeconfig, ...flags);
  expect(other.given).toMatchObject({
    namespace: 'x',
    metricsAddress: { port: 9 },
    lease: { durationMs: 15_000, renewDeadlineMs: 10_000, retryMs: 2_000 },
  });
});

test('a Lease may be held for another time, as long as a leader ends before another may begin', async () => {
  const flags = ['operator', '--kubeconfig', kubeconfig, '--leader-elect', '--leader-elect-lease-duration'];
  const quick = ['2s', '--leader-elect-renew-deadline', '1500ms', '--leader-elect-retry-period', '400ms'];
  expect((await run(...flags, ...quick)).given?.lease).toEqual({
    durationMs: 2_000,
    renewDeadlineMs: 1_500,
    retryMs: 400,
  });
  const { code, errors, given } = await run(...flags, '9s');
  expect({ code, given }).toEqual({ code: 2, given: undefined });
  expect(errors).toContain('renew deadline');
});

test.each([
  ['an unknown command', ['nothing']],
  ['an unknown option', ['operator', '--nothing']],
  ['an address without a port', ['operator', '--metrics-address', 'localhost']],
  ['an unknown level', ['operator', '--log-level', 'loud']],
])('%s ends with 2 and says how to get help', async (_, args) => {
  const { code, errors, given } = await run(...args);
  expect(code).toBe(2);
  expect(errors).toMatch(/error: .*\n.*--help/s);
  expect(given).toBeUndefined();
});

test('a kubeconfig that is not there ends with 1 and one line', async () => {
  const { code, errors } = await run('operator', '--kubeconfig', join(folder, 'missing.yaml'));
  expect(code).toBe(1);
  expect(errors).toMatch(/^keyturn: The hub's kubeconfig cannot be used: .*\n$/);
});

test('an operator that cannot go on ends with 1', async () => {
  const args = ['--kubeconfig', kubeconfig, '--namespace', 'broken', '--log-level', 'error'];
  const { code, errors } = await run('operator', ...args);
  expect([code, errors]).toEqual([1, 'keyturn: Lease lost\n']);
});

test('help and version end with 0', async () => {
  expect((await run('--help')).text).toContain('operator');
  const version = await run('--version');
  expect([version.code, version.text]).toEqual([0, expect.stringMatching(/^\d+\.\d+\.\d+\n$/)]);
});

test('crds prints manifests for the namespace that is asked for', async () => {
  const kinds = (text: string) => parseAllDocuments(text).map((document) => document.toJS().kind as string);
  const hub = await run('crds', '--namespace', 'elsewhere');
  expect(kinds(hub.text)).toEqual(expect.arrayContaining(['CustomResourceDefinition', 'Role', 'ServiceAccount']));
  expect(hub.text).toContain('namespace: elsewhere');
  expect(new Set(kinds((await run('crds', '--crds-only')).text))).toEqual(new Set(['CustomResourceDefinition']));
  expect((await run('crds', '--runtime')).text).toContain('skr-webhook-tls');
});

test('the first signal asks the work to end, a second one ends the process', async () => {
  const exits: number[] = [];
  const source = Object.assign(new EventEmitter(), { exit: (code: number) => exits.push(code) });
  const told: string[] = [];
  let finish = (): void => undefined;
  const work = (signal: AbortSignal): Promise<string> =>
    new Promise((resolve) => {
      finish = () => resolve(signal.aborted ? 'ended' : 'never asked');
    });
  const done = untilStopped(work, { source, onStop: (why) => told.push(why) });
  source.emit('SIGTERM');
  expect([told, exits]).toEqual([['SIGTERM'], []]);
  source.emit('SIGINT');
  expect(exits).toEqual([130]);
  finish();
  expect(await done).toBe('ended');
  expect(source.listenerCount('SIGTERM')).toBe(0);
});

test('work that does not end in the grace period is cut off', async () => {
  let cut: (code: number) => void = () => undefined;
  const exited = new Promise<number>((resolve) => {
    cut = resolve;
  });
  const source = Object.assign(new EventEmitter(), { exit: cut });
  let finish = (): void => undefined;
  const work = (): Promise<void> =>
    new Promise((resolve) => {
      finish = resolve;
    });
  const done = untilStopped(work, { source, graceMs: 10 });
  source.emit('SIGTERM');
  expect(await exited).toBe(143);
  finish();
  await done;
});
