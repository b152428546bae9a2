import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

const prefix = 'keyturn-sandbox-';

/** A folder that only its owner may enter: tokens lie in it (S4). What sandboxes that were killed left behind is removed. */
export async function openOwnFolder(): Promise<string> {
  for (const entry of await readdir(tmpdir())) {
    const pid = /^keyturn-sandbox-(\d+)-/.exec(entry)?.[1];
    if (pid === undefined || isAlive(Number(pid))) continue;
    // It may be another user's.
    await rm(join(tmpdir(), entry), { recursive: true, force: true }).catch(() => undefined);
  }
  return mkdtemp(join(tmpdir(), `${prefix}${process.pid}-`));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of another user may not be asked, and is there.
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}
