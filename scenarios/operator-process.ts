import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { freePort } from '../world/free-ports.ts';
import { type RunningProcess, startProcess } from '../world/process.ts';
import { projectRoot } from '../world/project-root.ts';
import type { World } from '../world/world.ts';
import { operatorKubeconfig } from './hub-objects.ts';

/** The Lease of replicas that are killed and stopped: short, so that a scenario need not wait. */
const leaseFlags = [
  '--leader-elect',
  ...['--leader-elect-lease-duration', '2s'],
  ...['--leader-elect-renew-deadline', '1500ms'],
  ...['--leader-elect-retry-period', '400ms'],
];

export interface OperatorOptions {
  /** Holds a Lease of 2 s. @default false */
  readonly elected?: boolean;
  /** Of its log, where there is more than one. @default operator */
  readonly name?: string;
  /** How far its clock is ahead of everybody's. @default 0 */
  readonly clockAheadMs?: number;
}

/** The built operator on a hub, as a process of its own that may be killed and started anew. */
export interface OperatorUnderTest {
  /** Of all its processes, one after the other. */
  readonly logFile: string;
  /** SIGKILL, in the middle of whatever it does. Resolves when it is gone. */
  kill(): Promise<void>;
  /** Another process, after the one before was killed. Resolves when its watches are in place. */
  start(): Promise<void>;
  /** SIGSTOP and SIGCONT go to the process that runs. */
  send(signal: 'SIGSTOP' | 'SIGCONT'): void;
  /** Resolves to the exit code of the process that runs now. */
  exited(): Promise<number>;
  /** It ended by itself. */
  hasFailed(): boolean;
  stop(): Promise<void>;
}

const clockAhead = join(projectRoot, 'dist/scenarios/clock-ahead.js');

/** Starts it by the command that a hub runs, with the published rights and no more. */
export async function startOperator(
  world: World,
  signal: AbortSignal,
  { elected = false, name = 'operator', clockAheadMs = 0 }: OperatorOptions = {},
): Promise<OperatorUnderTest> {
  const { hub, workspace } = world;
  const kubeconfig = join(await workspace.subfolder(name), 'kubeconfig.yaml');
  await writeFile(kubeconfig, await operatorKubeconfig(hub, signal), { mode: 0o600 });
  const logFile = workspace.logFile(name);

  const startOne = async (): Promise<RunningProcess> => {
    const address = `127.0.0.1:${await freePort()}`;
    return startProcess({
      name: `keyturn ${name}`,
      command: process.execPath,
      env: { KEYTURN_CLOCK_AHEAD_MS: String(clockAheadMs) },
      args: [
        ...(clockAheadMs === 0 ? [] : ['--import', clockAhead]),
        join(projectRoot, 'dist/src/cli/main.js'),
        ...['operator', '--kubeconfig', kubeconfig, '--metrics-address', address],
        ...(elected ? leaseFlags : []),
      ],
      logFile,
      ready: async (readySignal) => (await fetch(`http://${address}/readyz`, { signal: readySignal })).ok,
      graceSeconds: 10,
      signal,
    });
  };
  let running = await startOne();
  return {
    logFile,
    async kill() {
      running.kill('SIGKILL');
      await running.exited;
    },
    async start() {
      running = await startOne();
    },
    send: (name) => running.kill(name),
    exited: () => running.exited,
    hasFailed: () => running.hasFailed(),
    stop: () => running.stop(),
  };
}
