import type { Judgement } from '../../src/checker/judge.ts';
import type { Outcome } from '../../src/checker/outcome.ts';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';
import { pause } from '../../world/wait.ts';
import { awaitedPairs } from '../awaited.ts';
import { awaitedReady } from '../domain-status.ts';
import type { LiveRun } from '../live-run.ts';
import { namesOf, play, type Stage } from '../play.ts';
import { type RootSource, rootSource } from '../root-source.ts';
import { planRotations, type RotationStep } from '../rotation-plan.ts';
import { speedLines, speedOf } from '../rotation-speed.ts';
import { until } from '../until.ts';
import { certManagerRoot } from './cert-manager-root.ts';

export interface RotationOptions {
  readonly runtimes: number;
  readonly rotations: number;
  /** Who writes the root Secret: the scenario, or cert-manager with KLM's own settings. */
  readonly root: 'secret' | 'cert-manager';
}

/** A signature with a key of 4096 bits takes a client 15 ms: ten a second of four clients would be a core of the two. */
const rsaRatePerSecond = 6;

/** Many new roots under traffic, half of them before the one before has finished. */
export function rotation(stage: Stage, { runtimes, rotations, root }: RotationOptions): Promise<Outcome> {
  const { world, pace, seed, say } = stage;
  const byCertManager = root === 'cert-manager';
  const steps = planRotations({ rotations, seed, hurryMs: pace.hurryMs, rekeyOnly: byCertManager });
  return play(stage, {
    scenario: byCertManager ? 'rotation --root cert-manager' : 'rotation',
    runtimes: namesOf(world, runtimes),
    keys: byCertManager ? 'RSA-4096' : 'P-256',
    ...(byCertManager ? { ratePerSecond: rsaRatePerSecond } : {}),
    act: async (run) => {
      const { client } = world.hub;
      const roots = byCertManager
        ? await certManagerRoot(world, run.signal)
        : rootSource(client, run.signal, seededRandom(seed));
      await roots.next('first');
      await run.untilStanding('the first root in use everywhere', awaitedPairs);
      say('The first root is in use everywhere');
      await rotate(run, steps, roots);
      await run.settle();
      say('Everything is on the current root, unused roots are retired');
      const ready = () => awaitedReady(world, [...run.watchers.keys()], run.signal);
      await until('all Ready', ready, { timeoutMs: 30_000, signal: run.signal });
      return [];
    },
    conclude: (_, judgement) => {
      for (const line of speedLines(judgement.rotations, pace.policy)) say(line);
      return {
        problems: shortfalls(judgement, steps, byCertManager),
        details: { seed, ...speedOf(judgement.rotations, pace.policy) },
      };
    },
  });
}

/** Writes one root after the other as planned. */
export async function rotate(
  run: LiveRun,
  steps: readonly RotationStep[],
  roots: Pick<RootSource, 'next'>,
): Promise<void> {
  let writtenMs = performance.now();
  for (const [index, { kind, afterMs }] of steps.entries()) {
    if (afterMs === null) await run.untilStanding(`rotation ${index} proven everywhere`, awaitedPairs);
    // From write to write, so that "a second apart" is one.
    else await pause(writtenMs + afterMs - performance.now(), run.signal);
    run.signal.throwIfAborted();
    const rootDigest = await roots.next(kind);
    writtenMs = performance.now();
    run.recorder.mark({ kind, rootDigest });
    const when = afterMs === null ? 'after the one before' : `${afterMs / 1_000} s after the one before`;
    run.say(`Rotation ${index + 1} of ${steps.length}: ${kind} ${rootDigest.slice(0, 12)}, ${when}`);
  }
}

/** What the recording lacks of what was planned: a plan that did not come about proves nothing. */
function shortfalls(
  { rotations, overlapping }: Judgement,
  steps: readonly RotationStep[],
  byCertManager: boolean,
): string[] {
  const count = (of: readonly { readonly kind: string }[], kind: string) =>
    of.filter((one) => one.kind === kind).length;
  const hurried = steps.filter(({ afterMs }) => afterMs !== null).length;
  // One of those planned to overlap may be proven sooner than thought; half of all is what has to be shown. A root of
  // cert-manager's comes when its key of 4096 bits is found, after those of the clients maybe: nobody can plan that.
  const wanted = byCertManager ? 0 : steps.length >= 10 ? Math.ceil(steps.length / 2) : hurried;
  const secondApart = rotations.filter(({ atMs }, index) => atMs - (rotations[index - 1]?.atMs ?? 0) < 2_000).length;
  return [
    ...(rotations.length === steps.length ? [] : [`${rotations.length} rotations were seen, not ${steps.length}`]),
    ...(overlapping >= wanted ? [] : [`${overlapping} rotations overlapped, fewer than ${wanted}`]),
    ...(hurried > 0 && secondApart === 0 && !byCertManager
      ? ['No rotation came about a second after the one before']
      : []),
    ...(['renew', 'return'] as const)
      .filter((kind) => count(rotations, kind) < count(steps, kind))
      .map((kind) => `${count(rotations, kind)} rotations of the kind ${kind} were seen, not ${count(steps, kind)}`),
  ];
}
