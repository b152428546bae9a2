import { X509Certificate } from 'node:crypto';
import { brokenOff, type Outcome } from '../src/checker/outcome.ts';
import { openScreen, type Screen } from '../src/cli/screen.ts';
import { seededRandom } from '../src/sandbox/seeded-random.ts';
import { pause } from '../world/wait.ts';
import { awaitedPairs } from './awaited.ts';
import { type DemoView, plainLines, tableLines } from './demo-table.ts';
import { readDomain, readRecords } from './domain-status.ts';
import type { LiveRun } from './live-run.ts';
import { buildPartsFirst } from './parts-first.ts';
import { play, type Stage } from './play.ts';
import { rotate } from './plays/rotation.ts';
import { type RootSource, rootSource } from './root-source.ts';
import { planRotations } from './rotation-plan.ts';
import { speedLines } from './rotation-speed.ts';
import { sayWithSeconds } from './say.ts';
import { onStage } from './stage.ts';
import { stoppedBySignals } from './stop-on-signal.ts';

/** `npm run demo`: a hub, three runtimes, a gateway of two Envoys, live traffic and three rotations. */
const runtimes = 3;
const rotations = 3;
const seed = 1;

const screen = openScreen(process.stdout, process.env);
const say = sayWithSeconds((line) => screen.line(line));

async function perform(stage: Stage, startedMs: number): Promise<Outcome> {
  const names: { readonly name: string; readonly certificate: X509Certificate }[] = [];
  return play(stage, {
    scenario: 'demo',
    runtimes: stage.world.runtimes().map(({ name }) => name),
    act: async (run) => {
      const roots = named(rootSource(stage.world.hub.client, run.signal, seededRandom(seed)), names);
      const ending = new AbortController();
      const showing = show(run, names, AbortSignal.any([run.signal, ending.signal]));
      try {
        await roots.next('first');
        say('The first root is written; the operator creates the gateway Secret and has certificates issued');
        await trafficFlows(run);
        say(`Traffic flows ${((performance.now() - startedMs) / 1_000).toFixed(0)} s after the start`);
        await run.untilStanding('the first root in use everywhere', awaitedPairs);
        await rotate(run, planRotations({ rotations, seed, hurryMs: stage.pace.hurryMs }), roots);
        await run.settle();
        // Once more, so that the end is seen.
        await pause(2_000, run.signal);
      } finally {
        ending.abort();
        await showing;
        screen.end();
      }
      return [];
    },
    conclude: (_, judgement) => {
      for (const line of speedLines(judgement.rotations, stage.pace.policy)) say(line);
      return { problems: judgement.rotations.length < rotations ? ['Not all rotations took place'] : [] };
    },
  });
}

/** Gives each root that is written a name by its number; one that returns keeps its own. */
function named(roots: RootSource, names: { name: string; certificate: X509Certificate }[]): Pick<RootSource, 'next'> {
  return {
    async next(kind) {
      const digest = await roots.next(kind);
      const certificate = new X509Certificate(roots.current().certificatePem);
      if (!names.some((one) => one.certificate.raw.equals(certificate.raw))) {
        names.push({ name: `root ${names.length + 1}`, certificate });
      }
      return digest;
    },
  };
}

async function trafficFlows({ watchers, signal }: LiveRun): Promise<void> {
  const answered = () => [...watchers.values()].every(({ traffic }) => traffic.counts().ok > 0);
  while (!answered()) {
    signal.throwIfAborted();
    await pause(100, signal);
  }
}

/** Draws the table once a second; on a pipe every five seconds as sentences. */
async function show(run: LiveRun, roots: DemoView['roots'], signal: AbortSignal): Promise<void> {
  const everyMs = screen.isTerminal ? 1_000 : 5_000;
  while (!signal.aborted) {
    try {
      const [standing, domain, records] = await Promise.all([
        run.standing(),
        readDomain(run.world, signal),
        readRecords(run.world, signal),
      ]);
      const traffic = new Map([...run.watchers].map(([name, watcher]) => [name, watcher.traffic.counts()]));
      const { propagationDelayMs } = run.policy;
      draw(screen, { standing, domain, records, traffic, roots: [...roots], propagationDelayMs });
    } catch (error) {
      if (!signal.aborted)
        say(`The table could not be read: ${error instanceof Error ? error.message : String(error)}`);
    }
    await pause(everyMs, signal);
  }
}

function draw(on: Screen, view: DemoView): void {
  if (on.isTerminal) on.table(['', ...tableLines(view, on.paint)]);
  else for (const line of plainLines(view)) say(line);
}

function tellSummary(outcome: Outcome): void {
  const { ok, requests, failed, violations, rotations: seen, overlapping, seconds, perSecond } = outcome;
  for (const problem of outcome.problems) screen.line(screen.paint('red', `Did not hold: ${problem}`));
  const text = [
    `${seen} rotations (${overlapping} before the one before had finished) in ${Math.round(seconds)} s`,
    `${requests} requests, ${failed} failed, at least ${perSecond} a second per runtime`,
    `${violations} violations of what must always hold`,
  ].join('; ');
  screen.line(screen.paint(ok ? 'green' : 'red', `${ok ? 'All held' : 'Not all held'}: ${text}`));
}

async function main(): Promise<number> {
  const startedMs = performance.now();
  say(
    `The demo runs ${runtimes} real runtime clusters, a hub and a gateway through ${rotations} rotations, about 2 minutes`,
  );
  const outcome = await stoppedBySignals(async (signal) => {
    try {
      await buildPartsFirst(say, signal);
      const builtMs = performance.now();
      return await onStage({ world: 'real', runtimes, seed, say, signal }, (stage) => perform(stage, builtMs));
    } catch (error) {
      screen.end();
      const text = error instanceof Error ? error.message : String(error);
      return brokenOff('demo', (performance.now() - startedMs) / 1_000, text);
    }
  });
  tellSummary(outcome);
  return outcome.ok ? 0 : 1;
}

process.exitCode = await main();
