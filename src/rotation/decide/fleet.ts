import { shapeOf } from './holdings.ts';
import { type Holdings, LOST } from './values.ts';

/** One runtime, as it is observed. */
export interface RuntimeStanding {
  readonly name: string;
  /** `null`: it has no `RuntimeTrust` yet, so nothing is known of it. It is unproven, not gone (design 3.5). */
  readonly held: Holdings | null;
  /** For how long this process has waited for a proof of it, on its monotonic clock; 0 when it is proven. */
  readonly unprovenForMs: number;
}

/** Runtimes of which every decision says the same. A fleet of ten thousand has a handful of such groups, and each is judged once. */
export interface RuntimeGroup {
  readonly held: Holdings | null;
  readonly names: readonly string[];
  /** Of each name: for how long its proof has been awaited; the longest is what a decision asks for first. */
  readonly unprovenForMs: readonly number[];
  readonly longestUnprovenMs: number;
}

/** The fleet, from a watched store or from a live read. */
export interface Fleet {
  /** Read live, after the gateway Secret was. Only then may the server switch or a root leave (design 3.5). */
  readonly live: boolean;
  readonly groups: readonly RuntimeGroup[];
}

/** Puts together what no decision tells apart. */
export function fleetOf(live: boolean, runtimes: Iterable<RuntimeStanding>): Fleet {
  const groups = new Map<
    string,
    { held: Holdings | null; names: string[]; unprovenForMs: number[]; longest: number }
  >();
  for (const { name, held, unprovenForMs } of runtimes) {
    const key = held === null ? 'no record' : shapeOf(held);
    let group = groups.get(key);
    if (group === undefined) {
      group = { held, names: [], unprovenForMs: [], longest: 0 };
      groups.set(key, group);
    }
    group.names.push(name);
    group.unprovenForMs.push(unprovenForMs);
    group.longest = Math.max(group.longest, unprovenForMs);
  }
  return {
    live,
    groups: [...groups.values()].map(({ longest, ...group }) => ({ ...group, longestUnprovenMs: longest })),
  };
}

/** What the group may be using; without a record it may be anything (S6). */
export function heldBy(group: RuntimeGroup): Holdings {
  return group.held ?? LOST;
}
