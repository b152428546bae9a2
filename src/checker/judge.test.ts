import { beforeAll, describe, expect, it } from 'vitest';
import { historyOf } from './history.ts';
import { type Judgement, judge } from './judge.ts';
import { type PlantedPair, type PlantedRoot, plantPair, plantRoot } from './planted-certificates.ts';
import { ms, PlantedHistory } from './planted-history.ts';

const runtimes = ['r1', 'r2'];
let a: PlantedRoot;
let b: PlantedRoot;
let serverA: PlantedPair;
let serverB: PlantedPair;
const clientA: Record<string, PlantedPair> = {};
const clientB: Record<string, PlantedPair> = {};

beforeAll(async () => {
  a = await plantRoot('a');
  b = await plantRoot('b');
  serverA = await plantPair(a, 'listener.kyma.local');
  serverB = await plantPair(b, 'listener.kyma.local');
  for (const runtime of runtimes) {
    clientA[runtime] = await plantPair(a, runtime);
    clientB[runtime] = await plantPair(b, runtime);
  }
});

/** When each step of a rotation from root a to root b happens, in seconds. */
const goodTimes = {
  root: 60,
  gatewayBundle: 61,
  fastLoadsBundle: 61.5,
  slowLoadsBundle: 68,
  caBundle: 61.2,
  bundle: { r1: 62, r2: 63 } as Record<string, number>,
  issued: 64,
  pair: { r1: 70, r2: 71 } as Record<string, number>,
  switched: 80,
  fastPresentsB: 80.5,
  slowPresentsB: 86,
  retired: 100,
  fastDropsA: 100.5,
  slowDropsA: 106,
  runtimesDropA: 110,
  caBundleDropsA: 110.5,
};

function rotation(changed: Partial<typeof goodTimes> = {}): PlantedHistory {
  const at = { ...goodTimes, ...changed };
  const history = bootstrapped();
  history.root(at.root, b);
  history.gateway(at.gatewayBundle, [b, a], serverA);
  for (const runtime of runtimes) {
    history.caBundle(at.caBundle, runtime, [b, a]);
    history.delivered(at.bundle[runtime] ?? 0, runtime, [b, a], client(clientA, runtime));
    history.issued(at.issued, runtime, client(clientB, runtime));
    history.delivered(at.pair[runtime] ?? 0, runtime, [b, a], client(clientB, runtime));
  }
  history.gateway(at.switched, [b, a], serverB);
  history.gateway(at.retired, [b], serverB);
  // Each endpoint follows the gateway Secret in its own time.
  history.endpoint(at.fastLoadsBundle, 'fast', [b, a], serverA).endpoint(at.slowLoadsBundle, 'slow', [b, a], serverA);
  history.endpoint(at.fastPresentsB, 'fast', [b, a], serverB).endpoint(at.slowPresentsB, 'slow', [b, a], serverB);
  history.endpoint(at.fastDropsA, 'fast', [b], serverB).endpoint(at.slowDropsA, 'slow', [b], serverB);
  for (const runtime of runtimes) {
    history.delivered(at.runtimesDropA, runtime, [b], client(clientB, runtime));
    history.caBundle(at.caBundleDropsA, runtime, [b]);
  }
  return history;
}

function bootstrapped(): PlantedHistory {
  const history = new PlantedHistory();
  history.root(0, a).gateway(1, [a], serverA).endpoint(2, 'fast', [a], serverA).endpoint(2, 'slow', [a], serverA);
  for (const runtime of runtimes) {
    history.issued(3, runtime, client(clientA, runtime));
    history.caBundle(4, runtime, [a]);
    history.delivered(6, runtime, [a], client(clientA, runtime));
  }
  return history;
}

function client(pairs: Record<string, PlantedPair>, runtime: string): PlantedPair {
  const pair = pairs[runtime];
  if (pair === undefined) throw new Error(`No pair was planted for ${runtime}`);
  return pair;
}

function judged(history: PlantedHistory): Judgement {
  return judge(historyOf(history.entries));
}

function seen({ violations }: Judgement): string[] {
  return violations.map(({ rule, runtime, endpoint }) => [rule, runtime, endpoint].filter(Boolean).join(' '));
}

