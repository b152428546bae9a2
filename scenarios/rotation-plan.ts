import { seededRandom } from '../src/sandbox/seeded-random.ts';

export type RootKind = 'rekey' | 'renew' | 'return';

export interface RotationStep {
  readonly kind: RootKind;
  /** After the one before; null: when that one is proven everywhere. */
  readonly afterMs: number | null;
}

export interface PlanOptions {
  readonly rotations: number;
  readonly seed: number;
  /** What is a second where the propagation delay is twelve. @default 1000 */
  readonly hurryMs?: number;
  /** Only `rekey`, where the scenario does not write the root itself. */
  readonly rekeyOnly?: boolean;
}

/** How many of so many rotations begin before the one before has finished. */
export function overlappingOf(rotations: number): number {
  return rotations >= 10 ? Math.ceil(rotations / 2) + 1 : Math.floor(rotations * 0.4);
}

/**
 * Draws what comes when. Overlapping rotations come in bursts of at most four; each burst begins with a new key, since a
 * renewal is proven as soon as it is written and nothing could overlap it. A return comes late, when there is something
 * to return to.
 */
export function planRotations({ rotations, seed, hurryMs = 1_000, rekeyOnly = false }: PlanOptions): RotationStep[] {
  const random = seededRandom(seed);
  const gaps = burstsOf(overlappingOf(rotations), random).map((burst) => burst.map(() => gapMs(random, hurryMs)));
  // One of a burst is a second apart from its predecessor, whatever was drawn for the others.
  for (const burst of gaps) burst[0] = hurryMs;
  const singles = rotations - gaps.flat().length - gaps.length;
  const groups = shuffled(
    [...gaps.map((burst) => [null, ...burst]), ...Array.from({ length: singles }, () => [null])],
    random,
  );
  const kinds = rekeyOnly ? [] : kindsOf(groups, rotations, random);
  return groups.flat().map((afterMs, index) => ({ kind: kinds[index] ?? 'rekey', afterMs }));
}

function burstsOf(count: number, random: () => number): null[][] {
  const bursts: null[][] = [];
  for (let left = count; left > 0; ) {
    const size = Math.min(left, 2 + Math.floor(random() * 3));
    bursts.push(Array.from({ length: size }, () => null));
    left -= size;
  }
  return bursts;
}

/** Below the propagation delay by so much that the one before cannot be proven yet. */
function gapMs(random: () => number, hurryMs: number): number {
  return hurryMs + Math.floor(random() * 5) * hurryMs;
}

function kindsOf(groups: readonly (readonly unknown[])[], rotations: number, random: () => number): RootKind[] {
  const hurried = groups.flatMap((group) => group.map((_, index) => index > 0));
  const single = groups.flatMap((group) => group.map(() => group.length === 1));
  const kinds = Array.from({ length: rotations }, (): RootKind => 'rekey');
  const place = (kind: RootKind, mayStandAt: (index: number) => boolean) => {
    const free = kinds.flatMap((taken, index) => (taken === 'rekey' && index > 0 && mayStandAt(index) ? [index] : []));
    const chosen = free[Math.floor(random() * free.length)];
    if (chosen !== undefined) kinds[chosen] = kind;
  };
  // The last is always a new key, so that the end shows a whole rotation.
  const last = rotations - 1;
  if (rotations >= 8) place('return', (index) => index >= rotations / 2 && index < last);
  // One renewal stands alone; more would leave too few whole rotations to measure.
  for (let renewals = Math.floor(rotations / 5); renewals > 0; renewals -= 1) {
    place(
      'renew',
      (index) => index < last && (renewals === 1 && rotations >= 15 ? single[index] : hurried[index]) === true,
    );
  }
  return kinds;
}

function shuffled<T>(values: readonly T[], random: () => number): T[] {
  const result = [...values];
  for (let index = result.length - 1; index > 0; index -= 1) {
    const other = Math.floor(random() * (index + 1));
    [result[index], result[other]] = [result[other] as T, result[index] as T];
  }
  return result;
}
