import { durationMs } from '../../api/duration.ts';
import { heldIn } from '../../api/held.ts';
import { KYMA } from '../../api/names.ts';
import { explain } from '../../api/reasons.ts';
import type { RuntimeTrust } from '../../api/runtime-trust.ts';
import type { TrustDomainSpec } from '../../api/trust-domain.ts';
import { backoffMs } from '../../controller/backoff.ts';
import { type Controller, type ReconcileResult, type RunRecord, startController } from '../../controller/controller.ts';
import type { Priority } from '../../controller/fair-turns.ts';
import { createLane } from '../../fleet/lane.ts';
import type { Member } from '../../fleet/member.ts';
import type { IssuerAnswer } from '../../issuers/issuer.ts';
import type { Bundle } from '../../pki/bundle.ts';
import { mayPresent } from '../decide/holdings.ts';
import type { IssueStep } from '../decide/needs-issue.ts';
import type { RuntimePlan } from '../decide/runtime.ts';
import type { Digest } from '../decide/values.ts';
import { sameJson } from '../observe/same-json.ts';
import { type Tell, tellOf } from '../tell.ts';
import { writeRecord } from './act-runtime.ts';
import { contactCluster } from './contact-cluster.ts';
import { forgetRuntime } from './forget-runtime.ts';
import { issuingWith } from './issue-certificate.ts';
import { leftAlone } from './record-status.ts';
import { type RuntimeMemory, runtimeMemory } from './runtime-memory.ts';
import { type VisitParts, versionsOf, visitRuntime } from './visit-runtime.ts';
import { wantedCertificate } from './wanted-certificate.ts';
import { createWaves } from './waves.ts';

export interface RuntimeControllerOptions extends Omit<VisitParts, 'mayRenew' | 'taintedAhead' | 'onRecord'> {
  readonly member: (name: string) => Member | undefined;
  readonly record: (name: string) => RuntimeTrust | undefined;
  readonly tell: Tell;
  readonly random: () => number;
  readonly onRun?: (record: RunRecord) => void;
  readonly onIssuance?: (reason: string) => void;
}

export interface RuntimeController {
  /** Something that a look at this runtime reads has changed. */
  wake(name: string, priority?: Priority): void;
  /** The gateway's proofs have changed: those who wait for one, or are being looked at, look again. */
  wakeForProof(): void;
  /** An issuance has ended, or may have: those whose turn it is now look again. */
  wakeForWave(): void;
  /** Whether this process wrote this version of the record. */
  wroteRecord(record: RuntimeTrust): boolean;
  /** Bundles that runtimes were last seen to hold. */
  bundles(): readonly Bundle[];
  looked(name: string): boolean;
  state(): ReturnType<Controller['state']>;
  stop(): Promise<void>;
}

/** Far above what the lanes let through: a runtime that waits for its place must not take another's. */
const mostRuns = 100_000;
/** A cluster that has not answered by then leaves its place to the next one. */
const placeForMs = 1_500;
const troubleBackoff = { baseMs: 1_000, maxMs: 300_000 };
const issueAgainMs = 1_000;

