import type { Outcome } from '../../src/checker/outcome.ts';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';
import { pause } from '../../world/wait.ts';
import { awaitedPairs } from '../awaited.ts';
import type { LiveRun } from '../live-run.ts';
import { type OperatorUnderTest, startOperator } from '../operator-process.ts';
import { namesOf, play, type Stage } from '../play.ts';
import { rootSource } from '../root-source.ts';
import { until } from '../until.ts';

export interface TwoLeadersOptions {
  readonly runtimes: number;
  /** How often a leader is stopped past its Lease. */
  readonly pauses: number;
}

/** Longer than the Lease of 2 s, and than what the other needs to take it. */
const stoppedMs = 4_000;
/** For so long two replicas act, and neither asks who leads. */
const twoActMs = 15_000;
const hourMs = 3_600_000;

/** Leaders that are stopped past their Lease and wake up in the middle of something, replicas that both act, and a clock that is wrong (KF-S11). */
export function twoLeaders(stage: Stage, { runtimes, pauses }: TwoLeadersOptions): Promise<Outcome> {
  const { world, pace, seed, say } = stage;
  let handovers = 0;
  return play(stage, {
    scenario: 'two-leaders',
    runtimes: namesOf(world, runtimes),
    elected: true,
    act: async (run) => {
      const { signal } = run;
      const random = seededRandom(seed);
      const roots = rootSource(world.hub.client, signal, random);
      const rotate = async (): Promise<void> => {
        const rootDigest = await roots.next('rekey');
        run.recorder.mark({ kind: 'rekey', rootDigest });
      };
      await roots.next('first');
      await run.untilStanding('the first root in use everywhere', awaitedPairs);

      const second = await startOperator(world, signal, { elected: true, name: 'second-operator' });
      try {
        let [leader, standby]: readonly [OperatorUnderTest, OperatorUnderTest] = [run.operator, second];
        for (let turn = 1; turn <= pauses; turn += 1) {
          await rotate();
          await pause(random() * pace.policy.propagationDelayMs * 1.5, signal);
          leader.send('SIGSTOP');
          await pause(stoppedMs, signal);
          leader.send('SIGCONT');
          await endsAsLost(leader, run);
          await leader.start();
          [leader, standby] = [standby, leader];
          handovers += 1;
          say(`${turn} of ${pauses}: the leader was stopped past its Lease, woke up and ended; the other one leads`);
          await run.untilStanding('the root in use everywhere', awaitedPairs);
        }
        await run.settle();
      } finally {
        await second.stop();
      }

      await besides(run, 'another one acted without asking who leads', { name: 'unelected-operator' }, rotate);
      const ahead = { name: 'operator-ahead', clockAheadMs: hourMs };
      await besides(run, 'another one acted whose clock is an hour ahead', ahead, rotate);
      return [];
    },
    conclude: () => ({
      problems: handovers === pauses ? [] : [`${handovers} leaders gave way, not ${pauses}`],
      details: { seed, handovers },
    }),
  });
}

/** One that has lost its Lease ends, for its supervisor to start it anew. */
async function endsAsLost(operator: OperatorUnderTest, { signal }: LiveRun): Promise<void> {
  let code: number | undefined;
  void operator.exited().then((told) => {
    code = told;
  });
  await until('the end of one that has lost its Lease', async () => (code === undefined ? ['its end'] : []), {
    timeoutMs: 20_000,
    signal,
  });
}

/** A second operator acts beside the elected one through two rotations and longer. */
async function besides(
  run: LiveRun,
  what: string,
  other: { readonly name: string; readonly clockAheadMs?: number },
  rotate: () => Promise<void>,
): Promise<void> {
  const { world, say, signal } = run;
  const operator = await startOperator(world, signal, other);
  try {
    const endMs = performance.now() + twoActMs;
    do {
      await rotate();
      await run.untilStanding('the root in use everywhere', awaitedPairs);
    } while (performance.now() < endMs);
    if (operator.hasFailed()) throw new Error(`The operator beside ended by itself, see ${operator.logFile}`);
  } finally {
    await operator.stop();
  }
  await run.settle();
  say(`For ${twoActMs / 1_000} s ${what}`);
}
