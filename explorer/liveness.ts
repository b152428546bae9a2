/**
 * L1 and L2: where does a state end when nothing goes wrong any more and everybody gets his turn?
 *
 * @module
 */

import { canonical, hash } from './canonical.ts';
import { issuerSteps, readerSteps } from './environment-steps.ts';
import { fenceSteps, operatorTurns, patienceSteps, type Step } from './operator-steps.ts';
import type { Plant } from './plants.ts';
import { brokenRule, mayPresentTainted } from './rules.ts';
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
 * everything has to be on the current root and nothing else left (L1). A current root that is tainted is followed by another
 * one, and those who come first must not stop the others (L2). Endings are shared between states that meet.
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
  const stuck = settle(world, setting, plant, NOBODY, path);
  if (typeof stuck === 'string') return { fault: stuck, path };
  const current = setting.roots[stuck.rootIndex]?.keyId ?? '';
  const isTainted = stuck.tainted.includes(current);
  if (!isTainted && stuck.secret.server?.signer !== current) {
    return { fault: 'L2: the switch waits although only the issuer is stuck', path };
  }
  const rest = settle(stuck, setting, plant, EVERYBODY, path);
  if (typeof rest === 'string') return { fault: rest, path };
  const fault = isTainted ? untilNextRoot(rest, setting, plant, path) : unfinished(rest, setting);
  if (fault !== null) return { fault, path };
  const held = isTainted ? null : heldByTainted(world, setting, plant, path);
  return held === null ? GOOD : { fault: held, path };
}

/** Nothing has to move to a tainted root; with the next one everything does. */
function untilNextRoot(world: World, setting: Setting, plant: Plant | null, path: string[]): string | null {
  const later = { ...setting, roots: [...setting.roots.slice(0, world.rootIndex + 1), root('z')] };
  path.push('another root comes');
  const rest = settle({ ...world, rootIndex: world.rootIndex + 1 }, later, plant, EVERYBODY, path);
  return typeof rest === 'string' ? rest : unfinished(rest, later);
}

/** Runtimes that come first go away, or their issuer is stuck and places are left: the others end on the current root (L2). */
function heldByTainted(start: World, setting: Setting, plant: Plant | null, path: string[]): string | null {
  const isFirst = start.runtimes.map((one) => one.kyma === 'present' && mayPresentTainted(one, start.tainted));
  const firsts = isFirst.filter((one) => one).length;
  if (start.tainted.length === 0 || firsts === 0 || firsts === isFirst.length) return null;
  const away: World = {
    ...start,
    runtimes: start.runtimes.map((one, index) => (isFirst[index] === true ? { ...one, reachable: false } : one)),
  };
  const worlds = [{ what: 'do not answer', world: away, signs: EVERYBODY }];
  if (setting.waveSize > firsts) {
    worlds.push({ what: 'get no certificate', world: start, signs: (index: number) => isFirst[index] !== true });
  }
  for (const { what, world, signs } of worlds) {
    path.push(`those who come first ${what}`);
    const rest = settle(world, setting, plant, signs, path);
    if (typeof rest === 'string') return rest;
    const current = setting.roots[rest.rootIndex]?.keyId;
    const left = rest.runtimes.findIndex(
      ({ kyma, log }, index) => kyma === 'present' && isFirst[index] !== true && log.at(-1)?.client?.signer !== current,
    );
    if (left >= 0)
      return `L2: runtime ${left} gets no certificate of the current root while those who come first ${what}`;
  }
  return null;
}

type SignsFor = (runtime: number) => boolean;
const EVERYBODY: SignsFor = () => true;
const NOBODY: SignsFor = () => false;

/** Gives every controller, every reader and the issuer a turn until nothing moves. */
function settle(
  start: World,
  setting: Setting,
  plant: Plant | null,
  signsFor: SignsFor,
  path: string[],
): World | string {
  let world = start;
  for (let count = 0; count < MAX_STEPS; count += 1) {
    const step = turnOf(world, setting, plant, count, signsFor, true);
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
  signsFor: SignsFor,
  readersMove: boolean,
): Step | null {
  const turns = [
    ...operatorTurns(world, setting, plant, ({ reachable }) => reachable),
    () => (readersMove ? (readerSteps(world)[0] ?? null) : null),
    () => issuerSteps(world, setting, signsFor).at(-1) ?? null,
  ];
  for (let index = 0; index < turns.length; index += 1) {
    const step = turns[(count + index) % turns.length]?.() ?? null;
    if (step !== null) return step;
  }
  return readersMove
    ? ([...fenceSteps(world, setting, plant), ...patienceSteps(world, plant, ({ reachable }) => !reachable)][0] ?? null)
    : null;
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
  const quiet = settle(start, setting, plant, EVERYBODY, []);
  if (typeof quiet === 'string') return quiet;
  const before = quiet.secret.server?.signer;
  let roots = setting.roots.slice(0, quiet.rootIndex + 1);
  let world = quiet;
  for (let round = 0; round < ADVANCE_ROOTS; round += 1) {
    roots = [...roots, root(`r${'abcdefghij'[round]}`)];
    const later = { ...setting, roots };
    world = { ...world, rootIndex: roots.length - 1 };
    for (let count = 0; count < MAX_STEPS; count += 1) {
      const step = turnOf(world, later, plant, count, EVERYBODY, false);
      if (step === null) break;
      world = step.next;
    }
    const rule = brokenRule(world);
    if (rule !== null) return rule;
    if (world.secret.server?.signer !== before) return null;
  }
  return 'L1: the server never advances while roots keep changing';
}
