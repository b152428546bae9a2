/**
 * What the operator can do next in a state: the production decisions, with their reads and writes apart, so that anything
 * may happen in between.
 *
 * @module
 */
import { accepts } from '../src/rotation/decide/accepts.ts';
import { fleetOf } from '../src/rotation/decide/fleet.ts';
import {
  decideGateway,
  type GatewayObserved,
  type GatewayPlan,
  type GatewayWrite,
} from '../src/rotation/decide/gateway.ts';
import { type GatewayJournal, noteRound, noteSecret, startJournal } from '../src/rotation/decide/gateway-journal.ts';
import type { StandingSecret } from '../src/rotation/decide/holdings.ts';
import { asHeld } from '../src/rotation/decide/may-deliver-pair.ts';
import {
  decideRuntime,
  type RuntimeAction,
  type RuntimeObserved,
  type RuntimePlan,
} from '../src/rotation/decide/runtime.ts';
import type { GatewaySecret, Holdings, Root } from '../src/rotation/decide/values.ts';
import type { Plant } from './plants.ts';
import { type RuntimeState, type Setting, serverLeaf, type WebhookState, type World } from './world.ts';

/** A thing that may happen, and the state after it. */
export interface Step {
  readonly label: string;
  readonly next: World;
}

const NOW_MS = 0;
const DELAYS = { probeDelayMs: 1, propagationDelayMs: 1 };
/** In place before "now" by the delay, or not yet. */
const PASSED = -1;
const NOT_PASSED = 0;

/** The operator's next steps. */
export function operatorSteps(world: World, setting: Setting, plant: Plant | null): Step[] {
  return operatorTurns(world, setting, plant).flatMap((turn) => turn() ?? []);
}

/**
 * Each part of the operator, to be given its turn.
 *
 * @param looksAt runtimes that it looks at; one that is backed off from has to wait for long
 */
export function operatorTurns(
  world: World,
  setting: Setting,
  plant: Plant | null,
  looksAt: (runtime: RuntimeState) => boolean = () => true,
): readonly (() => Step | null)[] {
  return [
    () => gatewayStep(world, setting, plant),
    () => probeStep(world, setting, plant),
    ...world.runtimes.map(
      (runtime, index) => () => (looksAt(runtime) ? runtimeStep(world, setting, index, plant) : null),
    ),
  ];
}

/**
 * The gateway controller reads, decides and writes. Only a switch and a retirement have their write apart: they rest on a
 * read of the fleet, which may be outdated when the write arrives. Every other write rests on the Secret alone, and fails when that has changed.
 * The status follows when nothing is left to write, so runtimes may read an old one for a while.
 */
function gatewayStep(world: World, setting: Setting, plant: Plant | null): Step | null {
  if (world.gatewayPending !== null) {
    return { label: `gateway: writes ${world.gatewayPending.why}`, next: commitGateway(world) };
  }
  const observed = readHub(world, setting, plant);
  let plan = planGateway(observed, setting, plant, false);
  if (plan.action?.do === 'readFleet') plan = planGateway(observed, setting, plant, true);
  const { action } = plan;
  if (action === null || action.do === 'readFleet') {
    const published = publish(observed, plan);
    return published === world ? null : { label: 'gateway: looks', next: published };
  }
  if (action.do === 'issueCandidate') {
    const candidate = serverLeaf(`l${world.counter}`, action.root.keyId);
    return { label: 'gateway: issues a candidate', next: { ...observed, candidate, counter: world.counter + 1 } };
  }
  if (action.do !== 'write') throw new Error(`The explorer has no gateway without a Secret: ${action.do}`);
  const planned = { ...observed, gatewayPending: action };
  const restsOnFleet = action.why === 'ServerSwitched' || action.why === 'RootRetired';
  return restsOnFleet
    ? { label: `gateway: reads the fleet live and plans ${action.why}`, next: planned }
    : { label: `gateway: writes ${action.why}`, next: commitGateway(planned) };
}

