import type { Outcome } from '../src/checker/outcome.ts';
import { amnesia } from './amnesia.ts';
import { bootstrap } from './bootstrap.ts';
import { crash } from './crash.ts';
import { gatewaySecretLost } from './gateway-secret-lost.ts';
import { join } from './join.ts';
import { naturalRenewal } from './natural-renewal.ts';
import type { Stage } from './play.ts';
import { renewedRoot } from './renewed-root.ts';
import { rollback } from './rollback.ts';
import { rotation } from './rotation.ts';
import { rotationPhases } from './rotation-phases.ts';
import { twoLeaders } from './two-leaders.ts';
import { unreachable } from './unreachable.ts';

/** All scenarios, and what each is by default and in short. */
export const scenarioNames = [
  'bootstrap',
  'rotation',
  'join',
  'natural-renewal',
  'crash',
  'amnesia',
  'rollback',
  'renewed-root',
  'gateway-secret-lost',
  'unreachable',
  'two-leaders',
] as const;
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
    case 'bootstrap': {
      const runtimes = asked.runtimes ?? (short ? 2 : 4);
      return { runtimes, perform: (stage) => bootstrap(stage, { runtimes }) };
    }
    case 'rotation': {
      const root = asked.root ?? 'secret';
      // With keys of 4096 bits two clients keep a core as busy as a dozen with P-256 do.
      const runtimes = asked.runtimes ?? (short || root === 'cert-manager' ? 2 : 4);
      const rotations = asked.rotations ?? (root === 'cert-manager' ? 3 : short ? 5 : 20);
      return { runtimes, perform: (stage) => rotation(stage, { runtimes, rotations, root }) };
    }
    case 'join': {
      const runtimes = asked.runtimes ?? 2;
      const phases = short ? (['gateway unproven', 'switch pending'] as const) : rotationPhases;
      return { runtimes, perform: (stage) => join(stage, { runtimes, phases }) };
    }
    case 'crash': {
      const runtimes = asked.runtimes ?? (short ? 2 : 4);
      return { runtimes, perform: (stage) => crash(stage, { runtimes, kills: short ? 4 : 20 }) };
    }
    case 'amnesia': {
      const runtimes = asked.runtimes ?? (short ? 2 : 4);
      return { runtimes, perform: (stage) => amnesia(stage, { runtimes, times: short ? 4 : 20 }) };
    }
    case 'rollback': {
      const runtimes = asked.runtimes ?? 2;
      return { runtimes, perform: (stage) => rollback(stage, { runtimes }) };
    }
    case 'renewed-root': {
      const runtimes = asked.runtimes ?? 2;
      return { runtimes, perform: (stage) => renewedRoot(stage, { runtimes, renewals: short ? 3 : 6 }) };
    }
    case 'gateway-secret-lost': {
      const runtimes = asked.runtimes ?? 2;
      return { runtimes, perform: (stage) => gatewaySecretLost(stage, { runtimes, short }) };
    }
    case 'unreachable': {
      const runtimes = asked.runtimes ?? (short ? 2 : 4);
      return { runtimes, perform: (stage) => unreachable(stage, { runtimes }) };
    }
    case 'two-leaders': {
      const runtimes = asked.runtimes ?? 2;
      return { runtimes, perform: (stage) => twoLeaders(stage, { runtimes, pauses: short ? 2 : 6 }) };
    }
    case 'natural-renewal': {
      const runtimes = asked.runtimes ?? (short ? 2 : 3);
      const rotations = asked.rotations ?? (short ? 1 : 3);
      return { runtimes, perform: (stage) => naturalRenewal(stage, { runtimes, rotations }) };
    }
  }
}

/** The scenarios in full, in the order in which they are played. */
export function fullProgramme(): readonly (Performance & { readonly title: string })[] {
  return [
    { title: 'bootstrap', ...playByName('bootstrap', {}) },
    { title: 'rotation', ...playByName('rotation', {}) },
    { title: 'rotation --root cert-manager', ...playByName('rotation', { root: 'cert-manager' }) },
    { title: 'join', ...playByName('join', {}) },
    { title: 'natural-renewal', ...playByName('natural-renewal', {}) },
    { title: 'crash', ...playByName('crash', {}) },
    { title: 'amnesia', ...playByName('amnesia', {}) },
    { title: 'rollback', ...playByName('rollback', {}) },
    { title: 'renewed-root', ...playByName('renewed-root', {}) },
    { title: 'gateway-secret-lost', ...playByName('gateway-secret-lost', {}) },
    { title: 'unreachable', ...playByName('unreachable', {}) },
    { title: 'two-leaders', ...playByName('two-leaders', {}) },
  ];
}

/** The scenarios in short, for one world of so many runtimes that is emptied in between. */
export const shortRuntimes = 2;
export function shortProgramme(): readonly (Performance & { readonly title: string })[] {
  return scenarioNames.map((name) => ({ title: name, ...playByName(name, { short: true, runtimes: shortRuntimes }) }));
}
