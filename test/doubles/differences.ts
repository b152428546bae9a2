import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { projectRoot } from '../../world/project-root.ts';

/** What a suite runs against: our stand-in, or the part that production runs. */
export type Side = 'double' | 'real';

/** What a double does otherwise than the real part, and is to. */
export interface Difference {
  readonly double: unknown;
  readonly real: unknown;
  readonly because: string;
}

/** The known differences of one double, each under the sentence that `docs/sandbox.md` has for it. */
export type Differences = Readonly<Record<string, Difference>>;

export interface DifferencesMet<D extends Differences> {
  /** What this side is to show where the two differ. */
  expected<N extends keyof D>(name: N): D[N][Side];
  /** Differences that no test has asked about yet. */
  unmet(): readonly string[];
}

export function meetDifferences<const D extends Differences>(side: Side, differences: D): DifferencesMet<D> {
  const met = new Set<keyof D>();
  return {
    expected(name) {
      met.add(name);
      return differences[name]?.[side] as D[typeof name][Side];
    },
    unmet: () => Object.keys(differences).filter((name) => !met.has(name)),
  };
}

/** Differences that the documents do not tell of. */
export async function untold(differences: Differences): Promise<readonly string[]> {
  const text = await readFile(join(projectRoot, 'docs/sandbox.md'), 'utf8');
  return Object.keys(differences).filter((name) => !text.includes(name));
}
