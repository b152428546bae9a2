import type { Outcome } from '../../src/checker/outcome.ts';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';
import { pause } from '../../world/wait.ts';
import { awaitedPairs } from '../awaited.ts';
import { pathOfClientSecret } from '../hub-objects.ts';
import type { LiveRun } from '../live-run.ts';
import { namesOf, play, type Stage } from '../play.ts';
import { type RootSource, rootSource } from '../root-source.ts';
import { digestOf, heldIn, isSignedBy } from '../standing.ts';
import { until } from '../until.ts';

export interface RollbackOptions {
  readonly runtimes: number;
}

/** A root comes back: before it was retired, in the middle of its rotation, and after it was retired; then a Secret from a backup. */
export function rollback(stage: Stage, { runtimes }: RollbackOptions): Promise<Outcome> {
  const { world, pace, seed, say } = stage;
  const names = namesOf(world, runtimes);
  let first = '';
  return play(stage, {
    scenario: 'rollback',
    runtimes: names,
    act: async (run) => {
      const { signal } = run;
      const problems: string[] = [];
      const roots = rootSource(world.hub.client, signal, seededRandom(seed));
      first = await roots.next('first');
      await run.untilStanding('the first root in use everywhere', awaitedPairs);

      const rotate = async (): Promise<string> => {
        const rootDigest = await roots.next('rekey');
        run.recorder.mark({ kind: 'rekey', rootDigest });
        return rootDigest;
      };
      const comeBack = async (expected: 'bundled' | 'retired', when: string): Promise<void> => {
        const { gateway } = await run.standing();
        const found = gateway.roots.includes(first) ? 'bundled' : 'retired';
        if (found !== expected) problems.push(`The first root was ${found} ${when}, not ${expected}`);
        await roots.restore(first);
        run.recorder.mark({ kind: 'return', rootDigest: first });
        say(`The first root comes back ${when}, ${found}`);
        await run.settle();
      };

      await rotate();
      await pause(pace.hurryMs, signal);
      await comeBack('bundled', 'a moment after another one was written');
      await rotate();
      await run.untilStanding('the second root in use everywhere', awaitedPairs);
      await comeBack('bundled', 'when another one is in use everywhere');
      await rotate();
      await run.settle();
      await comeBack('retired', 'when everything has converged on another one');
      await restorePair(run, names, roots, rotate);
      await comeBack('retired', 'at the end');

      const { root } = await run.standing();
      if (root === undefined || digestOf(root) !== first) problems.push('It did not end on the first root');
      return problems;
    },
  });
}

/** The hub's Secret of one runtime is restored with a pair of a root that is retired meanwhile: it must not go out. */
async function restorePair(
  run: LiveRun,
  names: readonly string[],
  roots: RootSource,
  rotate: () => Promise<string>,
): Promise<void> {
  const { world, signal, say } = run;
  const [name = ''] = names;
  const path = pathOfClientSecret(name);
  const backup = await world.hub.client.find(path, signal);
  const former = roots.current().certificate;
  await rotate();
  await run.settle();
  await world.hub.client.send('PATCH', path, {
    body: { data: backup?.['data'] },
    contentType: 'application/merge-patch+json',
    signal,
  });
  say(`The Secret of ${name} in the hub is restored from a backup, with a pair of ${former.digest.slice(0, 12)}`);
  const awaited = async (): Promise<string[]> => {
    const { root, runtimes } = await run.standing();
    const inHub = heldIn(await world.hub.client.find(path, signal)).leaf;
    return [
      ...(isSignedBy(inHub, root) ? [] : ['the hub holds no pair of the current root']),
      ...(isSignedBy(runtimes.get(name)?.secret.leaf, root) ? [] : ['the runtime holds no pair of the current root']),
    ];
  };
  await until(`another pair for ${name}`, awaited, { timeoutMs: 60_000, signal });
}
