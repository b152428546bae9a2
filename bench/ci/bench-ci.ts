import { execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { promisify } from 'node:util';

export interface CiRun {
  readonly revision: string;
  readonly seconds: number;
  readonly exitCode: number;
  /** `N passed, N failed` */
  readonly lastLine: string;
}

const run = promisify(execFile);

/** `.ci/run` on a clean clone of each revision, one after the other, with the parts that are built already. */
export async function benchCi(revisions: readonly string[], signal: AbortSignal): Promise<readonly CiRun[]> {
  const runs: CiRun[] = [];
  for (const revision of revisions) {
    const folder = await mkdtemp(join(tmpdir(), 'keyturn-ci-'));
    try {
      runs.push(await oneRun(revision, join(folder, 'keyturn'), signal));
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  return runs;
}

async function oneRun(revision: string, clone: string, signal: AbortSignal): Promise<CiRun> {
  await run('git', ['clone', '--quiet', '.', clone], { signal });
  await run('git', ['-C', clone, 'checkout', '--quiet', '--detach', revision], { signal });
  const beganMs = performance.now();
  const child = spawn(join(clone, '.ci/run'), [], { cwd: clone, stdio: ['ignore', 'pipe', 'inherit'], signal });
  const exited = once(child, 'exit');
  let lastLine = '';
  for await (const line of createInterface({ input: child.stdout })) lastLine = line;
  const [exitCode] = await exited;
  return { revision, seconds: (performance.now() - beganMs) / 1_000, exitCode: Number(exitCode), lastLine };
}
