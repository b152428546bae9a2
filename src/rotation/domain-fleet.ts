import { KYMA_LABEL } from '../api/names.ts';
import type { RuntimeTrust } from '../api/runtime-trust.ts';
import type { TrustDomainSpec } from '../api/trust-domain.ts';
import type { Member } from '../fleet/member.ts';
import { fleetSources, membersOf } from '../fleet/members.ts';
import type { KubeObject, ObjectRef, SecretObject } from '../kubernetes/resource.ts';
import type { DomainWatches } from './domain-watches.ts';

/** The fleet as watched. */
export interface DomainFleet {
  member(name: string): Member | undefined;
  members(): ReadonlyMap<string, Member>;
  record(name: string): RuntimeTrust | undefined;
  records(): ReadonlyMap<string, RuntimeTrust>;
}

export function domainFleet(watches: DomainWatches, spec: TrustDomainSpec, domain: ObjectRef): DomainFleet {
  const { runtimes } = spec;
  const { namespace } = fleetSources(runtimes);
  let whole: ReadonlyMap<string, Member> | null = null;
  const forget = (): void => {
    whole = null;
  };
  watches.members.store.subscribe(forget);
  watches.kubeconfigs?.store.subscribe(forget);

  const members = (): ReadonlyMap<string, Member> => {
    whole ??= membersOf(runtimes, watches.members.store.list(), watches.kubeconfigs?.store.list() ?? []);
    return whole;
  };
  const ours = (record: RuntimeTrust | undefined): RuntimeTrust | undefined => {
    if (record === undefined) return undefined;
    const { trustDomainRef } = record.spec;
    const same = trustDomainRef.name === domain.name && (trustDomainRef.namespace ?? namespace) === domain.namespace;
    return same ? record : undefined;
  };
  return {
    members,
    member(name) {
      if (runtimes.selector !== undefined || watches.kubeconfigs === null) return members().get(name);
      // One runtime is asked about at each event: the whole fleet is not put together for that.
      const kyma = watches.members.store.get({ namespace, name });
      if (kyma === undefined) return undefined;
      return membersOf(runtimes, [kyma], watches.kubeconfigs.store.withLabel(KYMA_LABEL.kymaName, name)).get(name);
    },
    record: (name) => ours(watches.records.store.get({ namespace, name })),
    records() {
      const found = watches.records.store.list().flatMap((record) => ours(record) ?? []);
      return new Map(found.map((record) => [record.metadata.name, record]));
    },
  };
}

/** What of a Kyma or kubeconfig Secret matters here; a Kyma's status changes all the time. */
export function memberFingerprint(object: KubeObject): string {
  const { uid, labels, annotations, deletionTimestamp } = object.metadata;
  const version = (object as SecretObject).data === undefined ? '' : object.metadata.resourceVersion;
  return JSON.stringify([uid, labels, annotations, deletionTimestamp !== undefined, version]);
}
