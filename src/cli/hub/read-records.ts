import { RUNTIME_TRUST } from '../../api/names.ts';
import type { RuntimeTrust } from '../../api/runtime-trust.ts';
import type { TrustDomain } from '../../api/trust-domain.ts';
import { fleetSources } from '../../fleet/members.ts';
import type { CallOptions } from '../../kubernetes/answer.ts';
import type { KubeClient } from '../../kubernetes/client.ts';

/** Where the records of a trust domain's runtimes are. */
export function recordsNamespace(domain: TrustDomain): string {
  return fleetSources(domain.spec.runtimes).namespace;
}

/** Whether the record is of a runtime of this trust domain. */
export function belongsTo(domain: TrustDomain, record: RuntimeTrust): boolean {
  const { trustDomainRef } = record.spec;
  return (
    trustDomainRef.name === domain.metadata.name &&
    (trustDomainRef.namespace ?? recordsNamespace(domain)) === domain.metadata.namespace
  );
}

/** The records of a trust domain's runtimes, by name. */
export async function readRecords(
  client: KubeClient,
  domain: TrustDomain,
  call: CallOptions,
): Promise<ReadonlyMap<string, RuntimeTrust>> {
  const { items } = await client.list<RuntimeTrust>(RUNTIME_TRUST, { namespace: recordsNamespace(domain) }, call);
  const ours = items.filter((record) => belongsTo(domain, record));
  return new Map(
    [...ours]
      .sort((a, b) => a.metadata.name.localeCompare(b.metadata.name, 'en', { numeric: true }))
      .map((record) => [record.metadata.name, record]),
  );
}
