/**
 * Random situations for the decisions, sensible or not: whatever stands in a cluster, a decision has to keep its rules.
 *
 * @module
 */
import fc from 'fast-check';
import type { RootObservation, RootRefusal } from '../../src/rotation/decide/admit.ts';
import { type Fleet, fleetOf } from '../../src/rotation/decide/fleet.ts';
import type { GatewayObserved } from '../../src/rotation/decide/gateway.ts';
import { type GatewayJournal, noteSecret, startJournal } from '../../src/rotation/decide/gateway-journal.ts';
import { asHeld, type HubPair } from '../../src/rotation/decide/may-deliver-pair.ts';
import type { RuntimeObserved, StandingWebhook } from '../../src/rotation/decide/runtime.ts';
import type {
  GatewaySecret,
  HeldClient,
  HeldValue,
  Holdings,
  KeyId,
  Root,
  ServerLeaf,
} from '../../src/rotation/decide/values.ts';
import {
  certificate,
  client,
  fenceMs,
  frozen,
  host,
  hubPair,
  marginMs,
  nowMs,
  propagationDelayMs,
  renewal,
  renewBeforeMs,
  root,
  serverLeaf,
  unprovableAfterMs,
} from './build.ts';

const a = root('a');
const b = root('b');
/** Three keys, two of them renewed, one root expired and one near its end. */
const allRoots: readonly Root[] = [
  a,
  renewal(a, 'a2'),
  b,
  renewal(b, 'b2'),
  root('c'),
  root('ending', { notAfterMs: nowMs + marginMs }),
  root('expired', { notAfterMs: nowMs }),
];
const digests = allRoots.map(({ digest }) => digest);

const likely = <T, U>(usual: fc.Arbitrary<T>, otherwise: fc.Arbitrary<U>): fc.Arbitrary<T | U> =>
  fc.oneof({ weight: 9, arbitrary: usual }, { weight: 1, arbitrary: otherwise });

const anyRoot = fc.constantFrom(...allRoots);
const someRoots = fc.oneof(
  { weight: 3, arbitrary: fc.shuffledSubarray([a, b, root('c')], { minLength: 1 }) },
  { weight: 1, arbitrary: fc.shuffledSubarray([...allRoots], { minLength: 1, maxLength: 5 }) },
);
const anyKey = fc.constantFrom<KeyId | null>('a', 'b', 'c', 'ending', 'expired', null);
const someTainted = fc.oneof(fc.constant<string[]>([]), fc.subarray(['a', 'b', 'c']));
const moment = fc.constantFrom(nowMs - 1, nowMs, nowMs + 1, nowMs + marginMs, nowMs + 2 * renewBeforeMs);

const anyServer: fc.Arbitrary<ServerLeaf> = fc
  .record({
    digest: fc.constantFrom('l1', 'l2', 'l3'),
    signer: anyKey,
    notBeforeMs: fc.constantFrom(nowMs - 2 * marginMs, nowMs),
    notAfterMs: fc.oneof({ weight: 3, arbitrary: fc.constant(nowMs + 2 * renewBeforeMs) }, moment),
    dnsNames: fc.oneof({ weight: 4, arbitrary: fc.constant([host]) }, fc.constant(['other'])),
    isRoot: fc.boolean(),
  })
  .map(({ digest, signer, ...wishes }) => serverLeaf(`${digest}-${signer}`, signer, wishes));

/** Mostly with a server certificate of its first root. */
const anySecret: fc.Arbitrary<GatewaySecret> = fc
  .record({
    bundle: someRoots,
    server: fc.oneof(
      fc.constant('of the first' as const),
      fc.constantFrom('a', 'b', 'c'),
      anyServer,
      fc.constant(null),
    ),
    whole: likely(fc.constant(true), fc.constant(false)),
    recorded: fc.subarray(digests),
    closing: fc.oneof(fc.constant<string[]>([]), fc.subarray(digests, { maxLength: 3 })),
  })
  .map(({ bundle, server, whole, recorded, closing }) => {
    const held = bundle.map(({ digest }) => digest);
    const added = Object.fromEntries((whole ? held : recorded).map((digest) => [digest, `with-${digest}`]));
    const key = server === 'of the first' ? (bundle[0]?.keyId ?? '') : server;
    return {
      resourceVersion: '10',
      bundle,
      added,
      server: typeof key === 'string' ? serverLeaf(`l-${key}`, key) : key,
      closing: whole ? closing.filter((digest) => held.slice(1).includes(digest)) : closing,
    };
  });

/** A journal that ends with this Secret. */
function journalOf(secret: GatewaySecret): fc.Arbitrary<GatewayJournal> {
  return fc
    .array(fc.record({ bundle: someRoots, server: fc.option(anyServer), ours: fc.boolean() }), { maxLength: 2 })
    .map((before) => {
      const versions = before.map(({ bundle, server }, index) => ({
        ...secret,
        bundle,
        server,
        resourceVersion: `${index}`,
      }));
      const [first = secret, ...later] = [...versions, secret];
      const proof = { bundleVersion: first.resourceVersion, serverVersion: first.resourceVersion };
      const start = startJournal(first, 0, before[0]?.ours === false ? null : proof);
      return later.reduce((journal, at, index) => noteSecret(journal, at, index, before[index]?.ours ?? true), start);
    });
}

