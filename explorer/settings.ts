/**
 * What is explored: by `npm test` within three minutes, by `npm run explore` within sixty.
 *
 * @module
 */
import type { SearchBound } from './search.ts';
import type { WalkBound } from './walk.ts';
import { type Fault, root, type Setting } from './world.ts';

const A = root('a');
const B = root('b');
const C = root('c');
/** B again, with the same key and a later end. */
const B2 = root('b2', 'b', 1);

/** Three overlapping roots: all re-keyed, one renewed with its key, one coming back. */
export const ROOTS: Readonly<Record<'rekeyed' | 'renewed' | 'returning', Setting['roots']>> = {
  rekeyed: [A, B, C],
  renewed: [A, B, B2],
  returning: [A, B, A],
};

const ONE_ROTATION: Setting['roots'] = [A, B];

export const ALL_FAULTS: readonly Fault[] = [
  'lost write',
  'late write',
  'lost answer',
  'crash',
  'statuses lost',
  'unreachable',
  'join',
  'delete',
  'own renewal',
  'stale read',
  'taint',
  'slow gateway',
];

/** Fleet sizes and faults; the roots and the name are added. */
type Shape = Omit<Setting, 'name' | 'roots'>;

const ONE: Shape = {
  runtimes: 1,
  present: 1,
  webhooks: 0,
  waveSize: 3,
  maxLag: 1,
  faults: ALL_FAULTS,
  maxFaults: 0,
};
const ONE_WITH_WEBHOOK: Shape = { ...ONE, webhooks: 1 };
const TWO: Shape = { ...ONE, runtimes: 2, present: 2 };
const TWO_WITH_WEBHOOK: Shape = { ...TWO, webhooks: 1 };
const THREE: Shape = { ...ONE, runtimes: 3, present: 3 };
/** One has a pair of the first root and one of the second, which is current; the first of the two is tainted. */
const MIDWAY: Shape = { ...TWO, midway: true, tainted: ['a'] };
const ONE_AT_A_TIME: Shape = { ...MIDWAY, waveSize: 1 };
/** Two of them have a pair of the tainted root: one waits for the other. */
const THREE_MIDWAY: Shape = { ...ONE_AT_A_TIME, runtimes: 3, present: 3 };
/** Two are there, one may join; one of the two is as KLM leaves it. */
const GROWING: Shape = { ...ONE, runtimes: 3, present: 2, adopted: 1, webhooks: 1 };

function named(what: string, roots: keyof typeof ROOTS | 'one rotation', shape: Shape): Setting {
  const faults = shape.maxFaults === 0 ? 'no fault' : `at most ${shape.maxFaults} faults`;
  const used = roots === 'one rotation' ? ONE_ROTATION : ROOTS[roots];
  return { ...shape, name: `${what}, ${roots}, ${faults}, readers ${shape.maxLag} behind`, roots: used };
}

export interface PlannedSearch {
  readonly setting: Setting;
  readonly bound: SearchBound;
}

export interface PlannedWalks {
  readonly setting: Setting;
  readonly bound: WalkBound;
}

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
/** A state is run to its end for L1 and L2 once in so many. */
const ENDING_EVERY = 25;

function searched(setting: Setting, maxStates: number, maxMs: number): PlannedSearch {
  return { setting, bound: { maxStates, maxMs, endingEvery: ENDING_EVERY } };
}

/** The bound of `npm test`: breadth first until the number of states, then random walks with two faults each. */
export const TEST_SEARCHES: readonly PlannedSearch[] = [
  searched(named('one runtime', 'returning', ONE), 100_000, 25 * SECOND_MS),
  searched(named('two runtimes', 'one rotation', TWO), 100_000, 15 * SECOND_MS),
  searched(
    named('one runtime with a webhook', 'one rotation', { ...ONE_WITH_WEBHOOK, maxFaults: 1 }),
    100_000,
    40 * SECOND_MS,
  ),
  searched(named('two runtimes', 'rekeyed', { ...TWO, maxFaults: 2 }), 60_000, 20 * SECOND_MS),
  searched(named('two runtimes midway, the first root tainted', 'rekeyed', MIDWAY), 40_000, 10 * SECOND_MS),
  searched(
    named('the same, one certificate at a time', 'rekeyed', { ...ONE_AT_A_TIME, maxFaults: 1 }),
    40_000,
    10 * SECOND_MS,
  ),
  searched(
    named('the same, the current root tainted', 'rekeyed', { ...ONE_AT_A_TIME, tainted: ['b'], maxFaults: 1 }),
    40_000,
    10 * SECOND_MS,
  ),
];

