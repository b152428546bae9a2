import { type ConditionNow, withConditions } from '../../api/condition.ts';
import { heldIn } from '../../api/held.ts';
import { explain, type Reason } from '../../api/reasons.ts';
import { MAX_NAMED_RUNTIMES, type TrustDomainStatus } from '../../api/trust-domain-status.ts';
import type { GatewayPlan } from '../decide/gateway.ts';
import type { GatewayJournal, StoredProof } from '../decide/gateway-journal.ts';
import { mayPresent } from '../decide/holdings.ts';
import type { GatewaySecret, Root } from '../decide/values.ts';
import { domainConditions } from './domain-conditions.ts';
import type { DomainCounts, DomainView } from './domain-view.ts';

/** The status as it should stand; equal to the standing one where nothing has changed. */
export function domainStatus(view: DomainView): TrustDomainStatus {
  const { domain, plan, secret, nowMs } = view;
  const before: TrustDomainStatus = domain.status ?? {};
  const generation = domain.metadata.generation ?? 0;
  const counts = countFleet(view);
  const changes = domainConditions(view, counts);
  const current = plan.admission.admitted ? plan.admission.root : null;
  const server = secret?.server ?? null;
  const switched = before.server !== undefined && server !== null && before.server.digest !== server.digest;
  return {
    observedGeneration: generation,
    conditions: withConditions(before.conditions, changes, generation, nowMs),
    ...(current === null ? {} : { root: rootStatus(current, view, before) }),
    ...(secret === null ? {} : { bundle: bundleStatus(secret, plan) }),
    trusted: plan.trusted.map(({ digest, added }) => ({ digest, added })),
    proof: storedProof(secret, view.journal),
    ...(server === null
      ? {}
      : { server: { digest: server.digest, ...signerOf(server.signer), notAfter: time(server.notAfterMs) } }),
    ...candidateStatus(plan),
    runtimes: counts,
    switches: (before.switches ?? 0) + (switched ? 1 : 0),
    nextStep: nextStep(changes),
  };
}

/**
 * The proof that a later process may start from: only of the version that stands, and only when nothing else can be in use. A
 * proof of an older version would say nothing of a newer one (S6).
 */
export function storedProof(secret: GatewaySecret | null, journal: GatewayJournal | null): StoredProof {
  if (secret === null || journal === null || journal.version !== secret.resourceVersion) {
    return { bundleVersion: '', serverVersion: '' };
  }
  const one = (possible: GatewayJournal['bundles'] | GatewayJournal['servers']): boolean =>
    possible.length === 1 && possible[0]?.value !== null;
  return {
    bundleVersion: one(journal.bundles) ? secret.resourceVersion : '',
    serverVersion: one(journal.servers) ? secret.resourceVersion : '',
  };
}

function rootStatus(
  current: Root,
  view: DomainView,
  before: TrustDomainStatus,
): NonNullable<TrustDomainStatus['root']> {
  const same = before.root?.digest === current.digest;
  return {
    digest: current.digest,
    keyId: current.keyId,
    subject: (view.rootCertificate?.subjectText ?? '').slice(0, 1024),
    notAfter: time(current.notAfterMs),
    since: (same ? before.root?.since : undefined) ?? time(view.nowMs),
  };
}

function bundleStatus(secret: GatewaySecret, plan: GatewayPlan): NonNullable<TrustDomainStatus['bundle']> {
  return secret.bundle.map(({ digest, keyId, notAfterMs }) => {
    const added = secret.added[digest];
    const keptBy = plan.retire?.kept[digest];
    return {
      digest,
      keyId,
      notAfter: time(notAfterMs),
      ...(added === undefined ? {} : { added }),
      trusted: plan.trusted.some((root) => root.digest === digest),
      ...(keptBy === undefined ? {} : { keptBy }),
    };
  });
}

function candidateStatus({ candidate, serverNeed, switch: verdict }: GatewayPlan): {
  readonly candidate?: NonNullable<TrustDomainStatus['candidate']>;
} {
  if (candidate === null) return {};
  const waitsFor = verdict?.waitsFor ?? [];
  return {
    candidate: {
      digest: candidate.digest,
      ...signerOf(candidate.signer),
      notAfter: time(candidate.notAfterMs),
      ...(serverNeed === null ? {} : { why: serverNeed }),
      waitsFor: [...waitsFor].sort().slice(0, MAX_NAMED_RUNTIMES),
      waitsForCount: waitsFor.length,
      breaks: [...(verdict?.breaks ?? [])].sort().slice(0, MAX_NAMED_RUNTIMES),
    },
  };
}

function countFleet({ domain, plan, secret, names, records }: DomainView): DomainCounts {
  const tainted = domain.spec.tainted.map(({ publicKey }) => publicKey);
  const key = plan.admission.admitted ? plan.admission.root.keyId : null;
  const counts = { total: 0, current: 0, bundle: 0, proven: 0, tainted: 0, issuing: 0, unreachable: 0 };
  for (const name of names) {
    counts.total += 1;
    const status = records.get(name)?.status;
    if (mayPresent(heldIn(status), tainted)) counts.tainted += 1;
    if (status === undefined) continue;
    const held = status.held?.values.at(-1);
    const whole = secret?.bundle.every((root) => held?.bundle?.includes(root.digest)) ?? false;
    if (held?.client && held.client.signer === key && held.state === 'confirmed') counts.current += 1;
    if (whole && held?.state === 'confirmed') counts.bundle += 1;
    if (status.proof === 'delivered') counts.proven += 1;
    if (hasReason(status.conditions, 'CertificateIssued', 'Issuing')) counts.issuing += 1;
    if (hasReason(status.conditions, 'Reachable', 'RuntimeUnreachable')) counts.unreachable += 1;
  }
  return counts;
}

function hasReason(conditions: TrustDomainStatus['conditions'], type: string, reason: Reason): boolean {
  return conditions?.some((one) => one.type === type && one.reason === reason) ?? false;
}

/** The first thing that does not hold says what is awaited; of a paused domain first that it is. */
function nextStep(changes: readonly ConditionNow[]): string {
  const open = changes.find(({ type, status }) => type !== 'Ready' && status !== 'True');
  const paused = changes.find(({ type, reason }) => type === 'Ready' && reason === 'Paused');
  // What is not known yet is not going to be known while it is paused.
  const step = paused !== undefined && open?.status === 'Unknown' ? undefined : (open?.message ?? explain('Settled'));
  const message = [paused?.message, step].filter((text) => text !== undefined).join(' ');
  return message.slice(0, 1024);
}

function signerOf(signer: string | null): { readonly signer?: string } {
  return signer === null ? {} : { signer };
}

function time(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** Whether proof and trust are as they stand in the status; what relies on them reads them there. */
export function provesTheSame(view: DomainView): boolean {
  const { status } = view.domain;
  const proof = storedProof(view.secret, view.journal);
  const trusted = status?.trusted ?? [];
  return (
    (status?.proof?.bundleVersion ?? '') === proof.bundleVersion &&
    (status?.proof?.serverVersion ?? '') === proof.serverVersion &&
    trusted.length === view.plan.trusted.length &&
    view.plan.trusted.every(
      (root, index) => trusted[index]?.digest === root.digest && trusted[index]?.added === root.added,
    )
  );
}
