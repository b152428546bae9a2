import { X509Certificate } from 'node:crypto';
import type { History } from '../../src/checker/history.ts';
import type { Outcome } from '../../src/checker/outcome.ts';
import { seededRandom } from '../../src/sandbox/seeded-random.ts';
import { awaitedPairs } from '../awaited.ts';
import { pathOfClientSecret } from '../hub-objects.ts';
import type { LiveRun } from '../live-run.ts';
import { type Findings, namesOf, play, type Stage } from '../play.ts';
import type { Policy } from '../policy.ts';
import { rootSource } from '../root-source.ts';
import { digestOf, heldOf, isSignedBy } from '../standing.ts';
import { until } from '../until.ts';
import { setIssuing } from './set-issuing.ts';

export interface NaturalRenewalOptions {
  readonly runtimes: number;
  readonly rotations: number;
}

/**
 * cert-manager renews client certificates with the new root while an Envoy does not know that root yet. The pairs lie in the
 * hub, and must not go out before the Envoy is proven.
 */
export function naturalRenewal(stage: Stage, { runtimes, rotations }: NaturalRenewalOptions): Promise<Outcome> {
  const { world, pace, seed, say } = stage;
  const names = namesOf(world, runtimes);
  const changed: X509Certificate[] = [];
  return play(stage, {
    scenario: 'natural-renewal',
    runtimes: names,
    act: async (run) => {
      const { signal } = run;
      const { client } = world.hub;
      const roots = rootSource(client, signal, seededRandom(seed));
      await roots.next('first');
      await run.untilStanding('the first root in use everywhere', awaitedPairs);
      const slow = world.gateway.endpoints.length - 1;
      // The gateway's proof outlasts the wait for the API servers, or that wait alone would hold the pairs back.
      world.gateway.setDelayMs(slow, pace.policy.propagationDelayMs + pace.calmMs);
      try {
        for (let rotation = 1; rotation <= rotations; rotation += 1) {
          const rootDigest = await roots.next('rekey');
          run.recorder.mark({ kind: 'rekey', rootDigest });
          changed.push(new X509Certificate(roots.current().certificatePem));
          // At once, before the operator asks for anything: this renewal is the issuer's own.
          await Promise.all(names.map((name) => setIssuing(client, `${name}-webhook-tls`, signal)));
          await renewedBeforeProof(run, names, rotation);
          await run.untilStanding(`rotation ${rotation} proven everywhere`, awaitedPairs);
        }
      } finally {
        world.gateway.setDelayMs(slow, pace.slowGatewayMs);
      }
      await run.settle();
      return [];
    },
    conclude: (history) => {
      const found = goneOut(history, names, changed, pace.policy);
      for (const line of found.lines) say(line);
      return found;
    },
  });
}

/** Waits for the issuer's pairs, and has one renewed once more while the gateway is still unproven. */
async function renewedBeforeProof(run: LiveRun, names: readonly string[], rotation: number): Promise<void> {
  const { world, signal, say } = run;
  const hubPair = async (name: string) => {
    const secret = await world.hub.client.find(pathOfClientSecret(name), signal);
    const data = (secret?.['data'] ?? {}) as Readonly<Record<string, string>>;
    return heldOf({ 'tls.crt': Buffer.from(data['tls.crt'] ?? '', 'base64').toString() }).leaf;
  };
  const awaited = async (): Promise<string[]> => {
    const { root } = await run.standing();
    const pairs = await Promise.all(names.map(async (name) => [name, await hubPair(name)] as const));
    return pairs
      .filter(([, pair]) => !isSignedBy(pair, root))
      .map(([name]) => `a pair of the new root for ${name} in the hub`);
  };
  await until('cert-manager has renewed with the new root', awaited, { timeoutMs: 60_000, everyMs: 100, signal });
  const [first = ''] = names;
  await setIssuing(world.hub.client, `${first}-webhook-tls`, signal);
  say(`Rotation ${rotation}: all pairs of the new root are in the hub, the slow Envoy does not know it yet`);
}

/** From the recording: which pairs of a new root were there too early, and whether there was anything to hold back. */
function goneOut(
  history: History,
  names: readonly string[],
  roots: readonly X509Certificate[],
  policy: Policy,
): Findings & { readonly lines: readonly string[] } {
  const problems: string[] = [];
  const lines: string[] = [];
  const heldBackMs: number[] = [];
  for (const root of roots) {
    const digest = digestOf(root);
    const knownMs = gatewayKnowsMs(history, digest);
    if (knownMs === null) {
      problems.push(`No endpoint was seen to know root ${digest.slice(0, 12)}`);
      continue;
    }
    for (const name of names) {
      const firstMs = (role: 'hub-client' | 'runtime') =>
        history.secrets.find(
          ({ data, ...version }) =>
            version.role === role &&
            version.runtime === name &&
            isSignedBy(heldOf({ 'tls.crt': data?.['tls.crt'] ?? '' }).leaf, root),
        )?.atMs;
      const [inHubMs, inRuntimeMs] = [firstMs('hub-client'), firstMs('runtime')];
      if (inHubMs === undefined || inRuntimeMs === undefined) {
        problems.push(`No pair of root ${digest.slice(0, 12)} was seen for ${name}`);
        continue;
      }
      // Less, and the pair might have been held back by another wait than the gateway's proof.
      if (knownMs - inHubMs <= policy.propagationDelayMs) {
        problems.push(`The pair of ${name} was issued too late before the gateway knew its root: nothing is shown`);
      }
      if (inRuntimeMs < knownMs)
        problems.push(`The pair of ${name} went out ${knownMs - inRuntimeMs} ms before the gateway knew its root`);
      heldBackMs.push(inRuntimeMs - inHubMs);
      lines.push(
        `${name}: pair of ${digest.slice(0, 12)} in the hub ${((knownMs - inHubMs) / 1_000).toFixed(1)} s before the last Envoy knew the root, in the runtime ${((inRuntimeMs - knownMs) / 1_000).toFixed(1)} s after`,
      );
    }
  }
  return {
    problems,
    lines,
    details: { pairsHeldBack: heldBackMs.length, shortestHeldBackMs: Math.min(...heldBackMs) },
  };
}

/** When the last endpoint was first seen with the root in its bundle. */
function gatewayKnowsMs({ endpoints }: History, digest: string): number | null {
  const first = new Map<string, number | null>();
  for (const { endpoint, atMs, caPem, caLoadedAtMs } of endpoints) {
    const known = first.get(endpoint) ?? null;
    const knows = heldOf({ 'ca.crt': caPem ?? '' }).roots.includes(digest);
    first.set(endpoint, known ?? (knows ? (caLoadedAtMs ?? atMs) : null));
  }
  const times = [...first.values()];
  return times.includes(null) || times.length === 0 ? null : Math.max(...times.filter((ms) => ms !== null));
}