export const TEST_WALKS: readonly PlannedWalks[] = (['rekeyed', 'renewed', 'returning'] as const).map((roots) => ({
  setting: named('three runtimes, one adopted, one joining', roots, { ...GROWING, maxFaults: 2 }),
  bound: { walks: 1500, steps: 120, seed: 1, maxMs: 12 * SECOND_MS },
}));

/** The bound of `npm run explore`: as wide as fits into an hour on two cores. */
export const EXPLORE_SEARCHES: readonly PlannedSearch[] = [
  ...(['rekeyed', 'renewed', 'returning'] as const).flatMap((roots) => [
    searched(named('one runtime', roots, ONE), 3_000_000, 4 * MINUTE_MS),
    searched(named('two runtimes', roots, TWO), 3_000_000, 5 * MINUTE_MS),
  ]),
  searched(
    named('one runtime with a webhook', 'one rotation', { ...ONE_WITH_WEBHOOK, maxFaults: 2 }),
    3_000_000,
    5 * MINUTE_MS,
  ),
  searched(
    named('two runtimes with a webhook', 'one rotation', { ...TWO_WITH_WEBHOOK, maxFaults: 1 }),
    3_000_000,
    5 * MINUTE_MS,
  ),
  searched(named('three runtimes', 'one rotation', THREE), 3_000_000, 5 * MINUTE_MS),
  ...[['a'], ['b'], ['a', 'b']].map((tainted) =>
    searched(
      named(`two runtimes midway, tainted ${tainted.join(' and ')}`, 'rekeyed', {
        ...ONE_AT_A_TIME,
        tainted,
        maxFaults: 1,
      }),
      3_000_000,
      3 * MINUTE_MS,
    ),
  ),
];

export const EXPLORE_WALKS: readonly PlannedWalks[] = (['rekeyed', 'renewed', 'returning'] as const).flatMap((roots) =>
  [1, 2].map((maxLag) => ({
    setting: named('three runtimes, one adopted, one joining', roots, { ...GROWING, maxLag, maxFaults: 4 }),
    bound: { walks: 1_000_000, steps: 250, seed: 7, maxMs: 2 * MINUTE_MS },
  })),
);

/** Where each planted mistake is looked for; the smallest world that shows it. */
export const PLANT_SETTINGS: Readonly<Record<string, Setting>> = {
  'switch by grace period': named('one runtime', 'rekeyed', ONE),
  'one resettable timestamp for all roots': named('one runtime', 'rekeyed', ONE),
  '"newer than" instead of "signed by"': named('one runtime', 'rekeyed', ONE),
  "delivery before the gateway's proof": named('one runtime', 'rekeyed', ONE),
  'a delay shortened by a restart': named('one runtime', 'rekeyed', { ...ONE, faults: ['crash'], maxFaults: 1 }),
  'a stored proof used for a newer write': named('one runtime', 'one rotation', {
    ...ONE,
    faults: ['crash'],
    maxFaults: 1,
  }),
  'proof by root instead of by value': named('one runtime', 'returning', ONE),
  'late write without fence': named('one runtime', 'one rotation', {
    ...ONE,
    present: 0,
    faults: ['join', 'late write'],
    maxFaults: 2,
  }),
  'first delivery before registering (join during a switch)': named('one runtime', 'one rotation', {
    ...ONE,
    present: 0,
    faults: ['join'],
    maxFaults: 1,
  }),
  'switch waits for pairs': named('one runtime', 'rekeyed', ONE),
  'retire on age': named('one runtime', 'rekeyed', ONE),
  'current and previous only': named('one runtime', 'rekeyed', ONE),
  'caBundle after the pair': named('one runtime with a webhook', 'rekeyed', ONE_WITH_WEBHOOK),
  'the pair sent before the API servers use the caBundle': named(
    'one runtime with a webhook',
    'rekeyed',
    ONE_WITH_WEBHOOK,
  ),
  "the candidate's root retired": named('one runtime', 'rekeyed', ONE),
  'a closing mark left behind': named('one runtime', 'returning', ONE),
  'others have their turn before a tainted root': named('three runtimes midway', 'rekeyed', THREE_MIDWAY),
  'a tainted runtime that does not answer holds the others': named('three runtimes midway', 'rekeyed', THREE_MIDWAY),
  'a tainted runtime holds the others until it is issued': named('two runtimes midway', 'rekeyed', MIDWAY),
  'another certificate of a tainted root that is current': named('two runtimes midway', 'rekeyed', {
    ...MIDWAY,
    tainted: ['b'],
  }),
  'the server moved to a tainted root': named('two runtimes midway', 'rekeyed', { ...MIDWAY, tainted: ['b'] }),
  'a runtime without a record taken for gone': named('one runtime, adopted', 'one rotation', { ...ONE, adopted: 1 }),
};
