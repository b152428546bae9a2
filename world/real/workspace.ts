import { mkdir, mkdtemp, readdir, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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

/** Makes a folder that only its owner can read, since tokens and keys lie in it. */
export async function openWorkspace(prefix = 'keyturn-world-'): Promise<Workspace> {
  const folder = await mkdtemp(join(tmpdir(), prefix));
  const logs = join(folder, 'logs');
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
      if (!keepLogs) {
        await rm(folder, { recursive: true, force: true });
        return undefined;
      }
      const others = (await readdir(folder)).filter((entry) => join(folder, entry) !== logs);
      await Promise.all(others.map((entry) => rm(join(folder, entry), { recursive: true, force: true })));
      return logs;
    },
  };
}
