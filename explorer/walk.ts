/**
 * Random walks: far into worlds that are too large to be searched through. Each walk is repeatable from its seed.
 *
 * @module
 */
import { environmentSteps, faultSteps } from './environment-steps.ts';
import { type Ending, endingOf } from './liveness.ts';
import { fenceSteps, operatorSteps, patienceSteps } from './operator-steps.ts';
import type { Plant } from './plants.ts';
import { brokenOrder, brokenRule } from './rules.ts';
import type { CounterExample } from './search.ts';
import { type Setting, startWorld } from './world.ts';

export interface WalkBound {
  readonly walks: number;
  readonly steps: number;
  readonly seed: number;
  readonly maxMs: number;
}

export interface WalkResult {
  readonly setting: string;
  readonly walks: number;
  readonly steps: number;
  readonly counterExample: CounterExample | null;
}

/** Takes random steps, a fault now and then, and runs the last state of each walk to its end. */
export function walk(setting: Setting, plant: Plant | null, bound: WalkBound, nowMs: () => number): WalkResult {
  const random = mulberry(bound.seed);
  const endings = new Map<number, Ending>();
  const startedMs = nowMs();
  let taken = 0;
  for (let count = 0; count < bound.walks; count += 1) {
    if (nowMs() - startedMs > bound.maxMs)
      return { setting: setting.name, walks: count, steps: taken, counterExample: null };
    let world = startWorld(setting);
    let faults = 0;
    const path: string[] = [];
    for (let step = 0; step < bound.steps; step += 1) {
      const broken = faults < setting.maxFaults && random() < FAULT_CHANCE ? faultSteps(world, setting) : [];
      const steps =
        broken.length > 0
          ? broken
          : [
              ...operatorSteps(world, setting, plant),
              ...fenceSteps(world, setting, plant),
              ...patienceSteps(world, plant),
              ...environmentSteps(world, setting),
            ];
      const chosen = steps[Math.floor(random() * steps.length)];
      if (chosen === undefined) break;
      if (broken.length > 0) faults += 1;
      taken += 1;
      path.push(chosen.label);
      const rule = brokenOrder(world, chosen.next, setting) ?? brokenRule(chosen.next);
      world = chosen.next;
      if (rule !== null)
        return { setting: setting.name, walks: count + 1, steps: taken, counterExample: { rule, path } };
    }
    const ending = endingOf(world, setting, plant, endings);
    if (ending.fault !== null) {
      const counterExample = { rule: ending.fault, path: [...path, ...ending.path] };
      return { setting: setting.name, walks: count + 1, steps: taken, counterExample };
    }
  }
  return { setting: setting.name, walks: bound.walks, steps: taken, counterExample: null };
}

/** About two faults on a walk of forty steps. */
const FAULT_CHANCE = 0.06;

/** A small seeded generator (mulberry32): walks have to be repeatable. */
function mulberry(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