const anyClient: fc.Arbitrary<HeldClient> = fc
  .record({ digest: fc.constantFrom('c1', 'c2', 'c3'), signer: anyKey })
  .map(({ digest, signer }) => client(`${digest}-${signer}`, signer));

/** Holdings that mostly follow this gateway Secret. */
function holdingsNear({ bundle, server }: GatewaySecret): fc.Arbitrary<Holdings> {
  const delivered = fc.constant(bundle.map(({ digest }) => digest));
  const signer = likely(fc.constant(bundle[0]?.keyId ?? null), fc.constant(server?.signer ?? null));
  return fc
    .record({
      beyond: likely(fc.constant('nothing' as const), fc.constantFrom('unseen', 'lost')),
      values: fc.array(
        fc.record({
          bundle: likely(
            delivered,
            someRoots.map((roots) => roots.map(({ digest }) => digest)),
          ),
          client: likely(
            signer.map((key) => client(`c1-${key}`, key)),
            fc.option(anyClient),
          ),
          state: fc.constantFrom('intended', 'confirmed', 'confirmed', 'adopted'),
        }),
        { maxLength: 3 },
      ),
    })
    .map(({ beyond, values }) => ({
      beyond,
      values: values.map((value, index): HeldValue => {
        const serial = value.state === 'adopted' ? `found-${index}` : `s${index}`;
        return { ...value, serial, resourceVersion: value.state === 'intended' ? '' : `${index}` };
      }),
    }));
}

function fleetNear(secret: GatewaySecret): fc.Arbitrary<Fleet> {
  const standing = fc.record({
    held: likely(holdingsNear(secret), fc.constant(null)),
    unprovenForMs: fc.constantFrom(0, 0, unprovableAfterMs),
  });
  return fc
    .tuple(likely(fc.constant(true), fc.constant(false)), fc.array(standing, { maxLength: 3 }))
    .map(([live, runtimes]) =>
      fleetOf(
        live,
        runtimes.map((runtime, index) => ({ name: `runtime-${index}`, ...runtime })),
      ),
    );
}

const defects: readonly RootRefusal[] = ['RootIsNoCa', 'RootKeyDoesNotMatch'];

/** Mostly a root of the bundle. */
function rootSecretNear({ bundle }: GatewaySecret): fc.Arbitrary<RootObservation> {
  return likely(
    fc
      .oneof(fc.constant(bundle[0] ?? a), fc.constantFrom(...bundle), anyRoot)
      .map((of): RootObservation => ({ state: 'readable', root: of, defects: [] })),
    fc.constantFrom<RootObservation>(
      { state: 'readable', root: a, defects },
      { state: 'unreadable', reason: 'RootUnreadable' },
    ),
  );
}

function candidateNear({ bundle }: GatewaySecret): fc.Arbitrary<ServerLeaf | null> {
  const fit = fc.constantFrom(...bundle).map(({ keyId }) => serverLeaf(`next-${keyId}`, keyId));
  return likely(fit, fc.option(anyServer));
}

/** What is seen at a gateway whose Secret can be read. */
export type ReadableGateway = Omit<GatewayObserved, 'secret'> & { readonly secret: GatewaySecret };

const wild: fc.Arbitrary<ReadableGateway> = anySecret
  .chain((secret) =>
    fc.record({
      nowMs: fc.constant(nowMs),
      policy: fc.record({
        skewMarginMs: fc.constant(marginMs),
        serverRenewBeforeMs: fc.constant(renewBeforeMs),
        unprovableAfterMs: fc.constant(unprovableAfterMs),
        revoked: likely(fc.constant<string[]>([]), fc.subarray(['a', 'b'])),
        tainted: someTainted,
        paused: likely(fc.constant(false), fc.constant(true)),
      }),
      root: rootSecretNear(secret),
      secret: fc.constant(secret),
      candidate: candidateNear(secret),
      hosts: fc.constant([host]),
      journal: fc.option(journalOf(secret), { freq: 8 }),
      fleet: fleetNear(secret),
      traces: fc.constant({ any: true, lastSeen: null, roots: [] }),
    }),
  )
  .map(frozen);

/** The same after the switch, with marked roots whose users are gone. */
const leaving = fc.tuple(wild, fc.constantFrom(null, null, 'a', 'b')).map(([seen, revoked]): ReadableGateway => {
  const [current = a, ...others] = seen.secret.bundle;
  const server = serverLeaf('l-current', current.keyId);
  const secret = { ...seen.secret, server, closing: others.map(({ digest }) => digest) };
  const version = secret.resourceVersion;
  const journal = startJournal(secret, 0, { bundleVersion: version, serverVersion: version });
  const policy = revoked === null ? seen.policy : { ...seen.policy, revoked: [revoked] };
  return frozen({ ...seen, policy, secret, journal, root: { state: 'readable', root: current, defects: [] } });
});

