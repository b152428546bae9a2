import type { Outcome } from '../../src/checker/outcome.ts';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';
import { awaitedPairs } from '../awaited.ts';
import { play, type Stage } from '../play.ts';
import { rootSource } from '../root-source.ts';
import { rotateDisturbed } from './disturbed-rotations.ts';

export interface CrashOptions {
  readonly runtimes: number;
  readonly kills: number;
}

const fewestRotations = 3;

/** The operator is killed at random moments of rotations, and another one takes over: it finds what there is (B6). */
export function crash(stage: Stage, { runtimes, kills }: CrashOptions): Promise<Outcome> {
  const { world, pace, seed, say } = stage;
  let rotations = 0;
  return play(stage, {
    scenario: 'crash',
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
        times: kills,
        rotations: fewestRotations,
        spreadMs: pace.policy.propagationDelayMs * 1.5,
        random,
        disturb: async () => {
          await run.operator.kill();
          await run.operator.start();
          return 'the operator was killed, another one has begun';
        },
      });
      await run.settle();
      say('Everything is on the current root, unused roots are retired');
      return [];
    },
    conclude: () => ({ problems: [], details: { seed, kills, rotations } }),
  });
}
