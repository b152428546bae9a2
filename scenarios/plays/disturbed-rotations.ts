import { pause } from '../../world/wait.ts';
import { awaitedEnd } from '../awaited.ts';
import type { LiveRun } from '../live-run.ts';
import type { RootSource } from '../root-source.ts';

export interface Disturbance {
  /** How often. */
  readonly times: number;
  /** At least. */
  readonly rotations: number;
  /** Longest time from one to the next, or from a new root to the first. */
  readonly spreadMs: number;
  readonly random: () => number;
  /** What happens at each of the moments. @returns what it did, in a few words */
  readonly disturb: (turn: number) => Promise<string>;
}

/** How often another root comes before the one before has converged. */
const overlapChance = 0.15;

/**
 * Rotates, and disturbs at random moments, each of them while something is under way: at rest there would be nothing to
 * disturb, so another root is written first.
 *
 * @returns how many rotations it took
 */
export async function rotateDisturbed(
  run: LiveRun,
  roots: Pick<RootSource, 'next'>,
  { times, rotations, spreadMs, random, disturb }: Disturbance,
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
    if ((await isAtRest()) || (written < rotations && random() < overlapChance)) await rotate();
    await pause(random() * spreadMs, signal);
    if (await isAtRest()) continue;
    say(`${turn} of ${times}: ${await disturb(turn)}`);
    turn += 1;
  }
  while (written < rotations) {
    await run.settle();
    await rotate();
  }
  return written;
}