/** The gateway controller's memory after a live read of the hub. */
function readHub(world: World, setting: Setting, plant: Plant | null): World {
  const key = setting.roots[world.rootIndex]?.keyId ?? '';
  const journal = readJournal(world, plant);
  const probeKeys = world.probeKeys.includes(key) ? world.probeKeys : [...world.probeKeys, key].sort();
  if (journal === world.journal && probeKeys === world.probeKeys) return world;
  return { ...world, journal, probeKeys };
}

/** The journal as the process has it after reading the Secret; a version that is not its own work starts it anew. */
function readJournal(world: World, plant: Plant | null): GatewayJournal {
  if (world.journal !== null) return noteSecret(world.journal, world.secret, NOW_MS, false);
  const proof = plant?.storedProof?.(world.status.proof, world) ?? world.status.proof;
  return startJournal(world.secret, NOW_MS, proof);
}

export function planGateway(world: World, setting: Setting, plant: Plant | null, live: boolean): GatewayPlan {
  const current = setting.roots[world.rootIndex] as Root;
  const runtimes = world.runtimes.flatMap((runtime, index) =>
    runtime.kyma === 'present' ? [{ name: String(index), held: runtime.record?.held ?? null, unprovenForMs: 0 }] : [],
  );
  const honest: GatewayObserved = {
    nowMs: NOW_MS,
    policy: {
      skewMarginMs: 0,
      serverRenewBeforeMs: 0,
      unprovableAfterMs: 1,
      revoked: [],
      tainted: world.tainted,
      paused: false,
    },
    root: { state: 'readable', root: current, defects: [] },
    secret: world.secret,
    candidate: world.candidate,
    hosts: ['gateway'],
    journal: world.journal,
    fleet: fleetOf(live, runtimes),
    traces: { any: true, lastSeen: null, roots: [] },
  };
  const seen = plant?.gatewaySees?.(honest, world) ?? honest;
  const plan = decideGateway(seen);
  return plant?.gatewayPlans?.(plan, seen, world) ?? plan;
}

/** Writes the status: what runtimes may rely on, and the proof for a process that comes after. */
function publish(world: World, plan: GatewayPlan): World {
  const { journal } = world;
  if (journal === null) return world;
  const known = <V>(list: readonly { value: V | null }[]): boolean => list.length === 1 && list[0]?.value !== null;
  const proof = {
    bundleVersion: known(journal.bundles) ? world.secret.resourceVersion : '',
    serverVersion: known(journal.servers) ? world.secret.resourceVersion : '',
  };
  const { status } = world;
  const unchanged =
    status.proof?.bundleVersion === proof.bundleVersion &&
    status.proof.serverVersion === proof.serverVersion &&
    status.trusted.length === plan.trusted.length &&
    status.trusted.every(({ digest, added }, index) => {
      const other = plan.trusted[index];
      return other?.digest === digest && other.added === added;
    });
  return unchanged ? world : { ...world, status: { trusted: plan.trusted, proof } };
}

/** A probe round, and the status that follows from it. */
function probeStep(world: World, setting: Setting, plant: Plant | null): Step | null {
  const { journal } = world;
  if (journal === null || journal.version !== world.secret.resourceVersion) return null;
  if (journal.bundles.length === 1 && journal.servers.length === 1) return null;
  const bundle = world.versions[world.bundleAt]?.bundle ?? [];
  const accepted = world.probeKeys.filter((key) => accepts(bundle, key, NOW_MS));
  const refused = world.probeKeys.filter((key) => !accepted.includes(key));
  const digest = world.versions[world.serverAt]?.server.digest ?? '';
  const loaded = (version: string, at: number): boolean => {
    const index = world.versions.findIndex(({ names }) => names.includes(version));
    return index <= at;
  };
  const timed: GatewayJournal = {
    ...journal,
    bundles: journal.bundles.map((at) => {
      // A slow endpoint may outlast the delay, but not where no probe could tell.
      const shows = at.value !== null && refused.some((key) => accepts(at.value ?? [], key, NOW_MS));
      const passed = loaded(at.version, world.bundleAt) || (world.slow && shows);
      return { ...at, sinceMs: passed ? PASSED : NOT_PASSED };
    }),
    servers: journal.servers.map((at) => ({
      ...at,
      sinceMs: loaded(at.version, world.serverAt) ? PASSED : NOT_PASSED,
    })),
  };
  const round = {
    startedMs: 0,
    endpoints: [{ accepted, refused, unanswered: [], throwaway: 'refused' as const, serverDigests: [digest] }],
  };
  const after = noteRound(timed, round, DELAYS, NOW_MS);
  if (after.bundles.length === journal.bundles.length && after.servers.length === journal.servers.length) return null;
  const untimed: GatewayJournal = {
    ...after,
    doubt: null,
    bundles: after.bundles.map((at) => ({ ...at, sinceMs: 0 })),
    servers: after.servers.map((at) => ({ ...at, sinceMs: 0 })),
  };
  const probed = { ...world, journal: untimed };
  return { label: 'gateway: probes', next: publish(probed, planGateway(probed, setting, plant, false)) };
}

