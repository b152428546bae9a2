import { CERTIFICATE, CERTIFICATE_REQUEST, CLIENT_SECRET_LABELS, KYMA_LABEL } from '../../api/names.ts';
import type { RuntimeTrust } from '../../api/runtime-trust.ts';
import type { TrustDomain } from '../../api/trust-domain.ts';
import type { Clock } from '../../controller/clock.ts';
import type { Member } from '../../fleet/member.ts';
import { fleetSources, membersOf } from '../../fleet/members.ts';
import { certManager } from '../../issuers/cert-manager.ts';
import type { Issuer } from '../../issuers/issuer.ts';
import type { CallOptions } from '../../kubernetes/answer.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { isDenied, isNotFound } from '../../kubernetes/errors.ts';
import type { Selection } from '../../kubernetes/request.ts';
import { type KubeObject, type Resource, refOf, SECRET, type SecretObject } from '../../kubernetes/resource.ts';
import { createStore, type StoreReader } from '../../kubernetes/store.ts';
import type { GatewayObserved } from '../../rotation/decide/gateway.ts';
import type { DomainView } from '../../rotation/gateway/domain-view.ts';
import { fleetTraces } from '../../rotation/gateway/fleet-traces.ts';
import { observedFleet } from '../../rotation/gateway/gateway-fleet.ts';
import { gatewayMemory } from '../../rotation/gateway/gateway-memory.ts';
import { gatewayObserved, haltOf } from '../../rotation/gateway/gateway-observed.ts';
import { type GatewayReadings, observeGateway } from '../../rotation/gateway/observe-gateway.ts';
import { rootValue } from '../../rotation/observe/as-values.ts';
import { CommandFailure } from '../exit-code.ts';
import { readRecords } from './read-records.ts';

/** A hub as the operator's own observing code sees it, read once. */
export interface HubObserved {
  readonly domain: TrustDomain;
  readonly readings: GatewayReadings;
  /** What the decisions at the gateway take; the fleet in it was read live. */
  readonly gateway: GatewayObserved;
  readonly halted: DomainView['halted'];
  readonly members: ReadonlyMap<string, Member>;
  readonly records: ReadonlyMap<string, RuntimeTrust>;
  readonly issuer: Issuer;
  readonly certificates: readonly KubeObject[];
  /** Empty where they may not be read. */
  readonly certificateRequests: readonly KubeObject[];
}

/**
 * Reads what the operator reads, in its order: the gateway Secret before the fleet. What only a process that has run for a
 * while can know, for how long somebody has been awaited, is taken from the status.
 */
export async function observeHub(
  client: KubeClient,
  found: TrustDomain,
  clock: Clock,
  call: CallOptions,
): Promise<HubObserved> {
  const readings = await observeGateway(client, refOf(found), found.spec, clock.nowMs, call);
  if (readings === null) throw new CommandFailure(`TrustDomain ${found.metadata.name} was deleted meanwhile`);
  const { domain, gatewaySecret } = readings;
  const memory = gatewayMemory(clock);
  memory.noteRead(gatewaySecret, domain.status?.proof ?? null);

  const { issuer, runtimes } = domain.spec;
  const sources = fleetSources(runtimes);
  const purpose = `${KYMA_LABEL.purpose}=${CLIENT_SECRET_LABELS[KYMA_LABEL.purpose]}`;
  const listed = async <T extends KubeObject>(resource: Resource, selection: Selection): Promise<readonly T[]> =>
    (await client.list<T>(resource, selection, call)).items;
  const [objects, kubeconfigs, records, certificates, secrets, certificateRequests] = await Promise.all([
    listed<KubeObject>(sources.members.resource, sources.members.selection),
    sources.kubeconfigs === undefined ? [] : listed<SecretObject>(SECRET, sources.kubeconfigs),
    readRecords(client, domain, call),
    orNone(listed<KubeObject>(CERTIFICATE, { namespace: issuer.namespace })),
    listed<SecretObject>(SECRET, { namespace: issuer.namespace, labelSelector: purpose }),
    orNone(listed<KubeObject>(CERTIFICATE_REQUEST, { namespace: issuer.namespace })),
  ]);
  const members = membersOf(runtimes, objects, kubeconfigs);
  const givenUp = domain.status?.candidate?.breaks ?? [];
  const unprovenFor = (name: string): number => (givenUp.includes(name) ? Number.POSITIVE_INFINITY : 0);
  const traces = fleetTraces([...records.values()], secrets, []);
  return {
    domain,
    readings,
    gateway: gatewayObserved(readings, memory, {
      nowMs: clock.nowMs(),
      fleet: observedFleet(members.keys(), records, unprovenFor, true),
      traces: { any: traces.any, lastSeen: memory.lastSeen()?.secret ?? null, roots: traces.roots.map(rootValue) },
    }),
    halted: haltOf(readings, undefined),
    members,
    records,
    issuer: certManager({
      client,
      clock,
      issuer: () => issuer,
      certificates: storeOf(certificates),
      secrets: storeOf(secrets),
    }),
    certificates,
    certificateRequests,
  };
}

/** What is only good to know may be missing, or forbidden. */
async function orNone<T>(list: Promise<readonly T[]>): Promise<readonly T[]> {
  try {
    return await list;
  } catch (error) {
    if (isDenied(error) || isNotFound(error)) return [];
    throw error;
  }
}

/** A list in the form in which a watch would hold it. */
function storeOf<T extends KubeObject>(objects: readonly T[]): StoreReader<T> {
  const { reader, write } = createStore<T>();
  write({ type: 'Init' });
  for (const object of objects) write({ type: 'InitApply', object });
  write({ type: 'InitDone' });
  return reader;
}
