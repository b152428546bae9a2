import type { History } from '../src/checker/history.ts';
import type { Judgement } from '../src/checker/judge.ts';
import { brokenOff, type Outcome, outcomeOf } from '../src/checker/outcome.ts';
import { reportOf } from '../src/checker/report.ts';
import type { World } from '../world/world.ts';
import { type LiveRun, startLiveRun } from './live-run.ts';
import type { KeyKind, Pace, Policy } from './policy.ts';
import type { Say } from './say.ts';
import { longestStandInDelay, type StandInDelay } from './stand-in-delay.ts';

/** A started world with an empty hub, and who wants to know. */
export interface Stage {
  readonly world: World;
  /** How slow the world is. */
  readonly pace: Pace;
  readonly seed: number;
  readonly say: Say;
  readonly signal: AbortSignal;
}

/** What a scenario found beside what is looked at in every one. */
export interface Findings {
  /** Sentences about expectations that did not hold. */
  readonly problems: readonly string[];
  readonly details?: Readonly<Record<string, unknown>>;
}

export interface Play {
  readonly scenario: string;
  readonly runtimes: readonly string[];
  readonly keys?: KeyKind;
  readonly ratePerSecond?: number;
  readonly elected?: boolean;
  /** Where it differs from the world's. */
  readonly policy?: Partial<Policy>;
  readonly beforeOperator?: () => Promise<void>;
  /** What the scenario does. An expectation that does not hold is returned, or thrown where nothing can follow. */
  readonly act: (run: LiveRun) => Promise<readonly string[]>;
  /** Looks at the whole recording. */
  readonly conclude?: (history: History, judgement: Judgement) => Findings;
}

/** Names of so many of a world's runtimes, the first that joined. */
export function namesOf(world: World, count: number): readonly string[] {
  return world
    .runtimes()
    .slice(0, count)
    .map(({ name }) => name);
}

/** Plays one scenario on a stage and judges it. Only an abort is thrown: everything else is an outcome. */
export async function play(stage: Stage, { scenario, act, conclude, policy, ...options }: Play): Promise<Outcome> {
  const { world, seed, say, signal } = stage;
  const pace = { ...stage.pace, policy: { ...stage.pace.policy, ...policy } };
  const startedMs = performance.now();
  const seconds = () => (performance.now() - startedMs) / 1_000;
  let run: LiveRun;
  try {
    run = await startLiveRun({ ...options, world, pace, seed, say, signal });
  } catch (error) {
    signal.throwIfAborted();
    return brokenOff(scenario, seconds(), `The run did not start: ${textOf(error)}`);
  }
  const problems: string[] = [];
  try {
    problems.push(...(await act(run)));
  } catch (error) {
    // What was recorded up to here is judged all the same, unless a person stopped it.
    problems.push(textOf(error));
  }
  for (const problem of problems) say(`Not as expected: ${problem}`);
  try {
    const finished = await run.finish();
    signal.throwIfAborted();
    const { history, judgement } = finished;
    for (const line of reportOf(judgement).slice(0, -1).slice(0, 80)) say(line);
    const found = conclude?.(history, judgement) ?? { problems: [] };
    const delay = longestStandInDelay(history);
    const late = delay !== null && delay.longestMs > pace.policy.propagationDelayMs - pace.requestGraceMs;
    return outcomeOf({
      scenario,
      judgement,
      seconds: seconds(),
      problems: [
        ...problems,
        ...finished.problems,
        ...found.problems,
        ...(late ? [`This machine was too busy: ${lateText(delay)}, longer than the policy allows for`] : []),
      ],
      details: { ...found.details, longestMountMs: delay?.longestMs ?? null },
    });
  } catch (error) {
    signal.throwIfAborted();
    return brokenOff(scenario, seconds(), [...problems, `The run did not end in order: ${textOf(error)}`].join('; '));
  }
}

function lateText({ runtime, longestMs, atMs }: StandInDelay): string {
  return `the kubelet stand-in of ${runtime} took ${(longestMs / 1_000).toFixed(1)} s until ${new Date(atMs).toISOString()}`;
}

function textOf(error: unknown): string {
  if (!(error instanceof Error)) return String(error);
  return error.cause instanceof Error ? `${error.message}: ${textOf(error.cause)}` : error.message;
}
