import { createWriteStream } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { dirname } from 'node:path';
import { finished } from 'node:stream/promises';
import type { Entry } from '../checker/history.ts';
import { lineOf } from '../checker/history-file.ts';

export interface HistoryFile {
  write(entry: Entry): void;
  /** Rejects when anything could not be written. */
  close(): Promise<void>;
}

export async function openHistoryFile(path: string): Promise<HistoryFile> {
  await mkdir(dirname(path), { recursive: true });
  const stream = createWriteStream(path, { encoding: 'utf8' });
  const written = finished(stream);
  // A full disk shows at `close`; until then the scenario goes on.
  written.catch(() => undefined);
  return {
    write: (entry) => {
      if (!stream.destroyed) stream.write(lineOf(entry));
    },
    async close() {
      stream.end();
      await written;
    },
  };
}
