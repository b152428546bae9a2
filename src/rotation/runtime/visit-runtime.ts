import { randomBytes } from 'node:crypto';
import { durationMs } from '../../api/duration.ts';
import { explain, type Reason } from '../../api/reasons.ts';
import type { RuntimeTrust } from '../../api/runtime-trust.ts';
import type { TrustDomainSpec } from '../../api/trust-domain.ts';
import type { Clock } from '../../controller/clock.ts';
import type { Member } from '../../fleet/member.ts';
import type { WarmClients } from '../../fleet/warm-clients.ts';
import type { ClientCertificate, Issuer } from '../../issuers/issuer.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { isDenied } from '../../kubernetes/errors.ts';
import type { ObjectRef } from '../../kubernetes/resource.ts';
import { parseBundle } from '../../pki/bundle.ts';
import { confirm } from '../decide/holdings.ts';
import { decideRuntime, type RuntimeAction, type RuntimePlan } from '../decide/runtime.ts';
import type { Digest, Holdings } from '../decide/values.ts';
import { rootValue } from '../observe/as-values.ts';
import { sameJson } from '../observe/same-json.ts';
import { dataOf } from '../observe/secret-data.ts';
import type { Tell } from '../tell.ts';
import { register, writeCaBundle, writeRecord, writeSecret } from './act-runtime.ts';
import { type Contact, contactCluster } from './contact-cluster.ts';
import { isFight, isOverwritten, otherWriters, restFromFightMs } from './foreign-writer.ts';
import {
  type ClusterReading,
  type HubShared,
  heldNow,
  knownRoots,
  type Observation,
  observedRuntime,
  readRecord,
} from './observe-runtime.ts';
import { readWebhook } from './read-standing.ts';
import { recordStatus, type Said } from './record-status.ts';
import type { ClusterVersions, RuntimeMemory } from './runtime-memory.ts';

/** After each write to a runtime. `late`: it was not made, since the deadline had passed. */
export type OnDelivery = (kind: 'caBundle' | 'secret', result: 'written' | 'conflict' | 'failed' | 'late') => void;

export interface VisitParts {
  readonly client: KubeClient;
  readonly clients: WarmClients;
  readonly clock: Clock;
  readonly issuer: Issuer;
  readonly domainRef: ObjectRef;
  /** The spec as watched; for what has to be known before the hub is read. */
  readonly spec: () => TrustDomainSpec | undefined;
  /** The gateway Secret and the trust domain, read live after the asking; `null`: the trust domain is gone. */
  readonly readHub: () => Promise<HubShared | null>;
  readonly mayRenew: () => boolean;
  /** Another runtime that comes first waits for a place at the issuer. */
  readonly taintedAhead: (runtime: string) => boolean;
  /** Throws when this process may not write any more. */
  readonly guard: () => void;
  /** With each version of the record that this process wrote: an event of it needs no look. */
  readonly onRecord: (record: RuntimeTrust) => void;
  readonly onDelivery?: OnDelivery;
}

export interface Visit {
  readonly member: Member;
  readonly wanted: ClientCertificate;
  readonly memory: RuntimeMemory;
  readonly tell: Tell;
  /** With each plan; what it says of the certificate goes on beside the delivery: neither waits for the other. */
  readonly onPlan: (plan: RuntimePlan, current: Digest | null) => void;
  readonly signal: AbortSignal;
}

/** How a visit ended. */
export interface VisitEnd {
  /** `null`: the trust domain is gone. */
  readonly plan: RuntimePlan | null;
  readonly reachable: boolean;
  readonly versions: ClusterVersions | null;
  /** When the pair in the hub is renewed for its age; epoch milliseconds, infinite where there is none. */
  readonly renewalMs: number;
}

const nothingSeen: VisitEnd = { plan: null, reachable: true, versions: null, renewalMs: Number.POSITIVE_INFINITY };

/** Each write that is refused because something has changed costs another look. */
const mostLooks = 8;
const requestTimeoutMs = 10_000;

/** One runtime: observe, decide, act, until it rests or waits. Steps 3, 4 and 5 of the rotation. */
export async function visitRuntime(parts: VisitParts, visit: Visit): Promise<VisitEnd> {
  for (let looks = 0; looks < mostLooks; looks += 1) {
    const look = await lookAt(parts, visit);
    if (look === null) return nothingSeen;
    const end = await proceed(parts, visit, look);
    if (end !== 'lookAgain') return end;
  }
  throw new Error(`What is written for the runtime "${visit.member.name}" keeps changing; it is tried again later`);
}

/** What one look read, in the order that the protocol asks for. */
interface Look extends Contact {
  /** When it began, on the monotonic clock: the deadline of a delivery counts from here. */
  readonly beganMs: number;
  readonly hub: HubShared;
  readonly record: RuntimeTrust | undefined;
}

