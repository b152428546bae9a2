import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { cp, mkdir, readdir, rename, rm } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { runToEnd } from '../../process.ts';
import { projectRoot } from '../../project-root.ts';
import { binaryPath, partFolder } from './cache.ts';
import type { GoRecipe, Part, PipRecipe } from './catalogue.ts';
import { withLock } from './lock.ts';
import type { Tools } from './tools.ts';

const execute = promisify(execFile);

/** Builds one part into the cache. Nothing appears under its final name before it is complete. */
export async function buildPart(one: Part, tools: Tools, signal: AbortSignal | undefined): Promise<void> {
  const target = partFolder(one);
  const shelf = dirname(target);
  await withLock(join(shelf, 'lock'), signal, async () => {
    if (existsSync(binaryPath(one))) return;
    await removeLeftovers(shelf);
    const fresh = join(shelf, `unfinished-${randomUUID()}`);
    await mkdir(fresh, { recursive: true });
    const logFile = join(shelf, 'build.log');
    await rm(logFile, { force: true });
    if (one.recipe.kind === 'go') await goBuild(one.name, one.recipe, fresh, logFile, signal);
    else await pipInstall(one.name, one.recipe, tools, fresh, logFile, signal);
    await moveInto(fresh, target);
    await rm(logFile, { force: true });
  });
}

async function goBuild(
  name: string,
  recipe: GoRecipe,
  fresh: string,
  logFile: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const cwd = join(projectRoot, 'real-parts', recipe.folder);
  await runToEnd({
    name: `go build of ${name}`,
    command: 'go',
    args: ['build', '-ldflags', recipe.ldflags, '-o', join(fresh, name), recipe.target],
    // A go.work somewhere above the checkout would pull our modules out of their own go.sum.
    env: { GOWORK: 'off' },
    cwd,
    logFile,
    // On SIGINT the go command stops its compilers and removes its work folder; on SIGTERM it leaves both.
    politeSignal: 'INT',
    ...(signal === undefined ? {} : { signal }),
  });
  for (const { module, from, to } of recipe.assets) {
    const { stdout } = await execute('go', ['list', '-m', '-f', '{{.Dir}}', module], {
      cwd,
      env: { ...process.env, GOWORK: 'off' },
    });
    await mkdir(dirname(join(fresh, to)), { recursive: true });
    await cp(join(stdout.trim(), from), join(fresh, to), { recursive: true });
  }
}

async function pipInstall(
  name: string,
  recipe: PipRecipe,
  tools: Tools,
  fresh: string,
  logFile: string,
  signal: AbortSignal | undefined,
): Promise<void> {
  const [command = 'pip', ...before] = tools.pip ?? [];
  await runToEnd({
    name: `pip install of ${name}`,
    command,
    args: [
      ...before,
      'install',
      '--quiet',
      '--disable-pip-version-check',
      '--target',
      join(fresh, 'files'),
      recipe.requirement,
    ],
    logFile,
    ...(signal === undefined ? {} : { signal }),
  });
}

async function moveInto(fresh: string, target: string): Promise<void> {
  try {
    await rename(fresh, target);
  } catch (error) {
    // Somebody else has put the same part there.
    if (!existsSync(target)) throw error;
    await rm(fresh, { recursive: true, force: true });
  }
}

/** What a killed builder left behind. Called under the lock, so nobody is writing it. */
async function removeLeftovers(shelf: string): Promise<void> {
  for (const entry of await readdir(shelf)) {
    if (entry.startsWith('unfinished-')) await rm(join(shelf, entry), { recursive: true, force: true });
  }
}
