import { access, constants, mkdir, mkdtemp, readdir, rm, stat } from 'node:fs/promises';
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
  /** Makes a folder that no disk can hold up, where the system has memory for files; else as `subfolder`. */
  inMemory(name: string): Promise<string>;
  /** Removes everything, or all but the logs. @returns the folder of the logs if they were kept. */
  close(outcome: { readonly keepLogs: boolean }): Promise<string | undefined>;
}

const logsName = 'logs';
const memory = '/dev/shm';
const logsKeptMs = 24 * 3_600_000;

/** Makes a folder that only its owner can read, since tokens and keys lie in it. */
export async function openWorkspace(prefix = 'keyturn-world-', parent: string = tmpdir()): Promise<Workspace> {
  await sweep(parent);
  const folder = await mkdtemp(join(parent, `${prefix}${process.pid}-`));
  const logs = join(folder, logsName);
  await mkdir(logs);
  const starts = new Map<string, number>();
  let inMemory: Promise<string> | undefined;
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
    inMemory: async (name) => {
      inMemory ??= openInMemory(prefix, folder);
      const path = join(await inMemory, name);
      await mkdir(path, { recursive: true });
      return path;
    },
    close: async ({ keepLogs }) => {
      if (inMemory !== undefined && (await inMemory) !== folder)
        await rm(await inMemory, { recursive: true, force: true });
      if (keepLogs) {
        await removeAllButLogs(folder);
        return logs;
      }
      await rm(folder, { recursive: true, force: true });
      return undefined;
    },
  };
}

async function openInMemory(prefix: string, otherwise: string): Promise<string> {
  try {
    await access(memory, constants.W_OK);
  } catch {
    return otherwise;
  }
  for (const entry of await readdir(memory)) {
    const owner = ownerOf(entry);
    if (owner !== undefined && !isAlive(owner)) await rm(join(memory, entry), { recursive: true, force: true });
  }
  return mkdtemp(join(memory, `${prefix}${process.pid}-`));
}

/** Pid of the process whose folder it is. */
function ownerOf(entry: string): number | undefined {
  const pid = /^keyturn-[a-z]+-(\d+)-/.exec(entry)?.[1];
  return pid === undefined ? undefined : Number(pid);
}

/** Cleans up after worlds whose process was killed, and after logs that nobody has looked at for a day. */
async function sweep(parent: string): Promise<void> {
  for (const entry of await readdir(parent)) {
    const owner = ownerOf(entry);
    if (owner === undefined || isAlive(owner)) continue;
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
