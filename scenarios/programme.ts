import type { Outcome } from './outcome.ts';
import type { Stage } from './play.ts';
import { rotation } from './rotation.ts';

/** All scenarios, and what each is by default and in short. */
export const scenarioNames = ['rotation'] as const;
export type ScenarioName = (typeof scenarioNames)[number];

export interface Asked {
  readonly runtimes?: number | undefined;
  readonly rotations?: number | undefined;
  readonly root?: 'secret' | 'cert-manager' | undefined;
  readonly short?: boolean | undefined;
}

export interface Performance {
  /** How many runtimes the world must have. */
  readonly runtimes: number;
  readonly perform: (stage: Stage) => Promise<Outcome>;
}

export function playByName(name: ScenarioName, asked: Asked): Performance {
  const short = asked.short ?? false;
  switch (name) {
    case 'rotation': {
      const root = asked.root ?? 'secret';
      const runtimes = asked.runtimes ?? (short ? 2 : 4);
      const usual = root === 'cert-manager' ? 3 : short ? 5 : 20;
      const rotations = asked.rotations ?? usual;
      return { runtimes, perform: (stage) => rotation(stage, { runtimes, rotations, root }) };
    }
  }
}
