import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The operator of a sandbox: a process of its own, so that it can be killed as a machine would kill it. */
export interface OperatorProcess {
  /** SIGKILL, in the middle of whatever it does, and a new one. */
  killAndStartAnew(): Promise<void>;
  /** It ended without having been asked to. */
  hasFailed(): boolean;
  /** Lines of its log, the latest last, 200 at most. */
  log(): readonly string[];
  stop(): Promise<void>;
}

const linesKept = 200;
const main = fileURLToPath(new URL('./operator-main.js', import.meta.url));

/** @param kubeconfigPath file that only its owner can read */
export async function startOperatorProcess(kubeconfigPath: string, signal: AbortSignal): Promise<OperatorProcess> {
  const lines: string[] = [];
  let failed = false;
  let stopping = false;
  let child = await start();

  async function start(): Promise<ChildProcess> {
    signal.throwIfAborted();
    // Its standard input and output are ours; the channel ends with this process, and the operator with the channel.
    const started = fork(main, [kubeconfigPath], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    for (const stream of [started.stdout, started.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        lines.push(...text.split('\n').filter((line) => line !== ''));
        lines.splice(0, Math.max(0, lines.length - linesKept));
      });
    }
    started.once('exit', () => {
      if (child === started && !stopping) failed = true;
    });
    // Its first message says that its code is loaded and that it begins.
    await Promise.race([
      once(started, 'message', { signal }),
      once(started, 'exit', { signal }).then(() => {
        throw new Error(`The operator ended at its start: ${lines.at(-1) ?? 'it said nothing'}`);
      }),
    ]);
    return started;
  }

  return {
    async killAndStartAnew() {
      stopping = true;
      child.kill('SIGKILL');
      if (child.exitCode === null && child.signalCode === null) await once(child, 'exit', { signal });
      stopping = false;
      child = await start();
    },
    hasFailed: () => failed,
    log: () => lines,
    async stop() {
      stopping = true;
      if (child.exitCode !== null || child.signalCode !== null) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const patience = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(patience);
    },
  };
}
