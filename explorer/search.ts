/**
 * Breadth-first search through every reachable state, so that the first counter-example found is a shortest one.
 *
 * States are kept as 53-bit hashes of their canonical text: of ten million states, a mix-up hides one with a chance below one percent.
 *
 * @module
 */

import { canonical, hash } from './canonical.ts';
import { environmentSteps, faultSteps } from './environment-steps.ts';
import { type Ending, endingOf } from './liveness.ts';
import { fenceSteps, operatorSteps, patienceSteps, type Step } from './operator-steps.ts';
import type { Plant } from './plants.ts';
import { brokenOrder, brokenRule } from './rules.ts';
import { type Setting, startWorld, type World } from './world.ts';

export interface SearchBound {
  /** States at most; when it is reached the search says so and is not exhaustive. */
  readonly maxStates: number;
  /** Every n-th state is also run to its end for L1 and L2; 1: every state. */
  readonly endingEvery: number;
  /** Milliseconds at most. */
  readonly maxMs: number;
}

export interface SearchResult {
  readonly setting: string;
  readonly states: number;
  readonly transitions: number;
  /** Longest path from the start. */
  readonly depth: number;
  readonly endings: number;
  /** Every state within the bound on faults was seen. */
  readonly exhaustive: boolean;
  readonly counterExample: CounterExample | null;
}

export interface CounterExample {
  readonly rule: string;
  readonly path: readonly string[];
}

interface Visit {
  readonly world: World;
  readonly faults: number;
  readonly id: number;
}

/** Explores a setting with the production decisions, or with one mistake planted in them. */
export function search(setting: Setting, plant: Plant | null, bound: SearchBound, nowMs: () => number): SearchResult {
  const seen = new Map<number, number>();
  const parents: number[] = [];
  const labels: string[] = [];
  const endings = new Map<number, Ending>();
  const startedMs = nowMs();
  let transitions = 0;
  let depth = 0;
  let ended = 0;
  let exhaustive = true;
  let frontier: Visit[] = [];
  const result = (counterExample: CounterExample | null): SearchResult => ({
    setting: setting.name,
    states: parents.length,
    transitions,
    depth,
    endings: ended,
    exhaustive: exhaustive && counterExample === null,
    counterExample,
  });
  const pathTo = (id: number): string[] => {
    const path: string[] = [];
    for (let at = id; at > 0; at = parents[at] ?? 0) path.unshift(labels[at] ?? '');
    return path;
  };
  const visit = (world: World, faults: number, parent: number, label: string): CounterExample | null => {
    const name = hash(canonical(world));
    const before = seen.get(name);
    // A state reached with fewer faults left to go may still lead further.
    if (before !== undefined && before <= faults) return null;
    seen.set(name, faults);
    const id = parents.length;
    parents.push(parent);
    labels.push(label);
    const rule = brokenRule(world);
    if (rule !== null) return { rule, path: pathTo(id) };
    frontier.push({ world, faults, id });
    if (id % bound.endingEvery === 0) {
      ended += 1;
      const ending = endingOf(world, setting, plant, endings);
      if (ending.fault !== null) return { rule: ending.fault, path: [...pathTo(id), ...ending.path] };
    }
    return null;
  };

  const first = visit(startWorld(setting), 0, 0, '');
  if (first !== null) return result(first);
  while (frontier.length > 0) {
    const current = frontier;
    frontier = [];
    depth += 1;
    for (const { world, faults, id } of current) {
      const steps: Step[] = [
        ...operatorSteps(world, setting, plant),
        ...fenceSteps(world, setting, plant),
        ...patienceSteps(world, plant),
        ...environmentSteps(world, setting),
      ];
      const broken = faults < setting.maxFaults ? faultSteps(world, setting) : [];
      for (const step of steps) {
        transitions += 1;
        // Before it is asked whether the state is known: the step may be wrong where the state is not.
        const rule = brokenOrder(world, step.next, setting);
        if (rule !== null) return result({ rule, path: [...pathTo(id), step.label] });
        const found = visit(step.next, faults, id, step.label);
        if (found !== null) return result(found);
      }
      for (const step of broken) {
        transitions += 1;
        const found = visit(step.next, faults + 1, id, step.label);
        if (found !== null) return result(found);
      }
      if (parents.length >= bound.maxStates || nowMs() - startedMs > bound.maxMs) {
        exhaustive = false;
        return result(null);
      }
    }
  }
  return result(null);
}