/** Anything that may be seen at a gateway whose Secret can be read. */
export const anyGateway: fc.Arbitrary<ReadableGateway> = fc.oneof(
  { weight: 3, arbitrary: wild },
  { weight: 1, arbitrary: leaving },
);

/** Anything that may be seen where the gateway Secret is missing or unreadable. */
export const anyLoss: fc.Arbitrary<GatewayObserved> = fc
  .tuple(
    anyGateway,
    fc.constantFrom('unreadable' as const, null),
    fc.boolean(),
    fc.option(anySecret),
    fc.array(anyRoot),
  )
  .map(([seen, secret, any, lastSeen, roots]) =>
    frozen({ ...seen, secret, journal: null, traces: { any, lastSeen, roots } }),
  );

/** A record that ends with an open delivery of just what stands in the hub now. */
function underDelivery(secret: GatewaySecret, held: Holdings, pair: HubPair | null): Holdings {
  const bundle = secret.bundle.map(({ digest }) => digest);
  const sent = pair === null ? (held.values.at(-1)?.client ?? null) : asHeld(pair);
  const open: HeldValue = { serial: 's8', bundle, client: sent, state: 'intended', resourceVersion: '' };
  return { ...held, values: [...held.values, open] };
}

const anyPair: fc.Arbitrary<HubPair | null> = likely(
  fc.constantFrom('a', 'b', 'c').map((key) => hubPair(`p1-${key}`, key)),
  fc.option(
    fc
      .record({ signer: anyKey, keyMatches: fc.boolean(), notBeforeMs: moment })
      .map(({ signer, ...wishes }) => hubPair(`c1-${signer}`, signer, wishes)),
  ),
);

const instants = (...serials: readonly string[]): fc.Arbitrary<Record<string, number>> =>
  fc.dictionary(fc.constantFrom(...serials), fc.constantFrom(0, 999_999), { noNullPrototype: true });

/** Anything that may be seen of a runtime. */
export const anyRuntime: fc.Arbitrary<RuntimeObserved> = anySecret
  .chain((secret) =>
    fc.record({
      secret: fc.constant(secret),
      held: likely(holdingsNear(secret), fc.constant(null)),
      delivering: fc.boolean(),
      /** Which value of the record stands there; beyond its end: somebody else's, or none. */
      standing: fc.nat(4),
      trusted: likely(fc.constant(digests), fc.subarray(digests)),
      of: likely(fc.constantFrom(...secret.bundle), anyRoot),
      gatewayMissing: likely(fc.constant(false), fc.constant(true)),
      pair: anyPair,
      issuing: fc.boolean(),
      caBundles: fc.option(
        fc.array(likely(fc.constant(secret.bundle), fc.option(someRoots)), { minLength: 1, maxLength: 3 }),
      ),
      webhookSerial: fc.constantFrom('', 's0', 's1', 's8'),
      unreachable: likely(fc.constant(false), fc.constant(true)),
      tainted: someTainted,
      revoked: likely(fc.constant<string[]>([]), fc.subarray(['a', 'b'])),
      mayRenew: likely(fc.constant(true), fc.constant(false)),
      taintedAhead: fc.boolean(),
      seenMs: instants('s0', 's1', 's2', 'absent'),
      registeredMs: instants('s0', 's1', 's2', 's8'),
    }),
  )
  .map((at) => {
    const held = at.held !== null && at.delivering ? underDelivery(at.secret, at.held, at.pair) : at.held;
    const value = at.held?.values[at.standing];
    const foreign = { serial: '', bundle: ['x'], client: client('x', null), resourceVersion: '99' };
    const found = value ?? (at.standing === 4 ? null : foreign);
    const secret = found === null ? null : { ...found, resourceVersion: found.resourceVersion || '77' };
    const webhook: StandingWebhook | null =
      at.caBundles === null
        ? null
        : {
            resourceVersion: '70',
            serial: at.webhookSerial,
            caBundle: at.caBundles.at(-1) ?? [],
            possible: at.caBundles,
          };
    return frozen<RuntimeObserved>({
      nowMs,
      monotonicMs: 1_000_000,
      policy: {
        skewMarginMs: marginMs,
        renewBeforeMs,
        propagationDelayMs,
        fenceMs,
        tainted: at.tainted,
        revoked: at.revoked,
        paused: false,
      },
      cluster: at.unreachable ? { state: 'unreachable' } : { state: 'read', secret, webhook },
      hub: {
        gateway: at.gatewayMissing ? null : at.secret,
        trusted: at.trusted.map((digest) => ({ digest, added: `with-${digest}` })),
        current: at.of,
        certificate: certificate(at.pair, { issuing: at.issuing }),
        mayRenew: at.mayRenew,
        taintedAhead: at.taintedAhead,
      },
      held,
      seen: at.seenMs,
      registered: at.registeredMs,
      nextSerial: 's9',
    });
  });
