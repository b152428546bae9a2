import type { Outcome } from '../../src/checker/outcome.ts';
import type { Stage } from '../play.ts';
import { playDisturbed } from './disturbed-rotations.ts';

export interface CrashOptions {
  readonly runtimes: number;
  readonly kills: number;
}

/** The operator is killed at random moments of rotations, and another one takes over: it finds what there is (B6). */
export function crash(stage: Stage, { runtimes, kills }: CrashOptions): Promise<Outcome> {
  return playDisturbed(stage, {
    scenario: 'crash',
    runtimes,
    times: kills,
    spreadMs: stage.pace.policy.propagationDelayMs * 1.5,
    disturb: async ({ operator }) => {
      await operator.kill();
      await operator.start();
      return 'the operator was killed, another one has begun';
    },
  });
}