describe('a rotation that keeps all rules', () => {
  it('has no violation, and everything ends on the new root', () => {
    const result = judged(rotation());
    expect(result.violations).toEqual([]);
    expect(result.ok).toBe(true);
    expect(result.judged.S1).toBeGreaterThan(8);
    expect(result.judged.S2).toBeGreaterThan(8);
    expect(result.judged.S3).toBeGreaterThan(4);
    expect(result.ending).toMatchObject({
      pairsOfOlderRoots: [],
      otherBundles: [],
      serversOfOlderRoots: [],
      rootsLeft: [],
    });
  });

  it('tells how long each step took from the new root on', () => {
    expect(judged(rotation()).rotations).toEqual([
      expect.objectContaining({
        kind: 'rekey',
        overlapping: false,
        unhurried: true,
        bundleMs: 3_000,
        issuerMs: 4_000,
        pairMs: 11_000,
        pairAfterIssuerMs: 7_000,
        serverWrittenMs: 20_000,
        switchAfterBundleMs: 17_000,
        serverMs: 26_000,
        oldRootLeftMs: 40_000,
      }),
    ]);
  });
});

describe('S1', () => {
  it('is violated by a pair that goes out before the slow endpoint has loaded its root', () => {
    const result = judged(rotation({ slowLoadsBundle: 75 }));
    expect(seen(result)).toEqual(['S1 r1 slow', 'S1 r2 slow']);
    expect(result.violations[0]).toMatchObject({ atMs: ms(71), untilMs: ms(75) });
    expect(result.violations[0]?.detail).toMatch(
      /^client certificate [0-9a-f]{12} is signed by no root of the bundle$/,
    );
  });

  it('is violated by a root that leaves while the folder of one runtime still shows a pair of it', () => {
    const result = judged(rotation({ pair: { r1: 70, r2: 103 }, caBundleDropsA: 120 }));
    expect(seen(result)).toEqual(['S1 r2 fast', 'S1 r2 slow']);
    // Gone from the endpoint at some instant between its two samples, and shown by the client until the grace ends.
    expect(result.violations[0]).toMatchObject({ atMs: ms(100.4), untilMs: ms(114) });
  });

  it('counts a request under way at the swap as using the old pair', () => {
    const result = judged(rotation({ pair: { r1: 70, r2: 92 } }));
    expect(seen(result)).toEqual(['S1 r2 fast']);
    const impatient = rotation({ pair: { r1: 70, r2: 92 } }).settings({ requestGraceMs: 1_000 });
    expect(seen(judged(impatient))).toEqual([]);
  });

  it('is violated by a root that expires in the bundle while a pair of it is in use', async () => {
    const short = await plantRoot('short', { notAfter: new Date(ms(50)) });
    const pair = await plantPair(short, 'r1');
    const history = new PlantedHistory()
      .root(0, short)
      .gateway(1, [short, a], serverA)
      .endpoint(2, 'fast', [short, a], serverA)
      .delivered(3, 'r1', [short, a], pair)
      .endpoint(60, 'fast', [short, a], serverA);
    const result = judged(history);
    expect(seen(result)).toEqual(['S1 r1 fast']);
    expect(result.violations[0]).toMatchObject({ atMs: ms(50), untilMs: ms(60) + 1 });
    expect(result.violations[0]?.detail).toContain('expired');
  });

  it('is violated by a pair that runs out, and by one whose key is another one', async () => {
    const short = await plantPair(a, 'r1', { notAfter: new Date(ms(20)) });
    const late = bootstrapped().delivered(10, 'r1', [a], short).endpoint(30, 'fast', [a], serverA);
    expect(seen(judged(late))).toEqual(['S1 r1 fast', 'S1 r1 slow', 'S3 r1']);
    const mixed = { crt: client(clientA, 'r1').crt, key: client(clientB, 'r1').key };
    const torn = bootstrapped().delivered(10, 'r1', [a], mixed).endpoint(30, 'fast', [a], serverA);
    expect(seen(judged(torn))).toEqual(['S1 r1 fast', 'S1 r1 slow', 'S3 r1']);
    expect(judged(torn).violations[0]?.detail).toBe('certificate and private key do not match');
  });

  it('is kept by a renewed root (same key) while only the old one is in the bundle and unexpired', async () => {
    const renewed = await plantRoot('renewed a', { notAfter: new Date(ms(9_000_000)) }, a.keys);
    const pair = await plantPair(renewed, 'r1');
    const history = bootstrapped()
      .root(20, renewed)
      .issued(22, 'r1', pair)
      .delivered(23, 'r1', [a], pair)
      .gateway(40, [renewed, a], serverA)
      .endpoint(41, 'fast', [renewed, a], serverA);
    const result = judged(history);
    expect(result.violations).toEqual([]);
    expect(result.rotations.map(({ kind }) => kind)).toEqual(['renew']);
  });

  it('is kept by a root that comes back, and that one is told from a new one', () => {
    const history = rotation();
    history
      .root(200, a)
      .gateway(201, [a, b], serverB)
      .endpoint(202, 'fast', [a, b], serverB)
      .endpoint(203, 'slow', [a, b], serverB);
    for (const runtime of runtimes) {
      history.caBundle(204, runtime, [a, b]).delivered(205, runtime, [a, b], client(clientB, runtime));
      history.delivered(220, runtime, [a, b], client(clientA, runtime));
    }
    history.gateway(230, [a, b], serverA).endpoint(231, 'fast', [a, b], serverA).endpoint(232, 'slow', [a, b], serverA);
    const result = judged(history);
    expect(result.violations).toEqual([]);
    expect(result.rotations.map(({ kind }) => kind)).toEqual(['rekey', 'return']);
    expect(result.ending.rootsLeft).toHaveLength(1);
  });

  it('knows that Envoy tries only the first root of a name where the leaf does not say which key signed it', async () => {
    const vague = await plantPair(a, 'r1', { naming: 'issuer' });
    const history = bootstrapped().delivered(10, 'r1', [a], vague).endpoint(20, 'fast', [b, a], serverA);
    history.endpoint(40, 'fast', [b, a], serverA);
    expect(seen(judged(history))).toEqual(['S1 r1 fast']);
  });

  it('is judged over every gateway Secret that an endpoint may have had between two samples', () => {
    const history = bootstrapped().gateway(20, [b], serverA).gateway(20.05, [b, a], serverA);
    history.endpoint(20.09, 'fast', [b, a], serverA);
    const result = judged(history);
    expect(seen(result)).toEqual(['S1 r1 fast', 'S1 r2 fast']);
  });

  it("takes Envoy's own time stamp where the samples leave open when a value changed", () => {
    const pairAt = goodTimes.pair['r1'] ?? 0;
    const samples = (caLoadedAtMs?: number) => {
      const history = rotation({ slowLoadsBundle: 65 });
      const last = { endpoint: 'late', serverPem: serverA.crt } as const;
      const loaded = caLoadedAtMs === undefined ? {} : { caLoadedAtMs };
      return history
        .also({ entry: 'endpoint', atMs: ms(2), caPem: a.pem, ...last })
        .also({ entry: 'endpoint', atMs: ms(pairAt - 5), caPem: a.pem, ...last })
        .also({ entry: 'endpoint', atMs: ms(pairAt + 9), caPem: `${b.pem}\n${a.pem}`, ...last, ...loaded })
        .also({ entry: 'endpoint', atMs: ms(pairAt + 10), caPem: null, endpoint: 'late', serverPem: null });
    };
    expect(seen(judged(samples()))).toEqual(['S1 r1 late', 'S1 r2 late']);
    expect(seen(judged(samples(ms(pairAt))))).toEqual([]);
  });
});

