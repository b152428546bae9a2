import type { Outcome } from '../../src/checker/outcome.ts';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';
import { pause } from '../../world/wait.ts';
import { awaitedEnd, awaitedPairs } from '../awaited.ts';
import type { LiveRun } from '../live-run.ts';
import { namesOf, play, type Stage } from '../play.ts';
import { type RootSource, rootSource } from '../root-source.ts';

export interface Disturbed {
  readonly scenario: string;
  readonly runtimes: number;
  /** How often. */
  readonly times: number;
  /** Longest time from one to the next, or from a new root to the first. */
  readonly spreadMs: number;
  /** What happens at each of the moments. @returns what it did, in a few words */
  readonly disturb: (run: LiveRun, turn: number) => Promise<string>;
}

const fewestRotations = 3;
/** How often another root comes before the one before has converged. */
const overlapChance = 0.15;

/** Rotations that are disturbed at random moments, by an operator that holds a Lease. */
export function playDisturbed(stage: Stage, { scenario, runtimes, ...disturbed }: Disturbed): Promise<Outcome> {
  const { world, seed, say } = stage;
  let rotations = 0;
  return play(stage, {
    scenario,
    runtimes: namesOf(world, runtimes),
    elected: true,
    act: async (run) => {
      const random = seededRandom(seed);
      const roots = rootSource(world.hub.client, run.signal, random);
      await roots.next('first');
      await run.untilStanding('the first root in use everywhere', awaitedPairs);
      rotations = await rotateDisturbed(run, roots, random, disturbed);
      await run.settle();
      say('Everything is on the current root, unused roots are retired');
      return [];
    },
    conclude: () => ({ problems: [], details: { seed, times: disturbed.times, rotations } }),
  });
}

/**
 * Each disturbance comes while something is under way: at rest there would be nothing to disturb, so another root is written
 * first.
 *
 * @returns how many rotations it took
 */
async function rotateDisturbed(
  run: LiveRun,
  roots: Pick<RootSource, 'next'>,
  random: () => number,
  { times, spreadMs, disturb }: Pick<Disturbed, 'times' | 'spreadMs' | 'disturb'>,
): Promise<number> {
  const { say, signal } = run;
  let written = 0;
  const rotate = async (): Promise<void> => {
    const rootDigest = await roots.next('rekey');
    run.recorder.mark({ kind: 'rekey', rootDigest });
    written += 1;
    say(`Rotation ${written}: ${rootDigest.slice(0, 12)}`);
  };
  const isAtRest = async (): Promise<boolean> => awaitedEnd(await run.standing()).length === 0;
  for (let turn = 1; turn <= times; ) {
    if ((await isAtRest()) || (written < fewestRotations && random() < overlapChance)) await rotate();
    await pause(random() * spreadMs, signal);
    if (await isAtRest()) continue;
    say(`${turn} of ${times}: ${await disturb(run, turn)}`);
    turn += 1;
  }
  while (written < fewestRotations) {
    await run.settle();
    await rotate();
  }
  return written;
}
