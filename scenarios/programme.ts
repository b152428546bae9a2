import type { Outcome } from '../src/checker/outcome.ts';
import type { Stage } from './play.ts';
import { amnesia } from './plays/amnesia.ts';
import { bootstrap } from './plays/bootstrap.ts';
import { crash } from './plays/crash.ts';
import { gatewaySecretLost } from './plays/gateway-secret-lost.ts';
import { join } from './plays/join.ts';
import { naturalRenewal } from './plays/natural-renewal.ts';
import { renewedRoot } from './plays/renewed-root.ts';
import { rollback } from './plays/rollback.ts';
import { rotation } from './plays/rotation.ts';
import { rotationPhases } from './plays/rotation-phases.ts';
import { twoLeaders } from './plays/two-leaders.ts';
import { unreachable } from './plays/unreachable.ts';
import type { WorldKind } from './stage.ts';

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

/** All scenarios, in the order in which they are played, and what each is by default and in short. */
const scenarios = {
  bootstrap({ short, runtimes = short ? 2 : 4 }) {
    return { runtimes, perform: (stage) => bootstrap(stage, { runtimes }) };
  },
  rotation({ short, root = 'secret', ...asked }) {
    // With keys of 4096 bits two clients keep a core as busy as a dozen with P-256 do.
    const runtimes = asked.runtimes ?? (short || root === 'cert-manager' ? 2 : 4);
    const rotations = asked.rotations ?? (root === 'cert-manager' ? 3 : short ? 5 : 20);
    return { runtimes, perform: (stage) => rotation(stage, { runtimes, rotations, root }) };
  },
  join({ short, runtimes = 2 }) {
    const phases = short ? (['gateway unproven', 'switch pending'] as const) : rotationPhases;
    return { runtimes, perform: (stage) => join(stage, { runtimes, phases }) };
  },
  'natural-renewal'({ short, runtimes = short ? 2 : 3, rotations = short ? 1 : 3 }) {
    return { runtimes, perform: (stage) => naturalRenewal(stage, { runtimes, rotations }) };
  },
  crash({ short, runtimes = short ? 2 : 4 }) {
    return { runtimes, perform: (stage) => crash(stage, { runtimes, kills: short ? 4 : 20 }) };
  },
  amnesia({ short, runtimes = short ? 2 : 4 }) {
    return { runtimes, perform: (stage) => amnesia(stage, { runtimes, times: short ? 4 : 20 }) };
  },
  rollback({ runtimes = 2 }) {
    return { runtimes, perform: (stage) => rollback(stage, { runtimes }) };
  },
  'renewed-root'({ short, runtimes = 2 }) {
    return { runtimes, perform: (stage) => renewedRoot(stage, { runtimes, renewals: short ? 2 : 6 }) };
  },
  'gateway-secret-lost'({ short = false, runtimes = 2 }) {
    return { runtimes, perform: (stage) => gatewaySecretLost(stage, { runtimes, short }) };
  },
  unreachable({ short, runtimes = short ? 2 : 4 }) {
    return { runtimes, perform: (stage) => unreachable(stage, { runtimes }) };
  },
  'two-leaders'({ short, runtimes = 2 }) {
    return { runtimes, perform: (stage) => twoLeaders(stage, { runtimes, pauses: short ? 2 : 6 }) };
  },
} as const satisfies Readonly<Record<string, (asked: Asked) => Performance>>;

export type ScenarioName = keyof typeof scenarios;
export const scenarioNames = Object.keys(scenarios) as readonly ScenarioName[];

export function playByName(name: ScenarioName, asked: Asked): Performance {
  return scenarios[name](asked);
}

/** The scenarios in full, in the order in which they are played. */
export function fullProgramme(): readonly (Performance & { readonly title: string })[] {
  const byCertManager = {
    title: 'rotation --root cert-manager',
    ...playByName('rotation', { root: 'cert-manager' }),
  };
  return scenarioNames.flatMap((name) => {
    const full = { title: name, ...playByName(name, {}) };
    return name === 'rotation' ? [full, byCertManager] : [full];
  });
}

/** Where the real servers may behave otherwise than the embedded ones; the others are about the operator alone. */
const shortOnReal: readonly ScenarioName[] = [
  'bootstrap',
  'rotation',
  'join',
  'natural-renewal',
  'gateway-secret-lost',
];

/** The scenarios in short, for one world of so many runtimes that is emptied in between. */
export const shortRuntimes = 2;
export function shortProgramme(world: WorldKind): readonly (Performance & { readonly title: string })[] {
  const names = world === 'real' ? shortOnReal : scenarioNames;
  return names.map((name) => ({ title: name, ...playByName(name, { short: true, runtimes: shortRuntimes }) }));
}
