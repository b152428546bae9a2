import type { History } from '../../src/checker/history.ts';
import type { Outcome } from '../../src/checker/outcome.ts';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';
import { pause } from '../../world/wait.ts';
import { type Awaited, awaitedPairs } from '../awaited.ts';
import { readDomain } from '../domain-status.ts';
import type { LiveRun } from '../live-run.ts';
import { type Findings, namesOf, play, type Stage } from '../play.ts';
import { type RootSource, rootSource } from '../root-source.ts';
import { heldOf, isSignedBy, readStanding, type Standing } from '../standing.ts';
import { until } from '../until.ts';

export interface UnreachableOptions {
  readonly runtimes: number;
}

/** No other runtime may get bundle or pair later than this many times the slowest of a rotation without a fault (L2). */
const mostTimesSlower = 1.5;
const undisturbedRotations = 3;

/** A rotation, and whether one runtime's API server was silent in it. */
interface Turn {
  readonly root: string;
  readonly atMs: number;
  readonly silent: boolean;
}

/**
 * The API server of one runtime falls silent, while its watcher goes on calling: for a moment in the middle of a delivery,
 * through two rotations within the policy's time, and through one for longer than that (B18, B44).
 */
export function unreachable(stage: Stage, { runtimes }: UnreachableOptions): Promise<Outcome> {
  const { world, pace, seed, say } = stage;
  const names = namesOf(world, runtimes);
  const victim = names.at(-1) ?? '';
  const others = names.filter((name) => name !== victim);
  const { propagationDelayMs } = pace.policy;
  const unprovableAfterMs = propagationDelayMs * 8 + 6_000;
  const turns: Turn[] = [];
  return play(stage, {
    scenario: 'unreachable',
    runtimes: names,
    policy: { unprovableAfterMs },
    act: async (run) => {
      const problems: string[] = [];
      const roots = rootSource(world.hub.client, run.signal, seededRandom(seed));
      await roots.next('first');
      await run.untilStanding('the first root in use everywhere', awaitedPairs);
      await run.settle();
      const rotate = async (silent: boolean): Promise<void> => {
        const root = await roots.next('rekey');
        run.recorder.mark({ kind: 'rekey', rootDigest: root });
        turns.push({ root, atMs: Date.now(), silent });
      };
      for (let rotation = 0; rotation < undisturbedRotations; rotation += 1) {
        await rotate(false);
        await run.settle();
      }
      say(`${undisturbedRotations} rotations without a fault are over`);

      // A moment, in which requests are under way.
      await rotate(true);
      const goOnSoon = await world.silence(victim);
      await pause(propagationDelayMs / 2, run.signal);
      await goOnSoon();
      await run.settle();
      say(`${victim} was silent for a moment, and has caught up`);

      const goOn = await world.silence(victim);
      const sinceMs = Date.now();
      for (let rotation = 0; rotation < 2; rotation += 1) {
        await rotate(true);
        await othersFollow(run, others);
      }
      problems.push(...(await waitsFor(run, victim, roots)));
      const silentMs = Date.now() - sinceMs;
      if (silentMs > unprovableAfterMs)
        problems.push(`The two rotations took ${silentMs} ms, longer than the policy waits: nothing is shown`);
      await goOn();
      await run.settle();
      say(`${victim} was silent through two rotations, and has caught up`);

      problems.push(...(await givenUp(run, victim, others, rotate, stage)));
      return problems;
    },
    conclude: (history) => othersOnTime(history, turns, others),
  });
}

/** Waits until every other runtime uses a pair of the current root; the one that is silent is not asked. */
async function othersFollow(run: LiveRun, others: readonly string[]): Promise<void> {
  const awaited = async (): Promise<Awaited> => {
    const { root, runtimes } = await standingOf(run, others);
    return [...runtimes].flatMap(([name, { mounted }]) =>
      isSignedBy(mounted.leaf, root) ? [] : [`${name} has not mounted its pair of the current root`],
    );
  };
  await until('the others on the current root', awaited, { timeoutMs: 120_000, signal: run.signal });
}

function standingOf({ world, watchers, signal }: LiveRun, names: readonly string[]): Promise<Standing> {
  const kubelets = new Map(
    [...watchers].flatMap(([name, { kubelet }]) => (names.includes(name) ? [[name, kubelet]] : [])),
  );
  return readStanding(world, kubelets, signal);
}

