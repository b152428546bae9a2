import type { Outcome } from '../../src/checker/outcome.ts';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';
import { awaitedPairs } from '../awaited.ts';
import { awaitedReady } from '../domain-status.ts';
import { namesOf, play, type Stage } from '../play.ts';
import { rootSource } from '../root-source.ts';
import { until } from '../until.ts';
import { inPhase, PhaseMissed, type RotationPhase, rotationPhases } from './rotation-phases.ts';

export interface JoinOptions {
  /** Runtimes that are there from the start. */
  readonly runtimes: number;
  /** @default all */
  readonly phases?: readonly RotationPhase[];
}

const mostTries = 5;
/** Some seconds' worth at ten a second. */
const enoughRequests = 50;

/** In each phase of a rotation, each of a rotation of its own, another runtime joins. */
export async function join(stage: Stage, { runtimes, phases = rotationPhases }: JoinOptions): Promise<Outcome> {
  const { world, seed, say, signal } = stage;
  const first = namesOf(world, runtimes);
  const joiners = phases.map((phase, index) => ({ phase, name: `joiner-${index + 1}` }));
  const started: string[] = [];
  const joinedIn: Record<string, string> = {};
  try {
    // One after the other: each start keeps both cores busy, and the joining itself is one write to the hub.
    for (const { name } of joiners) {
      await world.addRuntime(name, signal);
      started.push(name);
    }
    say(`${joiners.length} more runtimes are started, not yet in the fleet`);
    return await play(stage, {
      scenario: 'join',
      runtimes: first,
      act: async (run) => {
        const roots = rootSource(world.hub.client, run.signal, seededRandom(seed));
        await roots.next('first');
        await run.untilStanding('the first root in use everywhere', awaitedPairs);
        for (const { phase, name } of joiners) {
          await run.attend(name);
          for (let attempt = 1; joinedIn[phase] === undefined; attempt += 1) {
            const rootDigest = await roots.next('rekey');
            run.recorder.mark({ kind: 'rekey', rootDigest });
            try {
              await inPhase(phase, run, () => run.join(name));
              joinedIn[phase] = name;
              say(`${name} joined in the phase "${phase}" of ${rootDigest.slice(0, 12)}`);
            } catch (error) {
              if (!(error instanceof PhaseMissed) || attempt === mostTries) throw error;
              say(`${error.message}; once more`);
            }
            await run.untilStanding('the rotation proven everywhere', awaitedPairs);
          }
        }
        await run.settle();
        const ready = () => awaitedReady(world, [...run.watchers.keys()], run.signal);
        await until('all Ready', ready, { timeoutMs: 30_000, signal: run.signal });
        // Whoever joined last may have got his first pair a moment ago, and says nothing yet.
        const silent = async () =>
          [...run.watchers]
            .filter(([, watcher]) => watcher.traffic.counts().sent < enoughRequests)
            .map(([name]) => `${name} has not sent ${enoughRequests} requests`);
        await until('traffic of every runtime', silent, { timeoutMs: 60_000, signal: run.signal });
        return [];
      },
      conclude: () => {
        const missed = phases.filter((phase) => joinedIn[phase] === undefined);
        return { problems: missed.map((phase) => `Nobody joined in the phase "${phase}"`), details: { joinedIn } };
      },
    });
  } finally {
    for (const name of started) await world.removeRuntime(name);
  }
}
