import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** The operator of a sandbox: a process of its own, so that it can be killed as a machine would kill it. */
export interface OperatorProcess {
  /**
   * Lets it work; until then it has only loaded its code, which goes on beside whatever else is started.
   *
   * @param kubeconfigPath file that only its owner can read
   * @throws when it ended before it could begin
   */
  begin(kubeconfigPath: string): Promise<void>;
  /** SIGKILL, in the middle of whatever it does, and a new one. */
  killAndStartAnew(): Promise<void>;
  /** It ended without having been asked to. */
  hasFailed(): boolean;
  /** Lines of its log, the latest last, 200 at most. */
  log(): readonly string[];
  stop(): Promise<void>;
}

const linesKept = 200;
const shipped = fileURLToPath(new URL('./operator-main.js', import.meta.url));

/** Starts the process. @param main the module that it runs */
export function startOperatorProcess(signal: AbortSignal, main: string = shipped): OperatorProcess {
  const lines: string[] = [];
  let failed = false;
  let stopping = false;
  let kubeconfig = '';
  let child = start();

  function start(): ChildProcess {
    signal.throwIfAborted();
    // Its standard input and output are ours; the channel ends with this process, and the operator with the channel.
    const started = fork(main, [], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    for (const stream of [started.stdout, started.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        lines.push(...text.split('\n').filter((line) => line !== ''));
        lines.splice(0, Math.max(0, lines.length - linesKept));
      });
    }
    started.once('exit', () => {
      if (started === child && !stopping) failed = true;
    });
    // A process that is gone cannot be told anything; its exit says why.
    started.on('error', () => undefined);
    return started;
  }

  const hasEnded = (): boolean => child.exitCode !== null || child.signalCode !== null;

  async function begin(): Promise<void> {
    const begun = once(child, 'message', { signal });
    child.send(kubeconfig);
    const ended = hasEnded() ? Promise.resolve() : once(child, 'close', { signal });
    await Promise.race([
      begun,
      ended.then(() => {
        throw new Error(`The operator ended at its start: ${lines.at(-1) ?? 'it said nothing'}`);
      }),
    ]);
  }

  return {
    begin(kubeconfigPath) {
      kubeconfig = kubeconfigPath;
      return begin();
    },
    async killAndStartAnew() {
      stopping = true;
      child.kill('SIGKILL');
      if (!hasEnded()) await once(child, 'exit', { signal });
      stopping = false;
      child = start();
      await begin();
    },
    hasFailed: () => failed,
    log: () => lines,
    async stop() {
      stopping = true;
      if (hasEnded()) return;
      const ended = once(child, 'exit');
      child.kill('SIGTERM');
      const patience = setTimeout(() => child.kill('SIGKILL'), 5_000);
      await ended;
      clearTimeout(patience);
    },
  };
}
