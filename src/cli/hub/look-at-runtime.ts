import { durationMs } from '../../api/duration.ts';
import type { Reason } from '../../api/reasons.ts';
import type { Clock } from '../../controller/clock.ts';
import { createLane } from '../../fleet/lane.ts';
import type { Member } from '../../fleet/member.ts';
import type { WarmClients } from '../../fleet/warm-clients.ts';
import { decideRuntime, type RuntimeObserved, type RuntimePlan } from '../../rotation/decide/runtime.ts';
import { contactCluster } from '../../rotation/runtime/contact-cluster.ts';
import { type ClusterReading, heldNow, observedRuntime } from '../../rotation/runtime/observe-runtime.ts';
import { runtimeMemory } from '../../rotation/runtime/runtime-memory.ts';
import { wantedCertificate } from '../../rotation/runtime/wanted-certificate.ts';
import type { HubObserved } from './observe-hub.ts';

/** One runtime, as the operator's own observing code sees it, and what would be done there next. */
export interface RuntimeLook {
  readonly name: string;
  readonly observed: RuntimeObserved;
  readonly plan: RuntimePlan;
  /** Why its cluster could not be read; `null` where it was, or nobody tried. */
  readonly unreachable: { readonly reason: Reason; readonly message: string } | null;
}

/** Clusters that are read at once. */
const width = 20;

/**
 * Looks at every runtime of the fleet.
 *
 * @param clients `null`: only at what stands in the hub
 * @param onLook called after each
 */
export async function lookAtRuntimes(
  hub: HubObserved,
  clients: WarmClients | null,
  clock: Clock,
  onLook: (done: number, whole: number) => void,
  signal: AbortSignal,
): Promise<readonly RuntimeLook[]> {
  const lane = createLane(width);
  let done = 0;
  const looks = await Promise.all(
    [...hub.members.values()].map(async (member) => {
      const leave = await lane.enter(signal);
      try {
        const cluster = clients === null ? nobodyAsked(hub, member) : await read(hub, clients, member, clock, signal);
        return lookFrom(hub, member, cluster, clock);
      } finally {
        leave();
        done += 1;
        onLook(done, hub.members.size);
      }
    }),
  );
  const taken = looks.some(({ plan }) => plan.comesFirst && isRenewal(plan));
  return taken ? looks.map(yielding) : looks;
}

/** While somebody who comes first is asked for, the others wait. */
function yielding(look: RuntimeLook): RuntimeLook {
  if (look.plan.comesFirst || !isRenewal(look.plan)) return look;
  const observed = { ...look.observed, hub: { ...look.observed.hub, taintedAhead: true } };
  return { ...look, observed, plan: decideRuntime(observed) };
}

function isRenewal({ issue }: RuntimePlan): boolean {
  return issue.step === 'renew' || (issue.step === 'apply' && issue.reason === 'CertificateDiffers');
}

async function read(
  { domain }: HubObserved,
  clients: WarmClients,
  member: Member,
  clock: Clock,
  signal: AbortSignal,
): Promise<ClusterReading> {
  const { cluster } = await contactCluster(clients, member, domain.spec.runtimes, clock, true, signal);
  return cluster;
}

/** What the operator last said of the cluster. */
function nobodyAsked({ records }: HubObserved, { name }: Member): ClusterReading {
  const conditions = records.get(name)?.status?.conditions;
  const reachable = conditions?.find(({ type }) => type === 'Reachable');
  const reason = reachable?.status === 'False' ? (reachable.reason as Reason) : 'NotLookedAt';
  return { state: 'unreachable', reason, message: reachable?.message ?? '' };
}

function lookFrom(hub: HubObserved, member: Member, cluster: ClusterReading, clock: Clock): RuntimeLook {
  const { domain, readings, records, issuer } = hub;
  const at = {
    cluster,
    hub: { domain, gateway: readings.gatewaySecret },
    held: heldNow(cluster, records.get(member.name)),
    issuer: issuer.read(wantedCertificate(member, domain.spec)),
    mayRenew: true,
    taintedAhead: false,
    nextSerial: 'next',
  };
  const observed = observedRuntime(
    at,
    runtimeMemory(),
    afterDelays(clock, durationMs(domain.spec.proof.propagationDelay)),
  );
  const unreachable = cluster.state === 'read' ? null : { reason: cluster.reason, message: cluster.message };
  return { name: member.name, observed, plan: decideRuntime(observed), unreachable };
}

/**
 * A clock on which a delay has passed since every reading. The operator has counted its delays for longer than this process
 * lives, so what is decided once they have passed is nearer to what it does next than a wait that begins anew. What it still
 * waits for stands in the record.
 */
function afterDelays(clock: Clock, delayMs: number): Clock {
  return { ...clock, monotonicMs: () => clock.monotonicMs() + delayMs + 1 };
}
