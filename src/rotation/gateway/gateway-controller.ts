import { FIELD_MANAGER, TRUST_DOMAIN } from '../../api/names.ts';
import { explain, type Reason } from '../../api/reasons.ts';
import type { TrustDomain } from '../../api/trust-domain.ts';
import type { Clock } from '../../controller/clock.ts';
import { type Controller, type ReconcileResult, type RunRecord, startController } from '../../controller/controller.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { isConflict } from '../../kubernetes/errors.ts';
import type { Bundle } from '../../pki/bundle.ts';
import type { Fleet } from '../decide/fleet.ts';
import { decideGateway, type GatewayAction, type GatewayObserved, type GatewayPlan } from '../decide/gateway.ts';
import { noteRound, type ProbeRound } from '../decide/gateway-journal.ts';
import { rootValue } from '../observe/as-values.ts';
import { sameJson } from '../observe/same-json.ts';
import type { Tell } from '../tell.ts';
import { actOnGateway } from './act-gateway.ts';
import { domainStatus, provesTheSame } from './domain-status.ts';
import type { DomainStores } from './domain-stores.ts';
import type { DomainView } from './domain-view.ts';
import { fleetTraces } from './fleet-traces.ts';
import { observedFleet, readFleetLive } from './gateway-fleet.ts';
import { gatewayMemory } from './gateway-memory.ts';
import { gatewayObserved, haltOf, hostsOf } from './gateway-observed.ts';
import { gatewayDelays } from './gateway-policy.ts';
import { nextLookMs } from './next-look.ts';
import { type GatewayReadings, observeGateway } from './observe-gateway.ts';
import { readGatewaySecret } from './observe-gateway-secret.ts';
import { probeIdentities } from './probe-identities.ts';
import { type ProbeQuestion, startProbeLoop } from './probe-loop.ts';
import type { EndpointAnswers } from './probe-round.ts';

export interface GatewayControllerOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly stores: DomainStores;
  readonly tell: Tell;
  readonly onRun?: (record: RunRecord) => void;
  /** Throws when this process may not write any more. */
  readonly guard: () => void;
  /** After each pass. */
  readonly onPass?: () => void;
  /** After each probe round: `proven`, or what kept it from being a proof. */
  readonly onProbe?: (result: string) => void;
  /** After each confirmed change, for events and metrics. */
  readonly onChange?: (change: GatewayChangeTold) => void;
}

export interface GatewayChangeTold {
  readonly domain: TrustDomain;
  readonly reason: Reason;
  readonly note: string;
}

export interface GatewayController {
  /** Something that it reads has changed. */
  wake(): void;
  /** The fleet has changed; many such changes are looked at together. */
  wakeForFleet(): void;
  /** Whether this process wrote this version of the trust domain. */
  wroteDomain(domain: TrustDomain): boolean;
  state(): ReturnType<Controller['state']>;
  stop(): Promise<void>;
}

const key = 'gateway';
/** A rotation takes some ten passes; more in a row means that somebody undoes what is done. */
const mostPasses = 30;
const fleetDebounceMs = 50;
const countsEveryMs = 1_000;
const requestTimeoutMs = 10_000;
/** So long a lost gateway Secret waits for runtimes that have not been looked at: the others are cut off meanwhile. */
const lossPatienceMs = 10_000;
const lossLookMs = 200;