describe('S2', () => {
  it('is violated by a switch before one runtime has the root', () => {
    const result = judged(
      rotation({
        bundle: { r1: 62, r2: 82 },
        pair: { r1: 70, r2: 90 },
        retired: 120,
        fastDropsA: 120.5,
        slowDropsA: 121,
        runtimesDropA: 130,
        caBundleDropsA: 131,
      }),
    );
    expect(seen(result)).toEqual(['S2 r2 fast', 'S2 r2 slow']);
    expect(result.violations[0]).toMatchObject({ atMs: ms(80.4), untilMs: ms(93) });
  });

  it('is violated by a server certificate that does not cover the host', () => {
    const history = rotation().settings({ gatewayHost: 'other.kyma.local' });
    expect(new Set(seen(judged(history)))).toEqual(new Set(['S2 r1 fast', 'S2 r1 slow', 'S2 r2 fast', 'S2 r2 slow']));
    expect(seen(judged(rotation().settings({ gatewayHost: 'listener.kyma.local' })))).toEqual([]);
  });

  it('is kept by a gateway that presents the root itself', () => {
    const itself = { crt: a.pem, key: a.keyPem };
    const history = new PlantedHistory()
      .settings({ gatewayPresentsRoot: true })
      .root(0, a)
      .gateway(1, [a], itself)
      .endpoint(2, 'fast', [a], itself)
      .delivered(3, 'r1', [a], client(clientA, 'r1'));
    expect(judged(history).violations).toEqual([]);
  });

  it('is violated by a root that leaves the bundle of a runtime while an endpoint still presents a certificate of it', () => {
    const result = judged(rotation({ slowPresentsB: 115 }));
    expect(seen(result)).toContain('S2 r1 slow');
    expect(new Set(result.violations.map(({ rule }) => rule))).toEqual(new Set(['S2']));
  });
});

