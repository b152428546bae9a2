import type { Outcome } from '../../src/checker/outcome.ts';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';
import { awaitedPairs } from '../awaited.ts';
import { play, type Stage } from '../play.ts';
import { rootSource } from '../root-source.ts';
import { rotateDisturbed } from './disturbed-rotations.ts';
import { forgetEverything } from './forget-everything.ts';

export interface AmnesiaOptions {
  readonly runtimes: number;
  /** How often everything is forgotten. */
  readonly times: number;
}

const fewestRotations = 3;

/** All statuses and annotations of ours are deleted at random moments, every other time while the operator is down. */
export function amnesia(stage: Stage, { runtimes, times }: AmnesiaOptions): Promise<Outcome> {
  const { world, pace, seed, say } = stage;
  let rotations = 0;
  let forgotten = 0;
  return play(stage, {
    scenario: 'amnesia',
    runtimes: world
      .runtimes()
      .slice(0, runtimes)
      .map(({ name }) => name),
    elected: true,
    act: async (run) => {
      const random = seededRandom(seed);
      const roots = rootSource(world.hub.client, run.signal, random);
      await roots.next('first');
      await run.untilStanding('the first root in use everywhere', awaitedPairs);
      rotations = await rotateDisturbed(run, roots, {
        times,
        rotations: fewestRotations,
        spreadMs: pace.policy.propagationDelayMs * 2,
        random,
        disturb: async (turn) => {
          const down = turn % 2 === 0;
          if (down) await run.operator.kill();
          const count = await forgetEverything(run);
          forgotten += count;
          if (down) await run.operator.start();
          return `${count} statuses and annotated objects were wiped${down ? ' while the operator was down' : ''}`;
        },
      });
      await run.settle();
      say('Everything is on the current root, unused roots are retired');
      return [];
    },
    conclude: () => ({ problems: [], details: { seed, times, forgotten, rotations } }),
  });
}
