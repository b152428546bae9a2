import { mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isAlive } from './process.ts';

/** The folder of one world: data, credentials of its own making, and a log file for each child. */
export interface Workspace {
  readonly folder: string;
  /** A fresh file name; a second start of one part gets a log of its own. */
  logFile(part: string): string;
  /** Makes a folder in it. */
  subfolder(name: string): Promise<string>;
  /** Removes everything, or all but the logs. @returns the folder of the logs if they were kept. */
  close(outcome: { readonly keepLogs: boolean }): Promise<string | undefined>;
}

const logsName = 'logs';
const logsKeptMs = 24 * 3_600_000;

/** Makes a folder that only its owner can read, since tokens and keys lie in it. */
export async function openWorkspace(prefix = 'keyturn-world-', parent: string = tmpdir()): Promise<Workspace> {
  await sweep(parent);
  const folder = await mkdtemp(join(parent, `${prefix}${process.pid}-`));
  const logs = join(folder, logsName);
  await mkdir(logs);
  const starts = new Map<string, number>();
  return {
    folder,
    logFile: (part) => {
      const start = (starts.get(part) ?? 0) + 1;
      starts.set(part, start);
      return join(logs, start === 1 ? `${part}.log` : `${part}.${start}.log`);
    },
    subfolder: async (name) => {
      const path = join(folder, name);
      await mkdir(path, { recursive: true });
      return path;
    },
    close: async ({ keepLogs }) => {
      if (keepLogs) {
        await removeAllButLogs(folder);
        return logs;
      }
      await rm(folder, { recursive: true, force: true });
      return undefined;
    },
  };
}

/** Cleans up after worlds whose process was killed, and after logs that nobody has looked at for a day. */
async function sweep(parent: string): Promise<void> {
  for (const entry of await readdir(parent)) {
    const owner = /^keyturn-[a-z]+-(\d+)-/.exec(entry)?.[1];
    if (owner === undefined || isAlive(Number(owner))) continue;
    const folder = join(parent, entry);
    try {
      await removeAllButLogs(folder);
      if (Date.now() - (await stat(join(folder, logsName))).mtimeMs > logsKeptMs)
        await rm(folder, { recursive: true, force: true });
    } catch {
      // Another process sweeps, too, or the folder is another user's.
    }
  }
}

async function removeAllButLogs(folder: string): Promise<void> {
  const others = (await readdir(folder)).filter((entry) => entry !== logsName);
  await Promise.all(others.map((entry) => rm(join(folder, entry), { recursive: true, force: true })));
}