describe('S3', () => {
  it('is violated by a caBundle that is written after the pair', () => {
    const result = judged(rotation({ caBundle: 75 }));
    expect(seen(result)).toEqual(['S3 r1', 'S3 r2']);
    // The API server may use the old caBundle for a second after the write.
    expect(result.violations[0]).toMatchObject({ atMs: ms(71), untilMs: ms(76) });
  });

  it('is violated by one of several webhooks that was forgotten', () => {
    const history = bootstrapped().caBundle(10, 'r1', [a], [b]);
    expect(seen(judged(history.caBundle(20, 'r1', [a], [b])))).toEqual(['S3 r1']);
  });
});

describe('S4', () => {
  it('is violated by a private key in a bundle', () => {
    const planted = `${a.pem}\n${client(clientA, 'r1').key}`;
    const result = judged(bootstrapped().gateway(20, planted, serverA).gateway(21, planted, serverA));
    expect(seen(result)).toEqual(['S4']);
    expect(result.violations[0]?.detail).toMatch(/^private key [0-9a-f]{12} stands in ca\.crt of Secret/);
    expect(JSON.stringify(result)).not.toContain('BEGIN');
  });

  it('is violated by base64 of a key in an annotation, and by a key in a status', () => {
    const base64 = Buffer.from(serverA.key).toString('base64');
    const annotated = bootstrapped().gateway(20, [a], serverA, { 'last-applied': `{"data":{"tls.key":"${base64}"}}` });
    expect(seen(judged(annotated))).toEqual(['S4']);
    const told = bootstrapped().also({
      entry: 'text',
      atMs: ms(20),
      cluster: 'hub',
      where: 'status of RuntimeTrust r1',
      text: JSON.stringify({ message: `failed with ${serverA.key}` }),
    });
    expect(seen(judged(told))).toEqual(['S4']);
  });

  it("is violated by a root's key outside the root Secret", () => {
    const history = bootstrapped().secret(20, 'other', undefined, { 'tls.crt': serverA.crt, 'tls.key': a.keyPem });
    expect(seen(judged(history))).toEqual(['S4']);
    expect(judged(history).violations[0]?.detail).toContain('of a root');
  });

  it("is not violated by the Secret in which the root's own issuer had the key before, nor by its end", () => {
    const history = bootstrapped().secret(20, 'issuer', undefined, { 'tls.key': a.keyPem });
    expect(seen(judged(history.secret(21, 'issuer', undefined, null)))).toEqual([]);
  });
});

describe('S5', () => {
  it('is violated by an empty bundle', () => {
    const history = bootstrapped().gateway(20, '', serverA).gateway(21, [a], serverA);
    expect(seen(judged(history))).toEqual(['S5']);
  });

  it('is violated by a caBundle that was filled and is empty', () => {
    const history = bootstrapped().caBundle(20, 'r1', '').caBundle(20.1, 'r1', [a]);
    expect(seen(judged(history))).toEqual(['S3 r1', 'S5 r1']);
    const fresh = new PlantedHistory().caBundle(0, 'r1', '').caBundle(1, 'r1', [a]);
    expect(seen(judged(fresh))).toEqual([]);
  });

  it('is violated by a deleted credential, but not when its runtime has left', () => {
    const deleted = () => bootstrapped().secret(20, 'hub-client', 'r1', null);
    expect(seen(judged(deleted()))).toEqual(['S5 r1']);
    expect(seen(judged(deleted().also({ entry: 'mark', atMs: ms(19), kind: 'leave', runtime: 'r1' })))).toEqual([]);
  });
});

describe('known causes', () => {
  it('part a violation into what they explain and what they do not', () => {
    const history = rotation({ slowLoadsBundle: 75 }).also({
      entry: 'known',
      runtime: 'r1',
      fromMs: ms(60),
      toMs: ms(73),
      cause: 'unprovable for longer than the policy waits',
    });
    const result = judged(history);
    expect(result.violationsKnown).toEqual([expect.objectContaining({ runtime: 'r1', atMs: ms(71), untilMs: ms(73) })]);
    expect(result.violations.map(({ runtime, atMs }) => [runtime, atMs])).toEqual([
      ['r2', ms(72)],
      ['r1', ms(73)],
    ]);
  });

  it('part failed requests in the same way', () => {
    const totals = (at: number, requests: number, failed: number) =>
      ({ entry: 'totals', atMs: ms(at), runtime: 'r1', requests, failed }) as const;
    const history = bootstrapped()
      .also(totals(10, 0, 0))
      .also(totals(20, 100, 1))
      .also(totals(30, 200, 4))
      .also(totals(40, 300, 6))
      .also({ entry: 'known', fromMs: ms(20), toMs: ms(30), cause: 'revoked' });
    expect(judged(history)).toMatchObject({ requests: 300, failed: 3, failedKnown: 3, perSecond: { r1: 10 } });
  });
});

