import type { Judgement } from './judge.ts';

/** The last line of every scenario, as JSON. */
export interface Outcome {
  readonly scenario: string;
  /** Every expectation held: `problems` is empty. */
  readonly ok: boolean;
  readonly requests: number;
  readonly failed: number;
  readonly violations: number;
  readonly rotations: number;
  /** Rotations begun before the one before was proven everywhere. */
  readonly overlapping: number;
  readonly seconds: number;
  readonly failedKnown: number;
  readonly violationsKnown: number;
  /** Lowest average of requests a second among the runtimes. */
  readonly perSecond: number;
  /** What the recorder could not see; one makes the scenario fail. */
  readonly gaps: number;
  readonly problems: readonly string[];
  /** Figures of one scenario. */
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface OutcomeParts {
  readonly scenario: string;
  readonly judgement: Judgement;
  readonly seconds: number;
  /** Expectations that did not hold, beside those that every scenario has. */
  readonly problems: readonly string[];
  readonly details?: Readonly<Record<string, unknown>>;
  /** At least so many requests a second of each runtime, or the run has shown too little. @default 5 */
  readonly fewestPerSecond?: number;
  /** A person ended it in the middle of whatever went on: too little traffic and an unfinished rotation are no failure then. */
  readonly endedEarly?: boolean;
}

/** Adds what every scenario must show: no failed request, no violation, no gap, enough traffic, and all at its end. */
export function outcomeOf({
  scenario,
  judgement,
  seconds,
  problems,
  details,
  fewestPerSecond = 5,
  endedEarly = false,
}: OutcomeParts): Outcome {
  const { requests, failed, failedKnown, violations, violationsKnown, gaps, rotations, overlapping } = judgement;
  const rates = Object.entries(judgement.perSecond);
  const all = [
    ...problems,
    ...(failed > 0 ? [`${failed} of ${requests} requests failed`] : []),
    ...(violations.length > 0 ? [`${violations.length} violations of S1 to S5`] : []),
    ...(gaps.length > 0 ? [`${gaps.length} gaps in the recording`] : []),
    ...(endedEarly ? [] : unfinished(judgement, fewestPerSecond)),
  ];
  return {
    scenario,
    ok: all.length === 0,
    requests,
    failed,
    violations: violations.length,
    rotations: rotations.length,
    overlapping,
    seconds: Math.round(seconds * 10) / 10,
    failedKnown,
    violationsKnown: violationsKnown.length,
    perSecond: rates.length === 0 ? 0 : Math.min(...rates.map(([, rate]) => rate)),
    gaps: gaps.length,
    problems: all,
    ...(details === undefined ? {} : { details }),
  };
}

/** What a run must have come to that was not ended early. */
function unfinished({ judged, perSecond, ending }: Judgement, fewestPerSecond: number): readonly string[] {
  const rates = Object.entries(perSecond);
  return [
    ...(judged.S1 === 0 || judged.S2 === 0 ? ['Nothing was there to be judged by S1 and S2'] : []),
    ...rates
      .filter(([, rate]) => rate < fewestPerSecond)
      .map(([runtime, rate]) => `${runtime} sent ${rate} requests a second, fewer than ${fewestPerSecond}`),
    ...(rates.length === 0 ? ['No runtime sent a request'] : []),
    ...list('no pair of the current root at the end', ending.pairsOfOlderRoots),
    ...list('another bundle than the gateway at the end', ending.otherBundles),
    ...list('no server certificate of the current root at the end', ending.serversOfOlderRoots),
    ...list('unused roots not retired', ending.rootsLeft),
  ];
}

/** One outcome of several runs that belong together. */
export function joined(scenario: string, parts: readonly Outcome[]): Outcome {
  const sum = (field: keyof Outcome) => parts.reduce((total, part) => total + Number(part[field]), 0);
  return {
    scenario,
    ok: parts.length > 0 && parts.every(({ ok }) => ok),
    requests: sum('requests'),
    failed: sum('failed'),
    violations: sum('violations'),
    rotations: sum('rotations'),
    overlapping: sum('overlapping'),
    seconds: Math.round(sum('seconds') * 10) / 10,
    failedKnown: sum('failedKnown'),
    violationsKnown: sum('violationsKnown'),
    perSecond: Math.min(...parts.map(({ perSecond }) => perSecond)),
    gaps: sum('gaps'),
    problems: parts.flatMap((part) => part.problems.map((problem) => `${part.scenario}: ${problem}`)),
    details: Object.fromEntries(parts.map((part) => [part.scenario, part.details ?? {}])),
  };
}

/** The outcome of a scenario that did not come as far as a judgement. */
export function brokenOff(scenario: string, seconds: number, problem: string): Outcome {
  const nothing = { requests: 0, failed: 0, violations: 0, rotations: 0, overlapping: 0, failedKnown: 0 };
  const rest = { violationsKnown: 0, perSecond: 0, gaps: 0, problems: [problem] };
  return { scenario, ok: false, ...nothing, seconds: Math.round(seconds * 10) / 10, ...rest };
}

function list(what: string, names: readonly string[]): string[] {
  return names.length === 0 ? [] : [`${what}: ${names.map((name) => name.slice(0, 20)).join(', ')}`];
}
