import type { Outcome } from '../../checker/outcome.ts';
import { type Sandbox, startSandbox } from '../../sandbox/sandbox.ts';
import type { CommandWorld } from '../command-world.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import { counted } from '../table.ts';
import { readKeys } from './keys.ts';
import type { SandboxFlags } from './sandbox-flags.ts';
import { KEYS_LINE, summaryLines, viewLines, viewSentence } from './sandbox-lines.ts';

/** A script must not wait for ever. A person may have paused it or unplugged a runtime, and looks himself. */
const rotationTimeoutMs = 60_000;

/** Runs a sandbox until its rotations are over or a person ends it. */
export async function runSandbox(flags: SandboxFlags, { terminal, clock, signal }: CommandWorld): Promise<ExitCode> {
  const { runtimes, rotations, rate, seed, exit, output } = flags;
  const screen = output === 'json' ? terminal.errorScreen() : terminal.screen();
  const startedMs = clock.monotonicMs();
  const said = (text: string): void =>
    screen.line(`${((clock.monotonicMs() - startedMs) / 1_000).toFixed(1).padStart(6)} s  ${text}`);
  said(`Starting a hub and ${counted(runtimes, 'runtime')} in this process`);
  const sandbox = await startSandbox({ runtimes, ratePerSecond: rate, seed, clock, signal });
  const quitting = new AbortController();
  const stopped = AbortSignal.any([signal, quitting.signal]);
  const showing = new AbortController();
  const offKeys = readKeys((key) => {
    if (key === 'q') quitting.abort();
    else if (!quitting.signal.aborted) act(sandbox, key, said, quitting.signal);
  });
  let shown: Promise<void> = Promise.resolve();
  try {
    said(`Traffic is on its way. Look from another terminal: KUBECONFIG=${sandbox.kubeconfigPath} npx keyturn status`);
    shown = show(sandbox, screen, said, clock, AbortSignal.any([signal, showing.signal]));
    const problems: string[] = [];
    try {
      const over = untilAborted(stopped);
      const timeoutMs = exit ? rotationTimeoutMs : Number.POSITIVE_INFINITY;
      const rotated = rotate(sandbox, rotations, timeoutMs, said, stopped);
      await Promise.race([exit ? rotated : rotated.then(() => over), over]);
    } catch (error) {
      if (!quitting.signal.aborted) problems.push(error instanceof Error ? error.message : String(error));
    }
    signal.throwIfAborted();
    said('Ending: traffic first, then everything that was recorded is judged');
    const outcome = await sandbox.finish(problems, quitting.signal.aborted);
    showing.abort();
    await shown;
    screen.end();
    tell(outcome, output, terminal.write, screen);
    return outcome.ok ? EXIT.done : EXIT.failed;
  } finally {
    showing.abort();
    offKeys();
    await shown;
    screen.end();
    await sandbox.stop();
  }
}

/** The first root, then as many rotations as asked for, each after the one before. */
async function rotate(
  sandbox: Sandbox,
  rotations: number,
  timeoutMs: number,
  said: (text: string) => void,
  signal: AbortSignal,
): Promise<void> {
  let digest = await sandbox.untilRotated(undefined, timeoutMs);
  signal.throwIfAborted();
  said(`The fleet is under way: everything is on root ${digest.slice(0, 8)}`);
  for (let rotation = 1; rotation <= rotations; rotation += 1) {
    await sandbox.rotate();
    digest = await sandbox.untilRotated(digest, timeoutMs);
    signal.throwIfAborted();
    said(
      `Rotation ${rotation} of ${rotations}: everything is on root ${digest.slice(0, 8)}, the one before is retired`,
    );
  }
}

function act(sandbox: Sandbox, key: string, said: (text: string) => void, quitting: AbortSignal): void {
  const done = async (): Promise<string | null> => {
    switch (key) {
      case 'r':
        return (await sandbox.rotate())
          ? 'The issuer was asked for another root'
          : 'The issuer is at work on a root already';
      case 'p':
        return (await sandbox.togglePause()) ? 'Paused' : 'Resumed';
      case 'u': {
        const { runtime, plugged } = await sandbox.togglePlug();
        return plugged ? `${runtime} is back on the network` : `${runtime} is off the network`;
      }
      case 'g':
        return `${await sandbox.restartEndpoint()} of the gateway was restarted`;
      case 'k':
        await sandbox.killOperator();
        return 'The operator was killed, another one has taken over';
      default:
        return null;
    }
  };
  // What is cut short by the end has not failed.
  const tell = (text: string | null): void => {
    if (text !== null && !quitting.aborted) said(text);
  };
  done().then(tell, (error: unknown) =>
    tell(`That did not work: ${error instanceof Error ? error.message : String(error)}`),
  );
}

async function show(
  sandbox: Sandbox,
  screen: ReturnType<CommandWorld['terminal']['screen']>,
  said: (text: string) => void,
  clock: CommandWorld['clock'],
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      const view = await sandbox.view();
      if (screen.isTerminal)
        screen.table(['', ...viewLines(view, screen.paint, screen.columns), '', screen.paint('dim', KEYS_LINE)]);
      else said(viewSentence(view));
    } catch {
      // The hub is being ended.
    }
    await clock.delay(screen.isTerminal ? 250 : 5_000, signal).catch(() => undefined);
  }
}

function tell(
  outcome: Outcome,
  output: SandboxFlags['output'],
  write: (text: string) => void,
  screen: ReturnType<CommandWorld['terminal']['screen']>,
): void {
  for (const line of summaryLines(outcome, screen.paint)) screen.line(line);
  if (output === 'json') write(`${JSON.stringify(outcome)}\n`);
}

function untilAborted(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener('abort', () => resolve(), { once: true });
  });
}