/** Steps 3 to 5 of the rotation, one item per runtime. What goes wrong with one holds no other (L2). */
export function startRuntimeController(options: RuntimeControllerOptions): RuntimeController {
  const { clock, issuer, random } = options;
  const memories = new Map<string, RuntimeMemory>();
  const written = new Map<string, string>();
  const issuing = issuingWith(issuer);
  const width = options.spec()?.delivery.concurrency ?? 20;
  const lanes = { quick: createLane(width), slow: createLane(Math.max(2, Math.ceil(width / 4))) };
  const failures = new Map<string, number>();

  const places = (): number => issuing.places(options.spec()?.waves.concurrentIssuances ?? 1);
  const waves = createWaves({ places, onTurn: (name) => wake(name), clock, patienceMs: placeForMs });

  const parts: VisitParts = {
    ...options,
    mayRenew: () => places() > 0,
    taintedAhead: waves.taintedAhead,
    onRecord: ({ metadata }) => written.set(metadata.name, metadata.resourceVersion ?? ''),
  };
  const controller = startController({
    name: 'runtime',
    reconcile,
    clock,
    random,
    concurrency: mostRuns,
    backoff: { baseMs: 500, maxMs: 300_000 },
    onRun(record) {
      if (record.outcome === 'failed') {
        memoryOf(record.key).dirty = true;
        waves.stepBack(record.key);
      }
      options.onRun?.(record);
    },
  });

  function memoryOf(name: string): RuntimeMemory {
    const known = memories.get(name) ?? runtimeMemory();
    memories.set(name, known);
    return known;
  }

  async function reconcile(name: string, signal: AbortSignal): Promise<ReconcileResult> {
    const member = options.member(name);
    const spec = options.spec();
    if (spec === undefined) return {};
    if (member === undefined) return forget(name, spec, signal);
    const memory = memoryOf(name);
    const wasDirty = memory.dirty;
    memory.dirty = false;
    memory.looking = true;
    const leavePlace = await (memory.troubled ? lanes.slow : lanes.quick).enter(signal, priorityOf(name));
    const patience = clock.setTimer(placeForMs, leavePlace);
    try {
      const rest = memory.rest;
      if (!wasDirty && rest !== null && clock.nowMs() < rest.untilMs) {
        const { cluster } = await contactCluster(options.clients, member, spec.runtimes, clock, false, signal);
        if (sameJson(versionsOf(cluster), rest.versions)) return { againAfterMs: driftMs(spec) };
      }
      return await visit(member, spec, memory, signal);
    } finally {
      memory.looking = false;
      memory.looked = true;
      patience.cancel();
      leavePlace();
    }
  }

  async function visit(
    member: Member,
    spec: TrustDomainSpec,
    memory: RuntimeMemory,
    signal: AbortSignal,
  ): Promise<ReconcileResult> {
    const { name } = member;
    const tell = tellOf(options.tell, { runtime: name });
    memory.rest = null;
    if (member.skipped) return leave(name, spec, signal);
    const wanted = wantedCertificate(member, spec);
    let issued: Promise<IssuerAnswer> | undefined;
    memory.issueTrouble = lacksDomain(member)
      ? { reason: 'RuntimeDomainMissing', message: explain('RuntimeDomainMissing') }
      : memory.issueTrouble;
    const last: { issue: IssueStep } = { issue: { step: 'none' } };
    const ask = (step: IssueStep, current: Digest | null): void => {
      if (step.step !== 'apply' && step.step !== 'renew') return;
      if (lacksDomain(member)) return;
      if (issued === undefined) options.onIssuance?.(step.reason);
      if (step.step === 'renew') memory.askedFor = current;
      issued ??= issuing.perform(step, wanted, tell, signal).catch((error: unknown) => {
        if (!signal.aborted)
          tell.warn('Issuer cannot be asked', { error: error instanceof Error ? error.message : String(error) });
        return 'again' as const;
      });
    };
    const onPlan = (plan: RuntimePlan, current: Digest | null): void => {
      last.issue = plan.issue;
      ask(plan.issue, current);
      // After the asking, which takes a place.
      waves.noteLook(name, plan.issue, plan.comesFirst);
    };
    const end = await visitRuntime(parts, { member, wanted, memory, tell, onPlan, signal });
    const answer = await issued;
    if (answer !== undefined && answer !== 'again') {
      memory.issueTrouble = answer === 'done' ? null : foreignOwner(answer.refused);
    }
    // The place that it had taken is free again, and no event tells.
    if (answer !== undefined && answer !== 'done') waves.call();
    tellWaits(tell, memory, end.plan?.waits ?? []);
    memory.troubled = !end.reachable;
    if (!end.reachable) {
      const count = (failures.get(name) ?? 0) + 1;
      failures.set(name, count);
      return { againAfterMs: backoffMs(troubleBackoff, count, random()) };
    }
    failures.delete(name);
    const waitsMs = [
      driftMs(spec),
      end.plan?.wakeAfterMs ?? null,
      answer === 'again' ? issueAgainMs : null,
      // No event tells that the wait is over.
      last.issue.step === 'wait' && last.issue.reason === 'IssuerBackOff'
        ? Math.max(1, issuer.read(wanted).backOffUntilMs - clock.nowMs())
        : null,
      end.plan?.waits.includes('WebhookMayNotTrustSigner')
        ? memory.nextCaBundleMs(clock.monotonicMs(), durationMs(spec.proof.propagationDelay))
        : null,
    ].filter((ms) => ms !== null);
    if (end.plan !== null && end.versions !== null && answer === undefined && isAtRest(end.plan)) {
      memory.rest = { versions: end.versions, untilMs: end.renewalMs };
    }
    return { againAfterMs: Math.min(...waitsMs) };
  }

  /** A runtime that is not to be touched says so in its record, once. */
  async function leave(name: string, spec: TrustDomainSpec, signal: AbortSignal): Promise<ReconcileResult> {
    waves.forget(name);
    const record = options.record(name);
    const status = record === undefined ? undefined : leftAlone(record, 'RuntimeSkipped', clock.nowMs());
    if (record !== undefined && status !== undefined && !sameJson(record.status, status)) {
      options.guard();
      const answer = await writeRecord(options.client, record, status, { signal });
      if (answer.outcome === 'unknown') throw answer.error;
      if (answer.outcome === 'written') parts.onRecord(answer.object);
    }
    return { againAfterMs: driftMs(spec) };
  }

  async function forget(name: string, spec: TrustDomainSpec, signal: AbortSignal): Promise<ReconcileResult> {
    options.guard();
    const gone = await forgetRuntime(
      { client: options.client, issuer, runtimes: spec.runtimes, runtime: name, record: options.record(name) },
      { signal },
    );
    if (!gone) return { againAfterMs: 1_000 };
    options.clients.drop(name);
    memories.delete(name);
    written.delete(name);
    failures.delete(name);
    waves.forget(name);
    options.tell.info('Runtime is gone', { runtime: name });
    return {};
  }

  function driftMs(spec: TrustDomainSpec): number {
    // Spread, so that a fleet which was looked at in one burst is not looked at in another.
    return durationMs(spec.drift.interval) * (0.8 + 0.4 * random());
  }

  /** What holds, or may still present, a pair of a tainted root is looked at before the rest (design, Emergency). */
  function priorityOf(name: string): Priority {
    const tainted = options.spec()?.tainted ?? [];
    if (tainted.length === 0) return 'low';
    const keys = tainted.map(({ publicKey }) => publicKey);
    return mayPresent(heldIn(options.record(name)?.status), keys) ? 'high' : 'low';
  }

  const wake = (name: string, priority?: Priority): void => {
    memoryOf(name).dirty = true;
    controller.add(name, priorityOf(name) === 'high' ? 'high' : priority);
  };
  return {
    wake,
    wakeForProof() {
      for (const [name, memory] of memories) if (memory.looking || memory.waits.length > 0) wake(name);
    },
    wakeForWave: waves.call,
    wroteRecord: ({ metadata }) => written.get(metadata.name) === metadata.resourceVersion,
    bundles: () => [...memories.values()].map(({ bundle }) => bundle),
    looked: (name) => memories.get(name)?.looked ?? false,
    state: () => controller.state(),
    stop() {
      waves.close();
      return controller.stop();
    },
  };
}

/** Kyma's readers expect the domain among the names of the certificate. */
function lacksDomain(member: Member): boolean {
  return member.owner.kind === KYMA.kind && (member.domain ?? '') === '';
}

function isAtRest({ action, waits, wakeAfterMs, issue }: RuntimePlan): boolean {
  return action === null && waits.length === 0 && wakeAfterMs === null && issue.step === 'none';
}

/** Once per change, or a wait of an hour would fill the log. */
function tellWaits(tell: Tell, memory: RuntimeMemory, waits: readonly string[]): void {
  if (waits.join() === memory.waits.join()) return;
  memory.waits = waits;
  if (waits.length > 0) tell.info('Delivery waits', { waits });
}

function foreignOwner(owners: string): RuntimeMemory['issueTrouble'] {
  return { reason: 'ForeignWriter', message: `${explain('ForeignWriter')} The Certificate belongs to ${owners}` };
}