/** Steps 0 to 2, 6 and 7 of the rotation for one trust domain: observe, decide, act, and again until nothing is to be done. */
export function startGatewayController(options: GatewayControllerOptions): GatewayController {
  const { client, clock, stores, tell } = options;
  const memory = gatewayMemory(clock);
  const identities = probeIdentities(clock);
  let question: ProbeQuestion | null = null;
  let lastRound: readonly EndpointAnswers[] | null = null;
  let countsWrittenMs = Number.NEGATIVE_INFINITY;
  let writtenVersion: string | undefined;
  let lossSinceMs: number | undefined;

  const controller = startController({
    name: 'gateway',
    reconcile: (_, signal) => reconcile(signal),
    clock,
    backoff: { baseMs: 200, maxMs: 30_000 },
    ...(options.onRun === undefined ? {} : { onRun: options.onRun }),
  });
  const probes = startProbeLoop({
    client,
    clock,
    identities,
    question: () => {
      const journal = memory.journal();
      return question === null || journal === null ? null : { ...question, journal };
    },
    onRound,
    onFault: (error) => tell.warn('Probe round failed', { error: messageOf(error) }),
  });

  function onRound(round: ProbeRound, answers: readonly EndpointAnswers[]): void {
    const before = memory.journal();
    if (before === null || question === null) return;
    const after = noteRound(before, round, gatewayDelays(question.spec), clock.nowMs());
    memory.replaceJournal(after);
    options.onProbe?.(after.doubt ?? 'proven');
    const first = lastRound === null;
    lastRound = answers;
    const moved = after.bundles.length !== before.bundles.length || after.servers.length !== before.servers.length;
    if (moved || first || after.doubt !== before.doubt) controller.add(key);
  }

  async function reconcile(signal: AbortSignal): Promise<ReconcileResult> {
    for (let passes = 0; passes < mostPasses; passes += 1) {
      const result = await pass(signal);
      if (result !== 'again') return result;
    }
    tell.warn('Gateway Secret keeps changing', { passes: mostPasses });
    return { againAfterMs: 5_000 };
  }

  async function pass(signal: AbortSignal): Promise<ReconcileResult | 'again'> {
    const call = { signal, timeoutMs: requestTimeoutMs };
    const readings = await observeGateway(client, stores.ref, stores.refs, clock.nowMs, call);
    if (readings === null) {
      question = null;
      return {};
    }
    const { domain, gatewaySecret } = readings;
    const twin = stores.olderTwin();
    const halted = haltOf(readings, twin);
    memory.noteRead(gatewaySecret, domain.status?.proof ?? null);

    const members = stores.members();
    const records = stores.records();
    const nowMs = clock.nowMs();
    const traces = tracesOf(readings);
    const observed = gatewayObserved(readings, memory, {
      nowMs,
      fleet: observedFleet(members.keys(), records, memory.unprovenForMs, false),
      traces: { any: traces.any, lastSeen: memory.lastSeen()?.secret ?? null, roots: traces.values },
    });
    let { plan, fleet } = plannedBy(observed);
    if (halted === null && plan.action?.do === 'readFleet') {
      const live = await readFleetLive(client, domain.spec.runtimes, memory.unprovenForMs, call);
      // The same version of the gateway Secret, which was read before: the write fails if it has changed since.
      ({ plan, fleet } = plannedBy({ ...observed, nowMs: clock.nowMs(), fleet: live }));
    }
    if (twin === undefined) await askGateway(readings, plan);

    const secret = gatewaySecret.state === 'readable' ? gatewaySecret.secret : null;
    const view: DomainView = {
      domain,
      plan,
      secret,
      journal: memory.journal(),
      rootDetails: readings.root.details,
      rootCertificate: readings.root.certificate,
      names: [...members.keys()],
      records,
      halted,
      endpointNotes: notesOf(lastRound),
      endpointCount: lastRound?.length ?? null,
      nowMs,
    };
    const action = halted === null ? possible(plan.action, readings) : null;
    const leftBehind = plan.switch?.breaks ?? [];
    if (action?.do === 'write' && action.why === 'ServerSwitched' && leftBehind.length > 0) {
      // The status forgets them with the candidate, so they are named here for good.
      tell.warn('Server switches without runtimes that were given up', { runtimes: leftBehind });
    }
    const acting = (): Promise<ReconcileResult | 'again'> =>
      action === null ? Promise.resolve('again') : act(readings, action, traces.bundle, call);
    // Whoever reads the trusted roots there may rely on them from now on, so they stand there before anything is done;
    // what nobody relies on need not be waited for.
    const [published, acted] =
      action !== null && provesTheSame(view)
        ? await Promise.all([publish(view, false, call), acting()])
        : [await publish(view, action === null, call), null];
    options.onPass?.();
    if (published === 'conflict') return 'again';
    if (action !== null) return acted ?? (await acting());

    const look = nextLookMs({ plan, policy: observed.policy, root: observed.root, secret, fleet, nowMs });
    const lossMs = plan.action?.do === 'restore' ? lossLookMs : null;
    const waits = [look, published === 'later' ? countsEveryMs : null, lossMs].filter((ms) => ms !== null);
    return waits.length === 0 ? {} : { againAfterMs: Math.min(...waits) };
  }

  /** The action that can be made now. */
  function possible(
    action: GatewayAction | null,
    readings: GatewayReadings,
  ): Exclude<GatewayAction, { readonly do: 'readFleet' }> | null {
    if (action === null || action.do === 'readFleet') return null;
    // Without a Gateway or a server certificate nobody knows which hosts a new one has to cover.
    if (hostsOf(readings, memory).length === 0 && action.do !== 'write') return null;
    if (action.do === 'restore' && mustLookFirst()) return null;
    lossSinceMs = undefined;
    return action;
  }

  /** A process that never saw the lost Secret restores it from what runtimes hold, so they are looked at before. */
  function mustLookFirst(): boolean {
    if (memory.lastSeen() !== null || stores.unseenRuntimes() === 0) return false;
    lossSinceMs ??= clock.monotonicMs();
    return clock.monotonicMs() - lossSinceMs < lossPatienceMs;
  }

  function plannedBy(observed: GatewayObserved): { readonly plan: GatewayPlan; readonly fleet: Fleet } {
    const plan = decideGateway(observed);
    memory.noteAwaited(plan);
    return { plan, fleet: observed.fleet };
  }

  async function askGateway(readings: GatewayReadings, plan: GatewayPlan): Promise<void> {
    const { root, rootSecret, gateway, gatewaySecret, domain } = readings;
    if (plan.admission.admitted && root.certificate !== null && rootSecret !== undefined) {
      // Now, while the key is at hand: once the root has been replaced it cannot be asked about otherwise.
      await identities.provide(root.certificate, rootSecret);
    }
    const bundled = gatewaySecret.state === 'readable' ? gatewaySecret.secret.bundle.map(({ digest }) => digest) : [];
    identities.keepOnly([...bundled, ...(root.certificate === null ? [] : [root.certificate.digest])]);
    const journal = memory.journal();
    // Where there is no Gateway there is nobody to ask, and the delay stands in.
    const asked = typeof gateway === 'string' ? { hosts: [], ports: [], selector: {} } : gateway;
    question = plan.probe && journal !== null ? { spec: domain.spec, gateway: asked, journal } : null;
    if (question === null) lastRound = null;
    probes.wake();
  }

  /** `later`: only numbers differ, and those were written a moment ago. */
  async function publish(
    view: DomainView,
    idle: boolean,
    call: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<'done' | 'later' | 'conflict'> {
    const status = domainStatus(view);
    const before = view.domain.status ?? {};
    if (sameJson(before, status)) return 'done';
    const numbersOnly = sameJson(withoutNumbers(before), withoutNumbers(status)) && provesTheSame(view);
    const sinceMs = clock.monotonicMs() - countsWrittenMs;
    if (numbersOnly && (!idle || sinceMs < countsEveryMs)) return 'later';
    try {
      options.guard();
      const written = await client.replaceStatus(
        TRUST_DOMAIN,
        { ...view.domain, status },
        { ...call, fieldManager: FIELD_MANAGER },
      );
      writtenVersion = written.metadata.resourceVersion;
    } catch (error) {
      if (isConflict(error)) return 'conflict';
      throw error;
    }
    countsWrittenMs = clock.monotonicMs();
    return 'done';
  }

  async function act(
    readings: GatewayReadings,
    action: Exclude<GatewayAction, { readonly do: 'readFleet' }>,
    traceBundle: Bundle,
    call: { readonly signal: AbortSignal; readonly timeoutMs: number },
  ): Promise<ReconcileResult | 'again'> {
    const { domain, root, gatewaySecret, rootSecret, candidateSecret } = readings;
    const object = gatewaySecret.state === 'missing' ? undefined : gatewaySecret.object;
    const current = root.certificate === null ? [] : [root.certificate];
    const bundled = gatewaySecret.state === 'readable' ? gatewaySecret.bundle : [];
    const lastSeen = memory.lastSeen();
    options.guard();
    const answer = await actOnGateway(
      client,
      action,
      {
        spec: domain.spec,
        rootSecret,
        gatewaySecret: object,
        candidateSecret,
        hosts: hostsOf(readings, memory),
        certificates: memory.certificates([...bundled, ...traceBundle, ...current]),
        lastServer: lastSeen?.secret.server ? lastSeen.object : undefined,
        nowMs: clock.nowMs(),
      },
      call,
    );
    tell.info(toldOf(action), { ...factsOf(action), outcome: answer.outcome });
    if (answer.outcome === 'written')
      options.onChange?.({ domain, reason: reasonOf(action), note: explain(reasonOf(action)) });
    if (answer.outcome === 'unknown') {
      memory.forget();
      throw answer.error;
    }
    if (answer.outcome === 'written' && action.do !== 'issueCandidate') {
      const written = readGatewaySecret(answer.object, current);
      memory.noteWritten(written, object?.metadata.resourceVersion ?? '');
      // What is watched may not show the user yet that the live read has found; it will, and that is an event.
      if (action.do === 'write' && action.why === 'RootKept') return { againAfterMs: 1_000 };
    }
    return 'again';
  }

  function tracesOf(readings: GatewayReadings) {
    if (readings.gatewaySecret.state === 'readable') return { any: true, values: [], bundle: [] };
    const { any, roots } = fleetTraces([...stores.records().values()], stores.clientSecrets(), stores.runtimeBundles());
    return { any: any || memory.lastSeen() !== null, values: roots.map(rootValue), bundle: roots };
  }

  let fleetTimer: ReturnType<Clock['setTimer']> | undefined;
  return {
    wake: () => controller.add(key),
    wakeForFleet() {
      fleetTimer ??= clock.setTimer(fleetDebounceMs, () => {
        fleetTimer = undefined;
        controller.add(key);
      });
    },
    wroteDomain: ({ metadata }) => metadata.resourceVersion === writtenVersion,
    state: () => controller.state(),
    async stop() {
      fleetTimer?.cancel();
      question = null;
      await Promise.all([probes.stop(), controller.stop()]);
    },
  };
}

function toldOf(action: GatewayAction): string {
  switch (action.do) {
    case 'create':
      return 'Gateway Secret created';
    case 'restore':
      return 'Gateway Secret restored';
    case 'issueCandidate':
      return 'Server certificate issued as candidate';
    default:
      return 'Gateway Secret changed';
  }
}

function reasonOf(action: Exclude<GatewayAction, { readonly do: 'readFleet' }>): Reason {
  switch (action.do) {
    case 'create':
      return 'GatewaySecretCreated';
    case 'restore':
      return 'GatewaySecretRestored';
    case 'issueCandidate':
      return 'CandidateIssued';
    case 'write':
      return action.why;
  }
}

function factsOf(action: GatewayAction): Readonly<Record<string, unknown>> {
  if (action.do === 'write') {
    return {
      why: action.why,
      bundle: action.bundle.map(({ digest }) => digest.slice(0, 12)),
      closing: action.closing.map((digest) => digest.slice(0, 12)),
      ...(action.server === null ? {} : { server: action.server.digest.slice(0, 12) }),
    };
  }
  if (action.do === 'issueCandidate') return { why: action.why, root: action.root.digest.slice(0, 12) };
  return action.do === 'readFleet' ? {} : { root: action.root.digest.slice(0, 12) };
}

function notesOf(answers: readonly EndpointAnswers[] | null): readonly string[] {
  return (answers ?? [])
    .filter(({ reasons }) => reasons.length > 0)
    .slice(0, 3)
    .map(({ host, port, reasons }) => `${host}:${port}: ${reasons.join(', ')}.`);
}

function withoutNumbers<
  S extends {
    readonly runtimes?: unknown;
    readonly nextStep?: unknown;
    readonly conditions?: unknown;
    readonly candidate?: { readonly waitsFor?: unknown };
  },
>(status: S): unknown {
  const { runtimes: _runtimes, nextStep: _nextStep, conditions, candidate, ...rest } = status;
  const spoken = (
    (conditions ?? []) as readonly { readonly type: string; readonly status: string; readonly reason: string }[]
  ).map(({ type, status, reason }) => ({ type, status, reason }));
  return {
    ...rest,
    conditions: spoken,
    candidate: candidate === undefined ? null : { ...candidate, waitsFor: [], waitsForCount: 0 },
  };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
