import type { History } from '../../src/checker/history.ts';
import type { Outcome } from '../../src/checker/outcome.ts';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';
import { pause } from '../../world/wait.ts';
import { awaitedPairs } from '../awaited.ts';
import { type Findings, namesOf, play, type Stage } from '../play.ts';
import { rootSource } from '../root-source.ts';
import { heldOf } from '../standing.ts';

export interface RenewedRootOptions {
  readonly runtimes: number;
  readonly renewals: number;
}

/** An earlier certificate of the root, and the one that took its place. */
interface Renewal {
  readonly earlier: string;
  readonly later: string;
  readonly earlierEndMs: number;
}

/** A root is renewed with its own key again and again, each time shortly before its earlier certificate ends (B13, B33). */
export function renewedRoot(stage: Stage, { runtimes, renewals }: RenewedRootOptions): Promise<Outcome> {
  const { world, pace, seed, say } = stage;
  const names = namesOf(world, runtimes);
  const { propagationDelayMs, skewMarginMs } = pace.policy;
  // The server certificate ends with its root, and another one is used only when it has been valid for the margin.
  const shortestLeadMs = skewMarginMs + pace.slowGatewayMs + 1_500;
  const lifeMs = shortestLeadMs + propagationDelayMs * 2 + 3_000;
  const done: Renewal[] = [];
  return play(stage, {
    scenario: 'renewed-root',
    runtimes: names,
    act: async (run) => {
      const { signal } = run;
      const random = seededRandom(seed);
      const roots = rootSource(world.hub.client, signal, random);
      await roots.next('first', { lifeMs });
      await run.untilStanding('the first root in use everywhere', awaitedPairs);
      for (let renewal = 1; renewal <= renewals; renewal += 1) {
        const { digest: earlier, notAfterMs: earlierEndMs } = roots.current().certificate;
        const leadMs = shortestLeadMs + random() * pace.mountDelay.maxMs;
        await pause(earlierEndMs - leadMs - Date.now(), signal);
        const later = await roots.next('renew', renewal === renewals ? {} : { lifeMs });
        run.recorder.mark({ kind: 'renew', rootDigest: later });
        say(
          `Renewal ${renewal} of ${renewals}: ${later.slice(0, 12)}, ${Math.round(leadMs)} ms before the earlier one ends`,
        );
        done.push({ earlier, later, earlierEndMs });
        await run.untilStanding('the renewed root in use everywhere', awaitedPairs);
        await pause(earlierEndMs - Date.now(), signal);
      }
      await run.settle();
      await pause(pace.calmMs, signal);
      return [];
    },
    conclude: (history) => {
      const bothInUse = done.filter((renewal) => inUseTogether(history, renewal)).length;
      const { problems, details } = reissued(history, names);
      return { problems, details: { ...details, renewals, bothInUse } };
    },
  });
}

/** Whether an endpoint or a client had both certificates when the earlier one ended. */
function inUseTogether({ endpoints, swaps }: History, { earlier, later, earlierEndMs }: Renewal): boolean {
  const last = new Map<string, string>();
  for (const { atMs, endpoint, caPem } of endpoints) if (atMs <= earlierEndMs) last.set(endpoint, caPem ?? '');
  for (const { atMs, runtime, data } of swaps) if (atMs <= earlierEndMs) last.set(runtime, data?.['ca.crt'] ?? '');
  return [...last.values()].some((pem) => {
    const { roots } = heldOf({ 'ca.crt': pem });
    return roots.includes(earlier) && roots.includes(later);
  });
}

/** Every pair of a runtime but the first is one without need: its signer's key never changed. */
function reissued({ secrets }: History, names: readonly string[]): Findings {
  const serials = names.map((name) => {
    const seen = secrets
      .filter(({ role, runtime }) => role === 'hub-client' && runtime === name)
      .map(({ data }) => heldOf({ 'tls.crt': data?.['tls.crt'] ?? '' }).leaf?.serialNumber)
      .filter((serial) => serial !== undefined);
    return { name, count: new Set(seen).size };
  });
  return {
    problems: serials.flatMap(({ name, count }) =>
      count === 1 ? [] : [`${name} was issued ${count} certificates, not one`],
    ),
    details: { certificatesPerRuntime: Math.max(...serials.map(({ count }) => count)) },
  };
}
