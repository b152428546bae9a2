import {
  CERTIFICATE,
  CLIENT_SECRET_LABELS,
  candidateSecretName,
  GATEWAY,
  KYMA_LABEL,
  RUNTIME_TRUST,
} from '../api/names.ts';
import type { RuntimeTrust } from '../api/runtime-trust.ts';
import type { TrustDomainSpec } from '../api/trust-domain.ts';
import type { Clock } from '../controller/clock.ts';
import { fleetSources } from '../fleet/members.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import { type Informer, type InformerOptions, startInformer } from '../kubernetes/informer.ts';
import { type KubeObject, type ObjectRef, SECRET, type SecretObject } from '../kubernetes/resource.ts';
import type { WatchProblem } from '../kubernetes/watch.ts';

/** The part of a spec that says what is watched; a change of it starts the trust domain anew. */
export function watchedPart(spec: TrustDomainSpec): unknown {
  const { rootSecretRef, gatewaySecretRef, gatewayRef, runtimes, delivery, issuer } = spec;
  return {
    rootSecretRef,
    gatewaySecretRef,
    gatewayRef,
    runtimes,
    concurrency: delivery.concurrency,
    namespace: issuer.namespace,
  };
}

/** The hub as one trust domain needs it, from watches that ask for no more than that. */
export interface DomainWatches {
  readonly rootSecret: Informer<SecretObject>;
  readonly gatewaySecret: Informer<SecretObject>;
  readonly candidateSecret: Informer<SecretObject>;
  readonly gateway: Informer<KubeObject>;
  readonly members: Informer<KubeObject>;
  /** `null` where kubeconfig Secrets are the members. */
  readonly kubeconfigs: Informer<SecretObject> | null;
  readonly records: Informer<RuntimeTrust>;
  readonly certificates: Informer<KubeObject>;
  readonly clientSecrets: Informer<SecretObject>;
}

export interface DomainWatchesOptions {
  readonly client: KubeClient;
  readonly spec: TrustDomainSpec;
  readonly clock: Clock;
  readonly random: () => number;
  readonly signal: AbortSignal;
  readonly onProblem: (what: string, problem: WatchProblem) => void;
}

export function startDomainWatches(options: DomainWatchesOptions): DomainWatches {
  const { client, spec, clock, random, signal } = options;
  const watch = <T extends KubeObject>(
    what: string,
    selection: Pick<InformerOptions<T>, 'resource' | 'selection' | 'labels'>,
  ): Informer<T> =>
    startInformer<T>({
      client,
      clock,
      random,
      signal,
      onProblem: (problem) => options.onProblem(what, problem),
      ...selection,
    });
  const only = ({ namespace, name }: ObjectRef) => ({
    ...(namespace === undefined ? {} : { namespace }),
    fieldSelector: `metadata.name=${name}`,
  });
  const { gatewaySecretRef, issuer } = spec;
  const sources = fleetSources(spec.runtimes);
  const candidateRef = { ...gatewaySecretRef, name: candidateSecretName(gatewaySecretRef.name) };
  const purpose = `${KYMA_LABEL.purpose}=${CLIENT_SECRET_LABELS[KYMA_LABEL.purpose]}`;
  return {
    rootSecret: watch<SecretObject>('root Secret', { resource: SECRET, selection: only(spec.rootSecretRef) }),
    gatewaySecret: watch<SecretObject>('gateway Secret', { resource: SECRET, selection: only(gatewaySecretRef) }),
    candidateSecret: watch<SecretObject>('candidate Secret', { resource: SECRET, selection: only(candidateRef) }),
    gateway: watch('Gateway', { resource: GATEWAY, selection: only(spec.gatewayRef) }),
    members: watch('members of the fleet', { ...sources.members }),
    kubeconfigs:
      sources.kubeconfigs === undefined
        ? null
        : watch<SecretObject>('kubeconfig Secrets', {
            resource: SECRET,
            selection: sources.kubeconfigs,
            labels: [KYMA_LABEL.kymaName],
          }),
    records: watch<RuntimeTrust>('RuntimeTrusts', {
      resource: RUNTIME_TRUST,
      selection: { namespace: sources.namespace },
    }),
    certificates: watch('Certificates', { resource: CERTIFICATE, selection: { namespace: issuer.namespace } }),
    clientSecrets: watch<SecretObject>('client Secrets', {
      resource: SECRET,
      selection: { namespace: issuer.namespace, labelSelector: purpose },
    }),
  };
}

/** What has to be known before anything is decided. The others are read live, or may not exist in this hub. */
export function neededWatches(watches: DomainWatches): readonly Informer<KubeObject>[] {
  const { members, kubeconfigs, records, certificates, clientSecrets } = watches;
  return [
    members,
    records,
    certificates,
    clientSecrets,
    ...(kubeconfigs === null ? [] : [kubeconfigs]),
  ] as Informer<KubeObject>[];
}

export function allWatches(watches: DomainWatches): readonly Informer<KubeObject>[] {
  return Object.values(watches).filter((informer) => informer !== null) as Informer<KubeObject>[];
}
