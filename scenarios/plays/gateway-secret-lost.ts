import type { History } from '../../src/checker/history.ts';
import type { Outcome } from '../../src/checker/outcome.ts';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';
import type { ClusterClient } from '../../world/cluster-client.ts';
import { awaitedPairs } from '../awaited.ts';
import { gatewaySecretPath } from '../hub-objects.ts';
import type { LiveRun } from '../live-run.ts';
import { type Findings, namesOf, play, type Stage } from '../play.ts';
import { rootSource } from '../root-source.ts';
import { certificatesIn, heldOf, isSignedBy } from '../standing.ts';
import { until } from '../until.ts';
import { inPhase, PhaseMissed, type RotationPhase, rotationPhases } from './rotation-phases.ts';

export interface GatewaySecretLostOptions {
  readonly runtimes: number;
  /** Each damage in one phase only, and not in every one. */
  readonly short: boolean;
}

/** What becomes of the gateway Secret (B59). */
const damages = ['deleted', 'emptied', 'left without data', 'replaced by rubbish'] as const;
type Damage = (typeof damages)[number];
type When = RotationPhase | 'at rest';

interface Loss {
  readonly when: When;
  readonly damage: Damage;
  readonly atMs: number;
  /** Digests of the bundle before. */
  readonly before: readonly string[];
  readonly closing: readonly string[];
}

const mostTries = 5;

/** The gateway Secret is lost in each phase of a rotation, in each of some ways, and the operator puts it together again. */
export function gatewaySecretLost(stage: Stage, { runtimes, short }: GatewaySecretLostOptions): Promise<Outcome> {
  const { world, pace, seed, say } = stage;
  const losses: Loss[] = [];
  return play(stage, {
    scenario: 'gateway-secret-lost',
    runtimes: namesOf(world, runtimes),
    act: async (run) => {
      const roots = rootSource(world.hub.client, run.signal, seededRandom(seed));
      await roots.next('first');
      await run.untilStanding('the first root in use everywhere', awaitedPairs);
      await run.settle();
      for (const [when, damage] of planned(short)) {
        const loss = await lose(run, when, damage, async () => {
          const rootDigest = await roots.next('rekey');
          run.recorder.mark({ kind: 'rekey', rootDigest });
        });
        losses.push(loss);
        const { atMs } = loss;
        const restored = await restoredWithin(run);
        // What the endpoints were told while it was gone may go on for as long as they take, and a request for its grace.
        const toMs = Date.now() + pace.slowGatewayMs + pace.requestGraceMs + 1_000;
        run.recorder.known({ fromMs: atMs, toMs, cause: `the gateway Secret was ${damage}` });
        say(
          `${when}: the gateway Secret was ${damage}, and is restored after ${((restored - atMs) / 1_000).toFixed(1)} s`,
        );
        await run.settle();
      }
      return [];
    },
    conclude: (history) => rootsLost(history, losses),
  });
}

function planned(short: boolean): readonly (readonly [When, Damage])[] {
  const times: readonly When[] = ['at rest', ...rotationPhases];
  if (!short) return times.flatMap((when) => damages.map((damage) => [when, damage] as const));
  const some: readonly When[] = ['at rest', 'gateway unproven', 'switch pending', 'switched'];
  return some.map((when, index) => [when, damages[index] ?? 'deleted'] as const);
}

async function lose(run: LiveRun, when: When, damage: Damage, rotate: () => Promise<void>): Promise<Loss> {
  let loss: Loss | undefined;
  const act = async (): Promise<void> => {
    const { gateway, closing } = await run.standing();
    loss = { when, damage, atMs: Date.now(), before: gateway.roots, closing };
    await damageSecret(run.world.hub.client, damage, run.signal);
  };
  for (let attempt = 1; loss === undefined; attempt += 1) {
    if (when === 'at rest') {
      await act();
      continue;
    }
    await rotate();
    try {
      await inPhase(when, run, act);
    } catch (error) {
      if (!(error instanceof PhaseMissed) || attempt === mostTries) throw error;
      run.say(`${error.message}; once more`);
      await run.settle();
    }
  }
  return loss;
}

async function damageSecret(client: ClusterClient, damage: Damage, signal: AbortSignal): Promise<void> {
  if (damage === 'deleted') {
    await client.send('DELETE', gatewaySecretPath, { signal });
    return;
  }
  const value = (text: string | null): string | null => (text === null ? null : Buffer.from(text).toString('base64'));
  const all = (text: string) => ({ 'tls.crt': value(text), 'tls.key': value(text), 'ca.crt': value(text) });
  const data = { emptied: all(''), 'left without data': null, 'replaced by rubbish': all('no certificate') }[damage];
  await client.send('PATCH', gatewaySecretPath, {
    body: { data },
    contentType: 'application/merge-patch+json',
    signal,
  });
}

/** @returns when it was seen to hold a pair, and the root of every pair that is mounted */
async function restoredWithin(run: LiveRun): Promise<number> {
  const awaited = async (): Promise<string[]> => {
    const secret = await run.world.hub.client.find(gatewaySecretPath, run.signal);
    const { 'ca.crt': bundle = '' } = (secret?.['data'] ?? {}) as Readonly<Record<string, string>>;
    const bundled = certificatesIn(Buffer.from(bundle, 'base64').toString());
    const { gateway, runtimes } = await run.standing();
    const held = [...runtimes].filter(([, { mounted }]) => mounted.leaf !== undefined);
    return [
      ...(gateway.leaf === undefined ? ['the gateway Secret holds no server certificate'] : []),
      ...(bundled.length > 0 ? [] : ['the gateway Secret holds no root']),
      ...held.flatMap(([name, { mounted }]) =>
        bundled.some((root) => isSignedBy(mounted.leaf, root))
          ? []
          : [`the gateway Secret lacks the root of the pair of ${name}`],
      ),
    ];
  };
  await until('the gateway Secret restored', awaited, { timeoutMs: 60_000, everyMs: 50, signal: run.signal });
  return Date.now();
}

/** A root that stood in the bundle and was not about to leave has to stand in what was restored first. */
function rootsLost({ secrets }: History, losses: readonly Loss[]): Findings {
  const versions = secrets.filter(({ role }) => role === 'gateway');
  const restoredMs: number[] = [];
  const problems = losses.flatMap(({ when, damage, atMs, before, closing }) => {
    const restored = versions.find(
      (version) => version.atMs > atMs && heldOf({ 'ca.crt': version.data?.['ca.crt'] ?? '' }).roots.length > 0,
    );
    if (restored === undefined) return [`${when}, ${damage}: nothing was restored`];
    restoredMs.push(restored.atMs - atMs);
    const { roots } = heldOf({ 'ca.crt': restored.data?.['ca.crt'] ?? '' });
    const lost = before.filter((digest) => !roots.includes(digest) && !closing.includes(digest));
    return lost.length === 0
      ? []
      : [`${when}, ${damage}: ${lost.map((digest) => digest.slice(0, 8)).join(', ')} was lost`];
  });
  return { problems, details: { losses: losses.length, slowestRestoredMs: Math.max(0, ...restoredMs) } };
}
