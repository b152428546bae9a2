/** Writes what follows from schemas and catalogues: manifests and pages of the reference. A test compares them. */
import { mkdir, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { commandPage } from '../cli/command-page.ts';
import { metricsPage } from '../telemetry/metrics-page.ts';
import { manifestFiles } from './manifests.ts';
import { reasonsPage, resourcesPage } from './reference.ts';

/** Path in the project → text. */
export function generatedFiles(): Readonly<Record<string, string>> {
  return {
    ...manifestFiles(),
    'docs/reference/resources.md': resourcesPage(),
    'docs/reference/reasons.md': reasonsPage(),
    'docs/reference/metrics.md': metricsPage(),
    'docs/reference/command.md': commandPage(),
  };
}

async function writeAll(root: string): Promise<void> {
  for (const [path, text] of Object.entries(generatedFiles())) {
    const file = join(root, path);
    await mkdir(dirname(file), { recursive: true });
    await writeFile(file, text);
    process.stdout.write(`${path}\n`);
  }
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) await writeAll(process.cwd());
