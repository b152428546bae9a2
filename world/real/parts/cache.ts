import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { projectRoot } from '../../project-root.ts';
import { type Part, type PartName, part } from './catalogue.ts';

/** Folder of all built parts: `KEYTURN_PARTS`, else `keyturn/parts` in the user's cache folder. */
export function cacheFolder(): string {
  const own = process.env['KEYTURN_PARTS'];
  if (own) return own;
  return join(process.env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'keyturn', 'parts');
}

/** Folder of one built part. Its name holds a digest of all that the build depends on, so a stale build is never taken. */
export function partFolder(one: Part): string {
  return join(cacheFolder(), one.name, `${one.version}-${buildKey(one)}`);
}

export function binaryPath(one: Part): string {
  return join(partFolder(one), one.recipe.kind === 'pip' ? join('files', one.recipe.binary) : one.name);
}

/**
 * `KUBEBUILDER_ASSETS` names a folder with etcd and kube-apiserver of the caller's choice; these stand before our own.
 * A folder that lacks one of the two is used for the other.
 */
export function fromKubebuilderAssets(name: PartName): string | undefined {
  const assets = process.env['KUBEBUILDER_ASSETS'];
  if (!assets || (name !== 'etcd' && name !== 'kube-apiserver')) return undefined;
  const path = join(assets, name);
  return existsSync(path) ? path : undefined;
}

/** The binary to start. @throws when it is not built: call `ensureParts` first. */
export function partPath(name: PartName): string {
  const given = fromKubebuilderAssets(name);
  if (given !== undefined) return given;
  const path = binaryPath(part(name));
  if (!existsSync(path)) throw new Error(`${name} is not built: run "npm run parts"`);
  return path;
}

/** YAML files with the CRDs that came with a part. */
export function partCrdFiles(name: PartName): string[] {
  const folder = join(partFolder(part(name)), 'crds');
  if (!existsSync(folder)) throw new Error(`No CRDs of ${name} in ${folder}: run "npm run parts"`);
  return readdirSync(folder)
    .filter((file) => file.endsWith('.yaml'))
    .map((file) => join(folder, file))
    .sort();
}

function buildKey(one: Part): string {
  const digest = createHash('sha256').update(JSON.stringify([one.recipe, process.platform, process.arch]));
  if (one.recipe.kind === 'go') {
    const folder = join(projectRoot, 'real-parts', one.recipe.folder);
    const sources = readdirSync(folder).filter(
      (file) => /^go\.(mod|sum)$|\.go$/.test(file) && !file.endsWith('_test.go'),
    );
    for (const file of sources.sort()) digest.update(`\0${file}\0`).update(readFileSync(join(folder, file)));
  }
  return digest.digest('hex').slice(0, 12);
}