/** Carries out the pending write of the gateway controller, answered. */
export function commitGateway(world: World): World {
  const action = world.gatewayPending;
  const cleared = { ...world, gatewayPending: null };
  if (action === null) return cleared;
  const written = applyGatewayWrite(cleared, action);
  if (written === null || world.journal === null) return cleared;
  const ours = world.journal.version === action.baseVersion;
  return { ...written, journal: noteSecret(world.journal, written.secret, NOW_MS, ours) };
}

/** The API server's part; `null` on a conflict. */
export function applyGatewayWrite(world: World, action: GatewayWrite): World | null {
  if (world.secret.resourceVersion !== action.baseVersion) return null;
  const resourceVersion = `v${world.counter}`;
  const server = action.server ?? world.secret.server;
  if (server === null) throw new Error('The explorer has no gateway without a server certificate');
  const secret = { resourceVersion, bundle: action.bundle, added: action.added, closing: action.closing, server };
  return { ...renameVersion(world, resourceVersion, secret), counter: world.counter + 1 };
}

/** Puts a version into place; one with the same bundle and server certificate is no other value to the endpoint. */
export function renameVersion(world: World, version: string, secret: GatewaySecret): World {
  const last = world.versions.at(-1);
  const sameValue =
    last !== undefined &&
    last.server.digest === secret.server?.digest &&
    last.bundle.length === secret.bundle.length &&
    last.bundle.every((root, index) => root.digest === secret.bundle[index]?.digest);
  const referenced = new Set([
    world.secret.resourceVersion,
    ...(world.journal?.bundles ?? []).map((at) => at.version),
    ...(world.journal?.servers ?? []).map((at) => at.version),
  ]);
  const versions = sameValue
    ? [
        ...world.versions.slice(0, -1),
        { ...last, names: [...last.names.filter((name) => referenced.has(name)), version] },
      ]
    : [...world.versions, { names: [version], bundle: secret.bundle, server: secret.server ?? serverLeaf('l', '') }];
  const behind = Math.max(0, versions.length - 1 - world.maxLag);
  return {
    ...world,
    secret,
    versions: versions.slice(behind),
    bundleAt: Math.max(0, world.bundleAt - behind),
    serverAt: Math.max(0, world.serverAt - behind),
  };
}

/**
 * A runtime's controller reads, decides and writes. Writes to the runtime are apart from the decision: the world may change
 * under a delivery. Its record is written at once, since that write fails when the record has changed, and is read again before anything rests on it.
 */
