import { heldIn } from '../../api/held.ts';
import { RUNTIME_TRUST } from '../../api/names.ts';
import type { RuntimeTrust } from '../../api/runtime-trust.ts';
import type { TrustDomainSpec } from '../../api/trust-domain.ts';
import { fleetSources, liveMemberNames } from '../../fleet/members.ts';
import type { CallOptions } from '../../kubernetes/answer.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { type Fleet, fleetOf, type RuntimeStanding } from '../decide/fleet.ts';

export type UnprovenFor = (runtime: string) => number;

/** The fleet as its members and their records say. A member without a record is unproven, a record without a member is nobody's. */
export function observedFleet(
  names: Iterable<string>,
  records: ReadonlyMap<string, RuntimeTrust>,
  unprovenFor: UnprovenFor,
  live: boolean,
): Fleet {
  const standing = (name: string): RuntimeStanding => {
    const record = records.get(name);
    return { name, held: record === undefined ? null : heldIn(record.status), unprovenForMs: unprovenFor(name) };
  };
  return fleetOf(live, Array.from(names, standing));
}

/** The fence: members and records as they are now, read after the gateway Secret was (design 3.5). */
export async function readFleetLive(
  client: KubeClient,
  runtimes: TrustDomainSpec['runtimes'],
  unprovenFor: UnprovenFor,
  call: CallOptions,
): Promise<Fleet> {
  const { namespace } = fleetSources(runtimes);
  const [names, records] = await Promise.all([
    liveMemberNames(client, runtimes, call),
    client.list<RuntimeTrust>(RUNTIME_TRUST, { namespace }, call),
  ]);
  return observedFleet(
    new Set(names),
    new Map(records.items.map((record) => [record.metadata.name, record])),
    unprovenFor,
    true,
  );
}
