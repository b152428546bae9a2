import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, test } from 'vitest';
import { type OperatorProcess, startOperatorProcess } from './operator-process.ts';

/** Stand-ins for the operator: what is tested is how one is started, killed and ended. */
const folder = mkdtempSync(join(tmpdir(), 'keyturn-operator-process-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const { signal } = new AbortController();

function program(name: string, text: string): string {
  const path = join(folder, `${name}.mjs`);
  writeFileSync(path, text);
  return path;
}
const lasting = program(
  'lasting',
  "console.log('pid', process.pid); process.on('message', () => process.send('begun')); process.once('SIGTERM', () => process.exit(0));",
);
const pidsIn = (lines: readonly string[]): readonly number[] =>
  lines.flatMap((line) => (line.startsWith('pid ') ? [Number(line.slice(4))] : []));
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch {
    return false;
  }
};

async function begun(main: string, asLongAs = signal): Promise<OperatorProcess> {
  const operator = startOperatorProcess(asLongAs, main);
  await operator.begin('hub.yaml');
  return operator;
}

test('an operator that ends at its very start is told with the last thing that it said', async () => {
  const broken = program('broken', "console.error('first'); console.error('no such hub'); process.exit(3);");
  await expect(begun(broken)).rejects.toThrow('The operator ended at its start: no such hub');
  await expect(begun(program('silent', ''))).rejects.toThrow('at its start: it said nothing');
});

test('an operator that has ended before it is to begin is told too', async () => {
  const operator = startOperatorProcess(signal, program('early', "console.error('no code'); process.exit(3);"));
  await expect.poll(() => operator.hasFailed()).toBe(true);
  await expect(operator.begin('hub.yaml')).rejects.toThrow('The operator ended at its start: no code');
});

test('a start that is called off is no failure, and the process ends', async () => {
  const calledOff = new AbortController();
  const deaf = program('deaf', "console.log('pid', process.pid); process.on('message', () => 0);");
  const operator = startOperatorProcess(calledOff.signal, deaf);
  const beginning = operator.begin('hub.yaml');
  await expect.poll(() => pidsIn(operator.log()).length).toBe(1);
  calledOff.abort();
  await expect(beginning).rejects.toThrow(/abort/);
  await operator.stop();
  expect(pidsIn(operator.log()).some(isAlive)).toBe(false);
  expect(operator.hasFailed()).toBe(false);
});

test('an operator that is killed twice at once leaves one alive, and was no failure', async () => {
  const operator = await begun(lasting);
  await Promise.all([operator.killAndStartAnew(), operator.killAndStartAnew()]);
  await expect.poll(() => pidsIn(operator.log()).length).toBe(3);
  expect(pidsIn(operator.log()).map(isAlive)).toEqual([false, false, true]);
  expect(operator.hasFailed()).toBe(false);
  await operator.stop();
  expect(pidsIn(operator.log()).some(isAlive)).toBe(false);
});

test('an end while another one is being started leaves none alive', async () => {
  const operator = await begun(lasting);
  const restarting = operator.killAndStartAnew().catch(() => undefined);
  await operator.stop();
  await restarting;
  expect(pidsIn(operator.log()).some(isAlive)).toBe(false);
  expect(operator.hasFailed()).toBe(false);
});

test('an operator that ends by itself has failed', async () => {
  const operator = await begun(lasting);
  await expect.poll(() => pidsIn(operator.log()).length).toBe(1);
  process.kill(pidsIn(operator.log())[0] ?? 0, 'SIGKILL');
  await expect.poll(() => operator.hasFailed()).toBe(true);
  await operator.stop();
});