function runtimeStep(world: World, setting: Setting, index: number, plant: Plant | null): Step | null {
  const runtime = world.runtimes[index];
  if (runtime === undefined || runtime.kyma !== 'present') return null;
  if (runtime.pending !== null) {
    return { label: `runtime ${index}: ${runtime.pending.action.do}`, next: commitRuntime(world, index) };
  }
  const { plan, standing } = planRuntime(world, setting, index, plant, runtime);
  let next = runtime;
  const issues = plan.issue.step === 'apply' || plan.issue.step === 'renew';
  if (issues) next = { ...next, certificate: { issuing: world.rootIndex, pair: next.certificate?.pair ?? null } };
  const turn = plan.issue.step === 'wait' && plan.issue.reason === 'WaveNotReached';
  if ((turn && plan.comesFirst) !== runtime.ahead) next = { ...next, ahead: !runtime.ahead };
  const { action } = plan;
  if (action !== null) {
    const hub = runtime.certificate?.pair ?? null;
    const fromHub = action.do === 'writeSecret' && action.pair === 'hub' && hub !== null;
    const client = fromHub ? asHeld(hub) : (standing?.client ?? null);
    next = { ...next, stale: null, pending: { action, client, recordVersion: runtime.record?.version ?? '' } };
  }
  if (next === runtime) return null;
  const planned = replaceRuntime({ ...world, counter: world.counter + 1 }, index, next);
  const label = `runtime ${index}:${issues ? ` asks for a certificate (${plan.issue.step})` : ''}`;
  if (action === null) return { label: issues ? label : `runtime ${index}: looks`, next: planned };
  return action.do === 'register' || action.do === 'record'
    ? { label: `${label} ${action.do}s`, next: commitRuntime(planned, index) }
    : { label: `${label} plans ${action.do}`, next: planned };
}

/** A look that takes long holds nobody back any more, although it comes first. */
export function patienceSteps(
  world: World,
  plant: Plant | null,
  takesLong: (runtime: RuntimeState) => boolean = () => true,
): Step[] {
  if (plant?.endlessPatience === true) return [];
  return world.runtimes.flatMap((runtime, index) =>
    runtime.ahead && takesLong(runtime)
      ? [{ label: `runtime ${index} steps back`, next: replaceRuntime(world, index, { ...runtime, ahead: false }) }]
      : [],
  );
}

/** A delivery that is registered and given up: its deadline and its last request are over. */
export function fenceSteps(world: World, setting: Setting, plant: Plant | null): Step[] {
  return world.runtimes.flatMap((runtime, index) => {
    const open = (runtime.record?.held.values ?? [])
      .filter((value) => value.state === 'intended' && !runtime.fenced.includes(value.serial))
      .map((value) => value.serial)
      .filter(
        (serial) => !world.late.some((write) => write.to === 'runtime' && serialOf(write.pending.action) === serial),
      );
    if (open.length === 0 || runtime.pending !== null || runtimeStep(world, setting, index, plant) !== null) return [];
    const next = replaceRuntime(world, index, { ...runtime, fenced: [...runtime.fenced, ...open] });
    return [{ label: `runtime ${index}: the fence passes`, next }];
  });
}

function serialOf(action: RuntimeAction): string {
  return action.do === 'writeSecret' || action.do === 'writeCaBundle' ? action.serial : '';
}

function planRuntime(
  world: World,
  setting: Setting,
  index: number,
  plant: Plant | null,
  runtime: RuntimeState,
): { plan: RuntimePlan; standing: StandingSecret | null } {
  const standing = runtime.stale === null ? (runtime.log.at(-1) ?? null) : runtime.stale.secret;
  const webhook = runtime.webhook;
  const underWay = world.runtimes.filter(({ certificate }) => (certificate?.issuing ?? null) !== null).length;
  const honest: RuntimeObserved = {
    nowMs: NOW_MS,
    monotonicMs: 0,
    policy: {
      skewMarginMs: 0,
      renewBeforeMs: 0,
      propagationDelayMs: 1,
      fenceMs: 1,
      tainted: world.tainted,
      revoked: [],
      paused: false,
    },
    cluster: runtime.reachable
      ? {
          state: 'read',
          secret: standing,
          webhook:
            webhook === null
              ? null
              : {
                  resourceVersion: webhook.version,
                  serial: webhook.serial,
                  caBundle: webhook.log.at(-1)?.roots ?? [],
                  possible: possibleCaBundles(webhook),
                },
        }
      : { state: 'unreachable' },
    hub: {
      gateway: world.secret,
      trusted: world.status.trusted,
      current: setting.roots[world.rootIndex] ?? null,
      certificate: {
        exists: runtime.certificate !== null,
        asSpecified: true,
        issuing: runtime.certificate !== null && runtime.certificate.issuing !== null,
        backOffUntilMs: 0,
        failures: 0,
        askedFor: null,
        pair: runtime.certificate?.pair ?? null,
      },
      mayRenew: underWay < setting.waveSize,
      taintedAhead: world.runtimes.some((other, at) => at !== index && other.ahead),
    },
    held: runtime.record?.held ?? null,
    seen: Object.fromEntries(
      (runtime.record?.held.values ?? []).map(({ serial }) => [serial, passedSince(world, runtime, serial, plant)]),
    ),
    registered: Object.fromEntries(runtime.fenced.map((serial) => [serial, PASSED])),
    nextSerial: `s${world.counter}`,
  };
  const seen = plant?.runtimeSees?.(honest, world, index) ?? honest;
  const plan = decideRuntime(seen);
  return { plan: plant?.runtimePlans?.(plan, seen, world) ?? plan, standing };
}