async function lookAt(parts: VisitParts, { member, memory, signal }: Visit): Promise<Look | null> {
  const spec = parts.spec();
  if (spec === undefined) return null;
  const beganMs = parts.clock.monotonicMs();
  const contact = await contactCluster(parts.clients, member, spec.runtimes, parts.clock, true, signal);
  if (contact.cluster.state === 'read') {
    memory.bundle = parseBundle(dataOf(contact.cluster.secret, 'ca.crt')).certificates;
  }
  const [hub, record] = await Promise.all([
    parts.readHub(),
    readRecord(parts.client, member, { signal, timeoutMs: requestTimeoutMs }),
  ]);
  return hub === null ? null : { ...contact, beganMs, hub, record };
}

/**
 * Acts on one look until nothing is to be done. What a write answers takes the place of what was read, so that a delivery
 * needs no second look between its two writes; only a new intent does, since it has to be registered before everything is read.
 */
async function proceed(parts: VisitParts, visit: Visit, look: Look): Promise<VisitEnd | 'lookAgain'> {
  const { clock } = parts;
  const { hub, beganMs } = look;
  const { spec } = hub.domain;
  const call = { signal: visit.signal, timeoutMs: requestTimeoutMs };
  let { cluster, record } = look;
  let held = heldNow(cluster, record);

  const observation = (): Observation => ({
    cluster,
    hub,
    held,
    issuer: parts.issuer.read(visit.wanted),
    mayRenew: parts.mayRenew(),
    taintedAhead: parts.taintedAhead(visit.member.name),
    nextSerial: randomBytes(9).toString('base64url'),
  });
  const isLate = (): boolean => clock.monotonicMs() > beganMs + durationMs(spec.delivery.deadline);

  for (;;) {
    const at = observation();
    const observed = observedRuntime(at, visit.memory, clock);
    const plan = decideRuntime(observed);
    visit.onPlan(plan, observed.hub.current?.digest ?? null);
    const { action } = plan;

    if (action === null) {
      if (record !== undefined && held !== null) {
        const saved = await save(parts, visit, { record, held, cluster, hub, plan, delivering: false }, call);
        if (saved === 'conflict') return 'lookAgain';
      }
      const endMs = observed.hub.certificate.pair?.notAfterMs ?? Number.POSITIVE_INFINITY;
      const renewalMs = endMs - observed.policy.renewBeforeMs;
      return { plan, reachable: cluster.state === 'read', versions: versionsOf(cluster), renewalMs };
    }
    parts.guard();

    if (action.do === 'register') {
      const registered = await register(parts.client, visit.member, parts.domainRef, call);
      if (registered.outcome === 'unknown') throw registered.error;
      if (registered.outcome === 'written') {
        const unseen: Holdings = { beyond: 'unseen', values: [] };
        record = registered.object;
        await save(parts, visit, { record, held: unseen, cluster, hub, plan, delivering: true }, call);
      }
      return 'lookAgain';
    }

    if (record === undefined || held === null) return 'lookAgain';

    if (action.do === 'record') {
      const delivering = isNewIntent(action.held, held);
      if (isOverwritten(held, action.held))
        visit.memory.overwritten = [...visit.memory.overwritten, clock.monotonicMs()];
      if (delivering && isFight(visit.memory.overwritten, clock.monotonicMs())) {
        const standing = cluster.state === 'read' ? cluster.secret : undefined;
        const message = `${explain('ForeignWriter')} Others: ${otherWriters(standing).join(', ') || 'unknown'}`;
        const trouble = { reason: 'ForeignWriter' as const, message };
        await save(parts, visit, { record, held, cluster, hub, plan, delivering: false, trouble }, call);
        return { ...nothingSeen, plan: { ...plan, action: null, wakeAfterMs: restFromFightMs } };
      }
      const saved = await save(parts, visit, { record, held: action.held, cluster, hub, plan, delivering }, call);
      if (saved === 'conflict' || delivering) return 'lookAgain';
      record = saved;
      held = action.held;
      continue;
    }

    if (cluster.state !== 'read' || look.warm === undefined) return 'lookAgain';
    // A sender that was held up must not write what it decided long ago: the fence counts on it (design 3.5).
    const kind = action.do === 'writeCaBundle' ? 'caBundle' : 'secret';
    if (isLate()) {
      parts.onDelivery?.(kind, 'late');
      return 'lookAgain';
    }
    visit.memory.noteSent(action.serial, clock.monotonicMs());
    try {
      if (action.do === 'writeCaBundle') {
        if (cluster.webhook === undefined) return 'lookAgain';
        const answer = await writeCaBundle(look.warm.client, cluster.webhook, action, knownRoots(at), call);
        if (answer.outcome !== 'unknown') parts.onDelivery?.(kind, answer.outcome);
        if (answer.outcome === 'conflict') return 'lookAgain';
        if (answer.outcome === 'unknown') throw answer.error;
        const reading = readWebhook(answer.object);
        const version = answer.object.metadata.resourceVersion ?? '';
        visit.memory.noteWebhook(version, (reading?.all ?? []).map(rootValue), true, clock.monotonicMs());
        cluster = { ...cluster, webhook: answer.object };
        continue;
      }
      const bundle = hub.gateway.state === 'readable' ? hub.gateway.bundle : [];
      const material = { runtimes: spec.runtimes, standing: cluster.secret, hub: at.issuer.secret, bundle };
      const answer = await writeSecret(look.warm.client, action, material, call);
      if (answer.outcome !== 'unknown') parts.onDelivery?.(kind, answer.outcome);
      if (answer.outcome === 'conflict') return 'lookAgain';
      if (answer.outcome === 'unknown') throw answer.error;
      visit.memory.noteInPlace(action.serial, clock.monotonicMs());
      held = confirm(held, action.serial, answer.object.metadata.resourceVersion ?? '');
      visit.tell.info('Delivered to runtime', deliveryFacts(action, cluster));
      cluster = { ...cluster, secret: answer.object };
    } catch (error) {
      if (visit.signal.aborted) throw error;
      parts.onDelivery?.(kind, 'failed');
      if (isDenied(error)) parts.clients.drop(visit.member.name);
      const trouble = { reason: 'WriteFailed' as const, message: messageOf(error) };
      await save(parts, visit, { record, held, cluster, hub, plan, delivering: false, trouble }, call);
      throw error;
    }
  }
}

