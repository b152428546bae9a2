import { mkdir, readdir, readlink, rename, rm, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** Content of a mounted Secret by file name. */
export type VolumeFiles = ReadonlyMap<string, Buffer>;

/** Writes a folder the way kubelet writes a Secret volume. */
export interface SecretVolume {
  readonly folder: string;
  /** Replaces the content: readers see all files of the old version or all files of the new one. */
  replace(files: VolumeFiles): Promise<void>;
  remove(): Promise<void>;
}

/**
 * Each version is a folder of its own, `..2026_12_01_03_18_22.000000007`; the link `..data` points to the current one and
 * is replaced by one rename; `tls.crt` and so on are links through `..data` that stay. The version before goes at once.
 */
export async function openSecretVolume(folder: string): Promise<SecretVolume> {
  await mkdir(folder, { recursive: true });
  let version = 0;
  return {
    folder,
    replace: async (files) => {
      const before = await readlink(join(folder, '..data')).catch(() => undefined);
      version += 1;
      const name = `..${timestamp(new Date())}.${String(version).padStart(9, '0')}`;
      await mkdir(join(folder, name));
      await Promise.all(
        [...files].map(([file, content]) => writeFile(join(folder, name, file), content, { mode: 0o640 })),
      );
      await symlink(name, join(folder, '..data_tmp'));
      await rename(join(folder, '..data_tmp'), join(folder, '..data'));
      await relink(folder, [...files.keys()]);
      if (before !== undefined) await rm(join(folder, before), { recursive: true, force: true });
    },
    remove: () => rm(folder, { recursive: true, force: true }),
  };
}

async function relink(folder: string, wanted: readonly string[]): Promise<void> {
  const present = (await readdir(folder)).filter((entry) => !entry.startsWith('..'));
  const gone = present.filter((entry) => !wanted.includes(entry));
  const fresh = wanted.filter((entry) => !present.includes(entry));
  await Promise.all(fresh.map((file) => symlink(join('..data', file), join(folder, file))));
  await Promise.all(gone.map((file) => rm(join(folder, file))));
}

function timestamp(date: Date): string {
  return date.toISOString().slice(0, 19).replaceAll(/[-T:]/g, '_');
}
