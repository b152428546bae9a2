/**
 * L1 and L2: where does a state end when nothing goes wrong any more and everybody gets his turn?
 *
 * @module
 */

import { canonical, hash } from './canonical.ts';
import { issuerSteps, readerSteps } from './environment-steps.ts';
import { fenceSteps, operatorTurns, type Step } from './operator-steps.ts';
import type { Plant } from './plants.ts';
import { brokenRule } from './rules.ts';
import { root, type Setting, type World } from './world.ts';

export interface Ending {
  /** What did not come about; `null` when all did. */
  readonly fault: string | null;
  readonly path: readonly string[];
}

const GOOD: Ending = { fault: null, path: [] };
/** Rounds within which a world of this size comes to rest. */
const MAX_STEPS = 600;
/** New roots, one a round, within which the server has to advance. */
const ADVANCE_ROOTS = 8;

/**
 * Lets a state run to rest: first with the issuer stuck, where the server has to switch all the same (L2), then whole, where
 * everything has to be on the current root and nothing else left (L1). Endings are shared between states that meet.
 */
export function endingOf(world: World, setting: Setting, plant: Plant | null, known: Map<number, Ending>): Ending {
  const settled: World = {
    ...world,
    slow: false,
    late: [],
    runtimes: world.runtimes.map((runtime) => ({ ...runtime, reachable: true, stale: null })),
  };
  const name = hash(canonical(settled));
  const before = known.get(name);
  if (before !== undefined) return before;
  const ending = runToEnd(settled, setting, plant);
  known.set(name, ending);
  return ending;
}

function runToEnd(world: World, setting: Setting, plant: Plant | null): Ending {
  const advance = keepsAdvancing(world, setting, plant);
  if (advance !== null) return { fault: advance, path: ['then a new root comes every round'] };
  const path: string[] = [];
  const stuck = settle(world, setting, plant, false, path);
  if (typeof stuck === 'string') return { fault: stuck, path };
  const current = setting.roots[stuck.rootIndex];
  if (stuck.secret.server?.signer !== current?.keyId) {
    return { fault: 'L2: the switch waits although only the issuer is stuck', path };
  }
  const rest = settle(stuck, setting, plant, true, path);
  if (typeof rest === 'string') return { fault: rest, path };
  const fault = unfinished(rest, setting);
  return fault === null ? GOOD : { fault, path };
}

/** Gives every controller, reader and, if it works, the issuer a turn until nothing moves. */
function settle(
  start: World,
  setting: Setting,
  plant: Plant | null,
  issuerWorks: boolean,
  path: string[],
): World | string {
  let world = start;
  for (let count = 0; count < MAX_STEPS; count += 1) {
    const step = turnOf(world, setting, plant, count, issuerWorks, true);
    if (step === null) return world;
    path.push(step.label);
    world = step.next;
    const rule = brokenRule(world);
    if (rule !== null) return rule;
  }
  return 'L1: it never comes to rest';
}

function turnOf(
  world: World,
  setting: Setting,
  plant: Plant | null,
  count: number,
  issuerWorks: boolean,
  readersMove: boolean,
): Step | null {
  const turns = [
    ...operatorTurns(world, setting, plant),
    () => (readersMove ? (readerSteps(world)[0] ?? null) : null),
    () => (issuerWorks ? (issuerSteps(world, setting).at(-1) ?? null) : null),
  ];
  for (let index = 0; index < turns.length; index += 1) {
    const step = turns[(count + index) % turns.length]?.() ?? null;
    if (step !== null) return step;
  }
  return readersMove ? (fenceSteps(world, setting, plant)[0] ?? null) : null;
}

function unfinished(world: World, setting: Setting): string | null {
  const current = setting.roots[world.rootIndex];
  const key = current?.keyId;
  if (world.secret.server?.signer !== key) return 'L1: the server certificate is not of the current root';
  if (world.secret.bundle.some((other) => other.keyId !== key))
    return 'L1: a root that nobody uses stays in the bundle';
  for (const [index, runtime] of world.runtimes.entries()) {
    if (runtime.kyma !== 'present') continue;
    const using = runtime.log.at(-1);
    if (using?.client?.signer !== key) return `L1: runtime ${index} has no client certificate of the current root`;
    const bundle = world.secret.bundle.map((other) => other.digest);
    if (using === undefined || using.bundle.join() !== bundle.join()) {
      return `L1: runtime ${index} does not hold the current bundle`;
    }
  }
  return null;
}

/**
 * While roots keep changing the server still advances (L1). Each round brings a new root and the operator does what it can;
 * readers move only when they would be too far behind, so that no moment is ever quiet.
 */
function keepsAdvancing(start: World, setting: Setting, plant: Plant | null): string | null {
  const quiet = settle(start, setting, plant, true, []);
  if (typeof quiet === 'string') return quiet;
  const before = quiet.secret.server?.signer;
  let roots = setting.roots.slice(0, quiet.rootIndex + 1);
  let world = quiet;
  for (let round = 0; round < ADVANCE_ROOTS; round += 1) {
    roots = [...roots, root(`r${'abcdefghij'[round]}`)];
    const later = { ...setting, roots };
    world = { ...world, rootIndex: roots.length - 1 };
    for (let count = 0; count < MAX_STEPS; count += 1) {
      const step = turnOf(world, later, plant, count, true, false);
      if (step === null) break;
      world = step.next;
    }
    const rule = brokenRule(world);
    if (rule !== null) return rule;
    if (world.secret.server?.signer !== before) return null;
  }
  return 'L1: the server never advances while roots keep changing';
}
