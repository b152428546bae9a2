import { createHash } from 'node:crypto';
import { fleetOf, type RuntimeStanding } from '../../src/rotation/decide/fleet.ts';
import type { GatewayObserved } from '../../src/rotation/decide/gateway.ts';
import { startJournal } from '../../src/rotation/decide/gateway-journal.ts';
import type { RuntimeObserved } from '../../src/rotation/decide/runtime.ts';
import type {
  GatewaySecret,
  HeldClient,
  HeldValue,
  Holdings,
  Root,
  ServerLeaf,
} from '../../src/rotation/decide/values.ts';

/**
 * Where a runtime stands in the middle of a rotation: on the newest bundle and pair · on the newest bundle with the pair of an
 * older root, one before it perhaps still in use · with a delivery that is registered and unanswered · still on the old
 * bundle · not answering.
 */
type Stage = 'current' | 'bundled' | 'delivering' | 'old' | 'unreachable';

/** Of a hundred runtimes those below the number, and not below the one before. */
const stages: readonly (readonly [Stage, number])[] = [
  ['current', 40],
  ['bundled', 65],
  ['delivering', 80],
  ['old', 98],
  ['unreachable', 100],
];

export interface FleetInRotation {
  readonly gateway: GatewayObserved;
  /** What the fleet of the gateway is put together from. */
  readonly standings: readonly RuntimeStanding[];
  readonly runtimes: readonly RuntimeObserved[];
}

/** 1 January 2030. Nothing of it is compared with a clock of this machine. */
const nowMs = 1_893_456_000_000;
const dayMs = 86_400_000;
const bundleVersion = '4711';

const identity = (text: string): string => createHash('sha256').update(text).digest('hex');

function root(name: string): Root {
  return {
    digest: identity(`certificate ${name}`),
    keyId: identity(`key ${name}`),
    subject: 'CN=klm-watcher-selfsigned-ca',
    subjectKeyId: identity(`key ${name}`),
    notBeforeMs: nowMs - 30 * dayMs,
    notAfterMs: nowMs + 60 * dayMs,
  };
}

/** The newest first: the fourth root came before the rotation to the second and third had ended. */
const roots = ['fourth', 'third', 'second', 'first'].map(root);
const [fourth, third, second, first] = roots as [Root, Root, Root, Root];

function serverLeaf(signer: Root): ServerLeaf {
  return {
    digest: identity(`server of ${signer.digest}`),
    signer: signer.keyId,
    notBeforeMs: nowMs - dayMs,
    notAfterMs: nowMs + 59 * dayMs,
    dnsNames: ['listener.kyma.local'],
    isRoot: false,
  };
}

const secret: GatewaySecret = {
  resourceVersion: bundleVersion,
  bundle: roots,
  added: Object.fromEntries(roots.map(({ digest }, index) => [digest, String(4_700 - index)])),
  server: serverLeaf(first),
  closing: [],
};

const digestsOf = (bundle: readonly Root[]): readonly string[] => bundle.map(({ digest }) => digest);
const newBundle = digestsOf(roots);
const oldBundle = digestsOf([third, second, first]);

/** A fleet of this size in the middle of a rotation to the fourth of four roots, the switch to the third still ahead. */
export function fleetInRotation(size: number): FleetInRotation {
  const runtimes = Array.from({ length: size }, (_, index) => runtimeAt(index));
  const standings = runtimes.map(({ stage, observed }, index): RuntimeStanding => {
    const proven = stage === 'current' || stage === 'bundled';
    return { name: nameOf(index), held: observed.held, unprovenForMs: proven ? 0 : 60_000 };
  });
  const gateway: GatewayObserved = {
    nowMs,
    policy: {
      skewMarginMs: 300_000,
      serverRenewBeforeMs: 30 * dayMs,
      unprovableAfterMs: 4 * dayMs,
      revoked: [],
      tainted: [],
      paused: false,
    },
    root: { state: 'readable', root: fourth, defects: [] },
    secret,
    candidate: serverLeaf(fourth),
    hosts: ['listener.kyma.local'],
    journal: startJournal(secret, 0, { bundleVersion, serverVersion: bundleVersion }),
    fleet: fleetOf(true, standings),
    traces: { any: true, lastSeen: secret, roots: [] },
  };
  return { gateway, standings, runtimes: runtimes.map(({ observed }) => observed) };
}

/** The gateway's side of the same fleet when the rotation is over: nothing to wait for and nothing to do, the state of most hours. */
export function gatewayAtRest(size: number): Pick<FleetInRotation, 'gateway' | 'standings'> {
  const { gateway } = fleetInRotation(1);
  const settled = { ...secret, bundle: [fourth], added: { [fourth.digest]: '4700' }, server: serverLeaf(fourth) };
  const standings = Array.from({ length: size }, (_, index): RuntimeStanding => {
    const held = asRead<Holdings>({
      beyond: 'nothing',
      values: [value(index, 1, [fourth.digest], fourth, 'confirmed')],
    });
    return { name: nameOf(index), held, unprovenForMs: 0 };
  });
  const proof = { bundleVersion, serverVersion: bundleVersion };
  const journal = startJournal(settled, 0, proof);
  const fleet = fleetOf(false, standings);
  return { gateway: { ...gateway, secret: settled, candidate: null, journal, fleet }, standings };
}

