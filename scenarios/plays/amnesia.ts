import type { Outcome } from '../../src/checker/outcome.ts';
import type { Stage } from '../play.ts';
import { playDisturbed } from './disturbed-rotations.ts';
import { forgetEverything } from './forget-everything.ts';

export interface AmnesiaOptions {
  readonly runtimes: number;
  /** How often everything is forgotten. */
  readonly times: number;
}

/** All statuses and annotations of ours are deleted at random moments, every other time while the operator is down. */
export function amnesia(stage: Stage, { runtimes, times }: AmnesiaOptions): Promise<Outcome> {
  return playDisturbed(stage, {
    scenario: 'amnesia',
    runtimes,
    times,
    spreadMs: stage.pace.policy.propagationDelayMs * 2,
    disturb: async (run, turn) => {
      const down = turn % 2 === 0;
      if (down) await run.operator.kill();
      const count = await forgetEverything(run);
      if (down) await run.operator.start();
      return `${count} statuses and annotated objects were wiped${down ? ' while the operator was down' : ''}`;
    },
  });
}
