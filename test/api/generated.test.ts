import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { generatedFiles } from '../../src/api/emit.ts';

const root = join(import.meta.dirname, '../..');

test.each(Object.entries(generatedFiles()))(
  '%s is what its source says: run node dist/src/api/emit.js',
  async (path, text) => {
    expect(await readFile(join(root, path), 'utf8')).toBe(text);
  },
);
