import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { afterAll, describe, expect, test } from 'vitest';
import { keyturn } from './built-command.ts';
import { keyturnAtAPseudoTerminal, keyturnAtATerminal, type TerminalSession } from './terminal-session.ts';

const sandbox = ['sandbox', '--runtimes', '3', '--rotations', '0'];
const sessions: TerminalSession[] = [];
const opened = (session: TerminalSession): TerminalSession => {
  sessions.push(session);
  return session;
};
afterAll(() => {
  for (const { child } of sessions) child.kill('SIGKILL');
});
const kubeconfigOf = (person: TerminalSession): Promise<string> => person.shows(/KUBECONFIG=(\S+)/);

/** One thing leads to the next, so the order matters. */
describe('a person at the keys of a sandbox', () => {
  let person: TerminalSession;
  let kubeconfig: string;
  let root: string;

  /** What somebody sees at another terminal. */
  const status = async (): Promise<string> => (await keyturn('status', '--kubeconfig', kubeconfig)).out;
  /** Waits until everything is on another root than `before`. @returns the start of its digest */
  const settledOnAnotherThan = (before: string): Promise<string> =>
    person.shows(
      new RegExp(
        `^root +(?!${before})(\\w{8})\\n` +
          'runtimes +bundle 3/3 +pair of the root 3/3 +proven 3/3\\n' +
          'gateway +bundle \\w{8}\\n[^]*^next +Everything is on the current root',
        'm',
      ),
    );

  test('sees the fleet come to its first root, and the keys', async () => {
    person = opened(keyturnAtATerminal(...sandbox));
    kubeconfig = await kubeconfigOf(person);
    root = await settledOnAnotherThan('none yet');
    await person.shows(/^ +[\d.]+ s {2}The fleet is under way/m);
    await person.shows(/^r rotate {3}p pause {3}u unplug .* q quit$/m);
  });

  test('r has the issuer make another root, and everything goes on it', async () => {
    person.press('r');
    await person.shows(/The issuer was asked for another root$/m);
    root = await settledOnAnotherThan(root);
  });

  test('p pauses, and p again resumes, for everybody to see', async () => {
    person.press('p');
    await person.shows(/s {2}Paused$/m);
    await person.shows(/^root +\w{8} {3}paused$/m);
    expect(await status()).toContain('paused');
    person.press('P');
    await person.shows(/s {2}Resumed$/m);
    await person.shows(/^root +\w{8}$/m);
    expect(await status()).not.toContain('paused');
  });

  test('u takes a runtime away, which is named and costs the others nothing, and u again has it heal', async () => {
    person.press('u');
    const runtime = await person.shows(/s {2}(runtime-\d+) is off the network$/m);
    await person.shows(new RegExp(`^runtimes .* unplugged: ${runtime}$`, 'm'));
    person.press('r');
    await person.shows(/^runtimes +bundle 2\/3 +pair of the root 2\/3/m);
    await person.shows(new RegExp(`^ +certificate .*, which waits for ${runtime}$`, 'm'));
    expect(await status()).toMatch(new RegExp(`^${runtime} +False +RuntimeUnreachable`, 'm'));
    person.press('u');
    await person.shows(new RegExp(`s {2}${runtime} is back on the network$`, 'm'));
    root = await settledOnAnotherThan(root);
    expect(await status()).toMatch(new RegExp(`^${runtime} +True +Settled`, 'm'));
  });

  test('g restarts the endpoints of the gateway, one after the other', async () => {
    person.press('g');
    const first = await person.shows(/s {2}(\S+) of the gateway was restarted$/m);
    person.press('g');
    const others = new RegExp(`s {2}(?!${first})(\\S+) of the gateway was restarted$`, 'm');
    expect(await person.shows(others)).not.toBe(first);
    await settledOnAnotherThan('none yet');
  });

  test('k kills the operator in whatever it does, and another one carries the rotation on', async () => {
    person.press('r');
    await person.shows(new RegExp(`^root +(?!${root})\\w{8}$`, 'm'));
    person.press('k');
    await person.shows(/The operator was killed, another one has taken over$/m);
    root = await settledOnAnotherThan(root);
  });

  test('q ends with a summary, and with 0 because nothing failed', async () => {
    person.press('q');
    expect(await person.ended, person.screen()).toBe(0);
    const summary = /^All held: (\d+) rotations in \d+ s, \d+ requests, 0 failed, 0 violations/m.exec(person.screen());
    expect(Number(summary?.[1]), person.screen()).toBe(3);
    expect(person.screen()).not.toMatch(/did not work/);
    expect(existsSync(kubeconfig), 'the token of the hub is left behind').toBe(false);
  });
});

test('a key that was pressed just before q does not outlive it', async () => {
  const person = opened(keyturnAtATerminal(...sandbox));
  await person.shows(/The fleet is under way/);
  person.press('kq');
  expect(await person.ended, person.screen()).toBe(0);
  expect(person.screen()).toMatch(/^All held: /m);
  expect(person.screen()).not.toMatch(/did not work/);
});

test('a runtime that was away through two rotations, came back and was off for a moment, catches up with none of its requests failed; q ends it also while one is away', async () => {
  const person = opened(keyturnAtATerminal(...sandbox));
  await person.shows(/The fleet is under way/);
  const presses = async (keys: string, ...seen: readonly RegExp[]): Promise<void> => {
    person.press(keys);
    for (const pattern of seen) await person.shows(pattern);
  };
  await presses('u', /is off the network/);
  await presses('r');
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  await presses('r');
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  await presses('u', /is back on the network/);
  await presses('r');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  await presses('uu');
  await new Promise((resolve) => setTimeout(resolve, 4_000));
  await presses('u');
  await new Promise((resolve) => setTimeout(resolve, 1_000));
  person.press('q');
  expect(await person.ended, person.screen()).toBe(0);
  expect(person.screen()).toMatch(/^All held: .* 0 failed, 0 violations/m);
});

const hasPseudoTerminal = spawnSync('script', ['--version']).status === 0;
test.skipIf(!hasPseudoTerminal)('Ctrl-C at a real terminal is q', async () => {
  const person = opened(keyturnAtAPseudoTerminal(...sandbox));
  await person.shows(/The fleet is under way/);
  person.press('\u0003');
  expect(await person.ended, person.screen()).toBe(0);
  expect(person.screen()).toMatch(/^All held: 0 rotations .* 0 failed, 0 violations/m);
});

test('SIGTERM ends it without a judgement, and leaves nothing behind', async () => {
  const person = opened(keyturnAtATerminal(...sandbox));
  const kubeconfig = await kubeconfigOf(person);
  person.child.kill('SIGTERM');
  expect(await person.ended, person.screen()).toBe(130);
  expect(person.screen()).not.toMatch(/All held|Not all held/);
  expect(existsSync(kubeconfig)).toBe(false);
});
