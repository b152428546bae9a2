import { readFile, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';

const file = fileURLToPath(new URL('recorded-kinds.json', import.meta.url));

/**
 * Which of these kinds of requests are not in `recorded-kinds.json`, and so may never have been compared. With
 * `KEYTURN_KEEP_KINDS=1` they are written there, and the contract fails until it has a case for each.
 */
export async function unrecorded(kinds: Iterable<string>): Promise<readonly string[]> {
  const recorded = JSON.parse(await readFile(file, 'utf8')) as readonly string[];
  const all = [...kinds].flatMap((kind) => [kind, goneOn(kind)]);
  const missing = [...new Set(all)].filter((kind) => !recorded.includes(kind)).sort();
  if (missing.length === 0 || process.env['KEYTURN_KEEP_KINDS'] !== '1') return missing;
  await writeFile(file, `${JSON.stringify([...recorded, ...missing].sort(), null, 2)}\n`);
  return [];
}

/** A watch may be cut at any time, and then goes on from the version that it had. Which of them are cut is chance. */
function goneOn(kind: string): string {
  return kind.replace('resourceVersionMatch=NotOlderThan&sendInitialEvents', 'resourceVersion');
}