/** The fleet after one event: what one runtime may be using has changed. A new value, as an observation makes it. */
export function withOneChanged(standings: readonly RuntimeStanding[], index: number): readonly RuntimeStanding[] {
  return standings.map((standing, at) => {
    const last = standing.held?.values.at(-1);
    if (at !== index || standing.held === null || last === undefined) return standing;
    const values = [...standing.held.values.slice(0, -1), { ...last, resourceVersion: `${last.resourceVersion}1` }];
    return { ...standing, held: { ...standing.held, values } };
  });
}

export function nameOf(index: number): string {
  return `runtime-${String(index).padStart(5, '0')}`;
}

function runtimeAt(index: number): { readonly stage: Stage; readonly observed: RuntimeObserved } {
  // A fixed stride spreads the stages, so that neighbours differ as they do in a fleet.
  const place = (index * 37) % 100;
  const stage = stages.find(([, below]) => place < below)?.[0] ?? 'current';
  return { stage, observed: observe(index, stage) };
}

function client(index: number, signer: Root): HeldClient {
  return {
    digest: identity(`client ${index} of ${signer.digest}`),
    signer: signer.keyId,
    notAfterMs: nowMs + 50 * dayMs,
  };
}

function value(
  index: number,
  delivery: number,
  bundle: readonly string[],
  signer: Root,
  state: HeldValue['state'],
): HeldValue {
  const resourceVersion = state === 'intended' ? '' : String(100_000 + index * 10 + delivery);
  return { serial: `${index}-${delivery}`, bundle, client: client(index, signer), state, resourceVersion };
}

/** As read from the API server: equal digests are strings of their own, and to compare them costs what it costs in a hub. */
export function asRead<T>(read: T): T {
  return JSON.parse(JSON.stringify(read)) as T;
}

function holdings(index: number, stage: Stage): Holdings {
  const old = value(index, 1, oldBundle, third, 'confirmed');
  const bundled = value(index, 2, newBundle, third, 'confirmed');
  switch (stage) {
    case 'current':
      return { beyond: 'nothing', values: [value(index, 3, newBundle, fourth, 'confirmed')] };
    case 'bundled':
      return { beyond: 'nothing', values: [old, bundled] };
    case 'delivering':
      return { beyond: 'nothing', values: [old, bundled, value(index, 3, newBundle, fourth, 'intended')] };
    case 'old':
      return { beyond: 'nothing', values: [old] };
    case 'unreachable':
      return { beyond: 'nothing', values: [value(index, 0, digestsOf([second, first]), second, 'confirmed'), old] };
  }
}

function observe(index: number, stage: Stage): RuntimeObserved {
  const held = asRead(holdings(index, stage));
  const standing = held.values.findLast(({ state }) => state === 'confirmed');
  const newest = held.values.at(-1);
  const caBundle = stage === 'old' ? [third, second, first] : roots;
  const signer = stage === 'current' || stage === 'delivering' ? fourth : third;
  return {
    nowMs,
    monotonicMs: 1_000_000,
    policy: {
      skewMarginMs: 300_000,
      renewBeforeMs: 30 * dayMs,
      propagationDelayMs: 120_000,
      fenceMs: 80_000,
      tainted: [],
      revoked: [],
      paused: false,
    },
    cluster:
      stage === 'unreachable' || standing === undefined
        ? { state: 'unreachable' }
        : {
            state: 'read',
            secret: asRead({
              resourceVersion: standing.resourceVersion,
              serial: standing.serial,
              bundle: standing.bundle,
              client: standing.client,
            }),
            webhook: {
              resourceVersion: String(200_000 + index),
              // Of every second open delivery the first of its two writes is made.
              serial: (index % 2 === 0 ? standing : newest)?.serial ?? '',
              caBundle,
              possible: [caBundle],
            },
          },
    hub: {
      gateway: secret,
      trusted: roots.map(({ digest }) => ({ digest, added: secret.added[digest] ?? '' })),
      current: fourth,
      certificate: {
        exists: true,
        asSpecified: true,
        issuing: stage === 'bundled' && index % 2 === 0,
        backOffUntilMs: 0,
        failures: 0,
        askedFor: null,
        pair: { ...client(index, signer), notBeforeMs: nowMs - dayMs, keyMatches: true },
      },
      mayRenew: true,
      taintedAhead: false,
    },
    held,
    // Known for a minute: the propagation delay of the last value is still running.
    seen: Object.fromEntries(held.values.map(({ serial }) => [serial, 940_000])),
    registered: Object.fromEntries(
      held.values.filter(({ state }) => state === 'intended').map(({ serial }) => [serial, 990_000]),
    ),
    nextSerial: `next-${index}`,
  };
}
