import { createReadStream } from 'node:fs';
import { createInterface } from 'node:readline';
import type { Entry, History } from './history.ts';
import { historyOf } from './history.ts';

const entryKinds: ReadonlySet<string> = new Set<Entry['entry']>([
  'settings',
  'secret',
  'webhook',
  'swap',
  'endpoint',
  'text',
  'totals',
  'mark',
  'known',
  'gap',
]);

/** One line of a history file, with its line end. */
export function lineOf(entry: Entry): string {
  return `${JSON.stringify(entry)}\n`;
}

/** @throws when the line is no entry: a history file with a broken line proves nothing. */
export function entryOf(line: string): Entry {
  const value: unknown = JSON.parse(line);
  const kind = typeof value === 'object' && value !== null && 'entry' in value ? value.entry : undefined;
  if (typeof kind !== 'string' || !entryKinds.has(kind)) {
    throw new Error(`History line is no known entry: its field "entry" is ${JSON.stringify(kind)}`);
  }
  return value as Entry;
}

/** Reads a JSON-lines file that a recorder wrote. */
export async function readHistory(path: string): Promise<History> {
  const entries: Entry[] = [];
  let number = 0;
  for await (const line of createInterface({ input: createReadStream(path, 'utf8') })) {
    number += 1;
    if (line.trim() === '') continue;
    try {
      entries.push(entryOf(line));
    } catch (cause) {
      throw new Error(`Reading ${path} failed in line ${number}; record the scenario again`, { cause });
    }
  }
  return historyOf(entries);
}