describe('a runtime that leaves', () => {
  it('uses nothing from the moment when its client has stopped', () => {
    const stopped = { entry: 'swap', atMs: ms(90), runtime: 'r2', resourceVersion: '', data: null } as const;
    const history = bootstrapped().gateway(91, [b, a], serverA).endpoint(91, 'fast', [b, a], serverA);
    history.delivered(20, 'r1', [b, a], client(clientA, 'r1'));
    // r2 never gets root b, and would refuse the new server certificate.
    history.gateway(92, [b, a], serverB).endpoint(92, 'fast', [b, a], serverB);
    expect(seen(judged(history))).toEqual(['S2 r2 fast']);
    expect(seen(judged(history.also(stopped)))).toEqual([]);
  });

  it('does not count in what has to be on the current root at the end', () => {
    const history = bootstrapped().root(20, b);
    expect(judged(history).ending.pairsOfOlderRoots).toEqual(['r1', 'r2']);
    history.also({ entry: 'mark', atMs: ms(21), kind: 'leave', runtime: 'r2' });
    expect(judged(history).ending.pairsOfOlderRoots).toEqual(['r1']);
  });
});

it('a value is taken to be replaced from the moment when the look that still showed it was begun', () => {
  const look = (asked: number, answered: number, caPem: string, serverPem: string) =>
    ({ entry: 'endpoint', askedAtMs: ms(asked), atMs: ms(answered), endpoint: 'fast', caPem, serverPem }) as const;
  const history = new PlantedHistory().root(0, a).delivered(0, 'r1', [a], client(clientA, 'r1'));
  history
    .also(look(3, 5, a.pem, serverA.crt))
    .also(look(8, 9, a.pem, serverB.crt))
    .also(look(10, 11, a.pem, serverB.crt));
  expect(judged(history).violations).toEqual([expect.objectContaining({ rule: 'S2', atMs: ms(3) })]);
});

describe('overlapping rotations', () => {
  it('are those that begin before the one before is proven everywhere', async () => {
    const c = await plantRoot('c');
    const overlapping = (at: number) =>
      judged(rotation().root(at, c)).rotations.map((rotation) => rotation.overlapping);
    // r2 swaps to its new pair at 72, the slow endpoint presents the new certificate from some instant after 85.9 on.
    expect(overlapping(65)).toEqual([false, true]);
    expect(overlapping(85.8)).toEqual([false, true]);
    expect(overlapping(86)).toEqual([false, false]);

    const slowPair = (at: number) =>
      judged(rotation({ pair: { r1: 70, r2: 88 } }).root(at, c)).rotations.map((rotation) => rotation.overlapping);
    expect(slowPair(88.9)).toEqual([false, true]);
    expect(slowPair(89)).toEqual([false, false]);
  });
});

it('a gap in what was recorded makes a history prove nothing', () => {
  const gap = { entry: 'gap', atMs: ms(30), cluster: 'r1', what: 'Secrets', detail: 'history was compacted' } as const;
  const result = judged(rotation().also(gap));
  expect(result.violations).toEqual([]);
  expect(result.ok).toBe(false);
});

it('a history in which no endpoint and no client was seen is not ok', () => {
  expect(judged(new PlantedHistory().root(0, a)).ok).toBe(false);
});

it('thousands of versions are judged in seconds', () => {
  const history = bootstrapped();
  for (let step = 0; step < 2_000; step += 1) {
    const at = 20 + step * 0.5;
    const bundle = step % 2 === 0 ? [a, b] : [b, a];
    history.gateway(at, bundle, step % 3 === 0 ? serverA : serverB);
    history.endpoint(at + 0.1, 'fast', bundle, serverA).endpoint(at + 0.2, 'slow', bundle, serverA);
    for (const runtime of ['r1', 'r2', 'r3', 'r4']) {
      history.delivered(at, runtime, bundle, client(step % 2 === 0 ? clientA : clientB, 'r1'), 0.3);
    }
  }
  const startedMs = performance.now();
  const result = judged(history);
  expect(performance.now() - startedMs).toBeLessThan(10_000);
  expect(result.judged.S1).toBeGreaterThan(50_000);
});