interface Saving {
  readonly record: RuntimeTrust;
  readonly held: Holdings;
  readonly cluster: ClusterReading;
  readonly hub: HubShared;
  readonly plan: RuntimePlan;
  readonly delivering: boolean;
  readonly trouble?: { readonly reason: Reason; readonly message: string };
}

/** Writes the record where it differs from what stands. */
async function save(
  parts: VisitParts,
  visit: Visit,
  { record, held, cluster, hub, plan, delivering, trouble }: Saving,
  call: { readonly signal: AbortSignal; readonly timeoutMs: number },
): Promise<RuntimeTrust | 'conflict'> {
  const gateway = hub.gateway.state === 'readable' ? hub.gateway.secret : null;
  visit.memory.keepOnly(held.values.map(({ serial }) => serial));
  const status = recordStatus({
    record,
    held,
    clusterUid: cluster.state === 'read' ? cluster.clusterUid : undefined,
    reachable: reachable(cluster),
    issue: plan.issue,
    issueTrouble: visit.memory.issueTrouble,
    waits: waitsOf(plan, cluster),
    gateway,
    delivering,
    trouble: trouble ?? null,
    nowMs: parts.clock.nowMs(),
  });
  if (sameJson(record.status, status)) return record;
  const answer = await writeRecord(parts.client, record, status, call);
  if (answer.outcome === 'unknown') throw answer.error;
  if (answer.outcome === 'conflict') return 'conflict';
  parts.onRecord(answer.object);
  return answer.object;
}

/** Why the cluster does not answer, where that is so; else what the decision waits for. */
function waitsOf(plan: RuntimePlan, cluster: ClusterReading): readonly Reason[] {
  return cluster.state === 'unreachable' ? [cluster.reason] : plan.waits;
}

function reachable(cluster: ClusterReading): Said {
  if (cluster.state === 'read') return { status: 'True', reason: 'Reachable' };
  const { reason, message } = cluster;
  return { status: 'False', reason, ...(message === '' ? {} : { message: `${explain(reason)} ${message}` }) };
}

/** By which a later read of the cluster alone tells that nothing has changed there. */
export function versionsOf(cluster: ClusterReading): ClusterVersions | null {
  if (cluster.state !== 'read') return null;
  const { secret, webhook, clusterUid } = cluster;
  const version = (object: { readonly metadata: { readonly resourceVersion?: string } } | undefined): string =>
    object?.metadata.resourceVersion ?? '';
  return { secret: version(secret), webhook: version(webhook), clusterUid };
}

function isNewIntent(next: Holdings, before: Holdings): boolean {
  const newest = next.values.at(-1);
  return newest?.state === 'intended' && before.values.at(-1)?.serial !== newest.serial;
}

function deliveryFacts(
  action: Extract<RuntimeAction, { readonly do: 'writeSecret' }>,
  cluster: Extract<ClusterReading, { readonly state: 'read' }>,
): Readonly<Record<string, unknown>> {
  const before = parseBundle(dataOf(cluster.secret, 'ca.crt')).certificates.map(({ digest }) => digest);
  const bundle = sameJson(before, action.bundle) ? 'same' : 'changed';
  return { bundle, pair: action.pair === 'hub' ? 'new' : 'same', roots: action.bundle.length, serial: action.serial };
}

function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