/** A value has been in place for the delay when no older one is in use any more. */
function passedSince(world: World, runtime: RuntimeState, serial: string, plant: Plant | null): number {
  const newest = runtime.log.at(-1)?.serial === serial;
  if (plant?.restartShortensDelay === true && world.restarted && newest) return PASSED;
  if (plant?.oneTimestamp === true && !newest) return NOT_PASSED;
  return runtime.log.length <= 1 || runtime.log[0]?.serial === serial ? PASSED : NOT_PASSED;
}

/** What the process knows its API servers may be using. */
function possibleCaBundles(webhook: WebhookState): readonly (readonly Root[] | null)[] {
  const roots = webhook.log.map((value) => value.roots);
  return webhook.watched || roots.length === 1 ? roots : [null, ...roots.slice(-1)];
}

/** Carries out a runtime's pending action, answered. */
export function commitRuntime(world: World, index: number): World {
  const runtime = world.runtimes[index];
  if (runtime === undefined || runtime.pending === null) return world;
  const cleared = replaceRuntime(world, index, { ...runtime, pending: null });
  return applyRuntimeWrite(cleared, index, runtime.pending) ?? cleared;
}

/** The API servers' part; `null` on a conflict or when the cluster cannot be reached. */
export function applyRuntimeWrite(
  world: World,
  index: number,
  pending: NonNullable<RuntimeState['pending']>,
): World | null {
  const runtime = world.runtimes[index];
  if (runtime === undefined || runtime.kyma !== 'present') return null;
  const version = `v${world.counter}`;
  const counted = { ...world, counter: world.counter + 1 };
  const put = (next: RuntimeState): World => replaceRuntime(counted, index, next);
  const { action } = pending;
  switch (action.do) {
    case 'register': {
      if (runtime.record !== null) return null;
      const held: Holdings = { beyond: 'unseen', values: [] };
      return put({ ...runtime, record: { version, held } });
    }
    case 'record':
      if (runtime.record?.version !== pending.recordVersion) return null;
      return put({
        ...runtime,
        record: { version, held: action.held },
        fenced: runtime.fenced.filter((serial) => action.held.values.some((value) => value.serial === serial)),
      });
    case 'writeCaBundle': {
      if (!runtime.reachable || runtime.webhook?.version !== action.baseVersion) return null;
      const log = [...runtime.webhook.log, { version, roots: action.caBundle }].slice(-1 - world.maxLag);
      return put({ ...runtime, webhook: { ...runtime.webhook, version, serial: action.serial, log } });
    }
    case 'writeSecret': {
      const standing = runtime.log.at(-1)?.resourceVersion ?? '';
      if (!runtime.reachable || standing !== action.baseVersion) return null;
      const value = { resourceVersion: version, serial: action.serial, bundle: action.bundle, client: pending.client };
      return put({ ...runtime, log: [...runtime.log, value].slice(-1 - world.maxLag) });
    }
  }
}

export function replaceRuntime(world: World, index: number, runtime: RuntimeState): World {
  return { ...world, runtimes: world.runtimes.map((other, at) => (at === index ? runtime : other)) };
}
