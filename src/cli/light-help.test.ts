import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { expect, test } from 'vitest';

/** Packages that a file loads as soon as it is loaded itself. */
function loadedWith(start: string): ReadonlySet<string> {
  const seen = new Set<string>([start]);
  const packages = new Set<string>();
  for (const file of seen) {
    const imports = readFileSync(file, 'utf8').matchAll(
      /^(?:import|export)\s+(?!type\b)(?:[^;'"]*?from\s+)?'([^']+)'/gm,
    );
    for (const [, from = ''] of imports) {
      if (from.startsWith('.')) seen.add(resolve(dirname(file), from));
      else packages.add(from);
    }
  }
  return packages;
}

test('help and completion load the command line parser and nothing else that is large', () => {
  const packages = [...loadedWith(resolve(import.meta.dirname, 'main.ts'))].filter((name) => !name.startsWith('node:'));
  expect(packages).toEqual(['commander']);
});

test('the search finds what a command loads when it runs', () => {
  expect(loadedWith(resolve(import.meta.dirname, 'open-hub.ts'))).toContain('undici');
});
