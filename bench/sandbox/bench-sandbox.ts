import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';

export interface SandboxBench {
  readonly runtimes: number;
  /** From the command to the moment when a first rotation is over everywhere, of each run. */
  readonly rotatedMs: readonly number[];
  readonly medianRotatedMs: number;
  /** From the command to the moment when everything is on the first root. */
  readonly medianFirstRootMs: number;
}

const command = fileURLToPath(new URL('../../src/cli/main.js', import.meta.url));

/** `keyturn sandbox` as a person starts it: each run is a process of its own. @throws when a run did not hold */
export async function benchSandbox(
  signal: AbortSignal,
  { runtimes = 20, runs = 3 }: { readonly runtimes?: number; readonly runs?: number } = {},
): Promise<SandboxBench> {
  const times: { readonly firstRootMs: number; readonly rotatedMs: number }[] = [];
  for (let run = 0; run < runs; run += 1) times.push(await oneRun(runtimes, signal));
  const rotatedMs = times.map((one) => one.rotatedMs);
  return {
    runtimes,
    rotatedMs,
    medianRotatedMs: median(rotatedMs),
    medianFirstRootMs: median(times.map((one) => one.firstRootMs)),
  };
}

async function oneRun(runtimes: number, signal: AbortSignal) {
  const beganMs = performance.now();
  const args = [command, 'sandbox', '--runtimes', String(runtimes), '--rotations', '1', '--exit', '-o', 'json'];
  const child = spawn(process.execPath, args, { stdio: ['ignore', 'ignore', 'pipe'], signal });
  const exited = once(child, 'exit');
  let [firstRootMs, rotatedMs] = [Number.NaN, Number.NaN];
  for await (const line of createInterface({ input: child.stderr })) {
    const atMs = performance.now() - beganMs;
    if (line.includes('The fleet is under way')) firstRootMs = atMs;
    if (line.includes('Rotation 1 of 1')) rotatedMs = atMs;
  }
  const [code] = await exited;
  if (code !== 0 || Number.isNaN(rotatedMs)) throw new Error(`The sandbox ended with exit code ${code}`);
  return { firstRootMs, rotatedMs };
}

function median(times: readonly number[]): number {
  return [...times].sort((a, b) => a - b)[times.length >> 1] ?? Number.NaN;
}