/** The server has not moved on, and the status names the one that it waits for. */
async function waitsFor(run: LiveRun, victim: string, roots: RootSource): Promise<string[]> {
  const { gateway } = await standingOf(run, []);
  const status = (await readDomain(run.world, run.signal))?.status;
  const { certificatePem } = roots.current();
  return [
    ...(isSignedBy(gateway.leaf, heldOf({ 'tls.crt': certificatePem }).leaf)
      ? [`The server has moved on although ${victim} does not know its root`]
      : []),
    ...(names(status, victim) ? [] : [`The status does not name ${victim}: ${status?.nextStep ?? 'it is empty'}`]),
  ];
}

/** Silent for longer than the policy waits: the server moves on, it fails as was said before, and catches up when it is back. */
async function givenUp(
  run: LiveRun,
  victim: string,
  others: readonly string[],
  rotate: (silent: boolean) => Promise<void>,
  { world, pace, say, signal }: Stage,
): Promise<string[]> {
  const problems: string[] = [];
  const goOn = await world.silence(victim);
  await rotate(true);
  await othersFollow(run, others);
  const before = (await readDomain(world, signal))?.status;
  if (!names(before, victim)) problems.push(`Nothing named ${victim} before it was given up`);
  const switched = async (): Promise<Awaited> => {
    const { root, endpoints } = await standingOf(run, []);
    return [...endpoints].flatMap(([name, { leaf }]) =>
      isSignedBy(leaf, root) ? [] : [`${name} presents no server certificate of the current root`],
    );
  };
  // Failures begin with the first endpoint that presents it, some moments before this is seen.
  const beforeMs = Date.now();
  await until('the server moves on', switched, { timeoutMs: 240_000, signal });
  const waitedMs = Date.now() - beforeMs;
  say(`The server has moved on without ${victim} after ${(waitedMs / 1_000).toFixed(1)} s`);
  await pause(pace.calmMs, signal);
  await goOn();
  await run.untilStanding(`${victim} brought up to date`, awaitedPairs);
  const toMs = Date.now() + pace.requestGraceMs + 10_000;
  run.recorder.known({
    runtime: victim,
    fromMs: beforeMs,
    toMs,
    cause: 'it was unprovable for longer than the policy waits',
  });
  await run.settle();
  const sentBefore = run.watchers.get(victim)?.traffic.counts();
  await pause(pace.calmMs, signal);
  const sentAfter = run.watchers.get(victim)?.traffic.counts();
  if (sentBefore === undefined || sentAfter === undefined || sentAfter.ok <= sentBefore.ok)
    problems.push(`${victim} sends no request that succeeds after it was brought up to date`);
  return problems;
}

function names(status: object | undefined, runtime: string): boolean {
  return JSON.stringify(status ?? {}).includes(runtime);
}

/** From the recording: how long the others waited for bundle and pair, with and without the fault. */
function othersOnTime({ secrets }: History, turns: readonly Turn[], others: readonly string[]): Findings {
  const slowest = { bundle: { usual: 0, silent: 0 }, pair: { usual: 0, silent: 0 } };
  const problems: string[] = [];
  for (const [index, { root, atMs, silent }] of turns.entries()) {
    const untilMs = turns[index + 1]?.atMs ?? Number.POSITIVE_INFINITY;
    const rootPem = secrets.find(
      ({ role, data }) => role === 'root' && heldOf({ 'ca.crt': data?.['ca.crt'] ?? '' }).roots[0] === root,
    )?.data?.['ca.crt'];
    const signer = heldOf({ 'tls.crt': rootPem ?? '' }).leaf;
    for (const name of others) {
      const versions = secrets.filter(
        (version) =>
          version.role === 'runtime' && version.runtime === name && version.atMs >= atMs && version.atMs < untilMs,
      );
      const first = (is: (texts: Readonly<Record<string, string>>) => boolean): number | undefined =>
        versions.find(({ data }) => is(data ?? {}))?.atMs;
      const bundleMs = first((texts) => heldOf(texts).roots.includes(root));
      const pairMs = first((texts) => isSignedBy(heldOf(texts).leaf, signer));
      for (const [what, ms] of [
        ['bundle', bundleMs],
        ['pair', pairMs],
      ] as const) {
        if (ms === undefined) problems.push(`${name} got no ${what} of ${root.slice(0, 12)}`);
        else
          slowest[what][silent ? 'silent' : 'usual'] = Math.max(slowest[what][silent ? 'silent' : 'usual'], ms - atMs);
      }
    }
  }
  for (const what of ['bundle', 'pair'] as const) {
    const { usual, silent } = slowest[what];
    if (silent > usual * mostTimesSlower)
      problems.push(`A ${what} came after ${silent} ms with one runtime silent, after ${usual} ms without`);
  }
  return { problems, details: { slowest } };
}
