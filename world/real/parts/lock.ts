import { mkdir, open, readFile, rm, stat, utimes } from 'node:fs/promises';
import { dirname } from 'node:path';
import { isAlive } from '../../process.ts';
import { pause } from '../../wait.ts';

const heartbeatMs = 2_000;
const staleAfterMs = 30_000;

/**
 * Runs `work` while this process alone holds the lock file. A holder touches the file every 2 s; one that was killed is
 * seen by its pid or by the missing heartbeat. Should two get in all the same, both build and the later rename loses: the
 * lock saves minutes, correctness does not hang on it.
 */
export async function withLock<T>(file: string, signal: AbortSignal | undefined, work: () => Promise<T>): Promise<T> {
  await mkdir(dirname(file), { recursive: true });
  while (!(await take(file))) {
    await pause(500, signal);
    signal?.throwIfAborted();
  }
  const heartbeat = setInterval(() => void utimes(file, new Date(), new Date()).catch(() => {}), heartbeatMs);
  try {
    return await work();
  } finally {
    clearInterval(heartbeat);
    await rm(file, { force: true });
  }
}

async function take(file: string): Promise<boolean> {
  try {
    const handle = await open(file, 'wx');
    await handle.writeFile(String(process.pid));
    await handle.close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
    if (await isStale(file)) await rm(file, { force: true });
    return false;
  }
}

async function isStale(file: string): Promise<boolean> {
  try {
    const [{ mtimeMs }, text] = [await stat(file), await readFile(file, 'utf8')];
    if (Date.now() - mtimeMs > staleAfterMs) return true;
    return text !== '' && !isAlive(Number(text));
  } catch {
    return false; // Released meanwhile.
  }
}
