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
  /** SIGKILL, in the middle of whatever it does, and a new one. One after the other, however often it is called. */
  killAndStartAnew(): Promise<void>;
  /** It ended without having been asked to. */
  hasFailed(): boolean;
  /** Lines of its log, the latest last, 200 at most. */
  log(): readonly string[];
  stop(): Promise<void>;
}

/** One process of the operator. */
interface Run {
  readonly child: ChildProcess;
  /** It was asked to end, so that its end is no failure. */
  ending: boolean;
}

const linesKept = 200;
const patienceMs = 5_000;
const shipped = fileURLToPath(new URL('./operator-main.js', import.meta.url));

/** Starts the process. @param main the module that it runs */
export function startOperatorProcess(signal: AbortSignal, main: string = shipped): OperatorProcess {
  const lines: string[] = [];
  let failed = false;
  let stopped = false;
  let kubeconfig = '';
  let run = start();
  let restarting: Promise<void> = Promise.resolve();

  function start(): Run {
    signal.throwIfAborted();
    // Its standard input and output are ours; the channel ends with this process, and the operator with the channel.
    const child = fork(main, [], { stdio: ['ignore', 'pipe', 'pipe', 'ipc'] });
    for (const stream of [child.stdout, child.stderr]) {
      stream?.setEncoding('utf8').on('data', (text: string) => {
        lines.push(...text.split('\n').filter((line) => line !== ''));
        lines.splice(0, Math.max(0, lines.length - linesKept));
      });
    }
    const started: Run = { child, ending: false };
    child.once('exit', () => {
      if (!started.ending) failed = true;
    });
    // A process that is gone cannot be told anything; its exit says why.
    child.on('error', () => undefined);
    return started;
  }

  async function begin({ child }: Run): Promise<void> {
    const begun = once(child, 'message', { signal });
    child.send(kubeconfig);
    // Later than its exit, and with everything that it had to say.
    const ended = hasEnded(child) ? Promise.resolve() : once(child, 'close', { signal });
    await Promise.race([
      begun,
      ended.then(() => {
        throw new Error(`The operator ended at its start: ${lines.at(-1) ?? 'it said nothing'}`);
      }),
    ]);
  }

  async function restart(): Promise<void> {
    await end(run, 'SIGKILL');
    if (stopped) return;
    // Known at once, so that an end that comes now ends this one.
    run = start();
    await begin(run);
  }

  return {
    begin(kubeconfigPath) {
      kubeconfig = kubeconfigPath;
      return begin(run);
    },
    killAndStartAnew() {
      restarting = restarting.catch(() => undefined).then(restart);
      return restarting;
    },
    hasFailed: () => failed,
    log: () => lines,
    async stop() {
      stopped = true;
      await end(run, 'SIGTERM');
    },
  };
}

function hasEnded({ exitCode, signalCode }: ChildProcess): boolean {
  return exitCode !== null || signalCode !== null;
}

/** Resolves when the process is gone, which is seen to where it does not go by itself. */
async function end(run: Run, how: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  const { child } = run;
  run.ending = true;
  if (hasEnded(child)) return;
  const ended = once(child, 'exit');
  child.kill(how);
  const patience = setTimeout(() => child.kill('SIGKILL'), patienceMs);
  await ended;
  clearTimeout(patience);
}
