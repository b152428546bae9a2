import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/**
 * The folder that holds package.json. Sources run from two places (the tree under vitest, dist/ after a build), while
 * Go modules and manifests lie in the tree only, so they are found from here and never relative to a module.
 */
export const projectRoot = findRoot(dirname(fileURLToPath(import.meta.url)));

function findRoot(start: string): string {
  for (let folder = start; ; folder = dirname(folder)) {
    if (existsSync(join(folder, 'package.json')) && existsSync(join(folder, 'real-parts'))) return folder;
    if (dirname(folder) === folder) throw new Error(`No project folder found above ${start}: run from a full checkout`);
  }
}
