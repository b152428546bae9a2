import { clientCertificateName, KYMA_LABEL } from '../api/names.ts';
import type { RuntimeTrust } from '../api/runtime-trust.ts';
import type { TrustDomain } from '../api/trust-domain.ts';
import type { Clock } from '../controller/clock.ts';
import type { RunRecord } from '../controller/controller.ts';
import { type WarmClientsOptions, warmClients } from '../fleet/warm-clients.ts';
import { certManager } from '../issuers/cert-manager.ts';
import { isIssuing } from '../issuers/issuing-state.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import { type KubeObject, keyOf, type ObjectRef, type SecretObject } from '../kubernetes/resource.ts';
import type { StoreChange, StoreReader } from '../kubernetes/store.ts';
import { type DomainFleet, domainFleet, memberFingerprint } from './domain-fleet.ts';
import { allWatches, type DomainWatches, neededWatches, startDomainWatches } from './domain-watches.ts';
import { type GatewayChangeTold, startGatewayController } from './gateway/gateway-controller.ts';
import { readGatewaySecret } from './gateway/observe-gateway-secret.ts';
import { sameJson } from './observe/same-json.ts';
import { sharedRead } from './observe/shared-read.ts';
import { readHubShared } from './runtime/observe-runtime.ts';
import { startRuntimeController } from './runtime/runtime-controller.ts';
import type { OnDelivery } from './runtime/visit-runtime.ts';
import { type Tell, tellOf } from './tell.ts';

export interface DomainOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly tell: Tell;
  /** Trust domains as watched. */
  readonly domains: StoreReader<TrustDomain>;
  readonly domain: TrustDomain;
  /** Throws when this process may not write any more. */
  readonly guard: () => void;
  readonly signal: AbortSignal;
  readonly onRun?: (record: RunRecord) => void;
  readonly onGatewayChange?: (change: GatewayChangeTold) => void;
  readonly onGatewayPass?: () => void;
  readonly onProbe?: (result: string) => void;
  readonly onDelivery?: OnDelivery;
  readonly onIssuance?: (reason: string) => void;
  readonly runtimeClients?: WarmClientsOptions;
}

type QueueState = ReturnType<ReturnType<typeof startRuntimeController>['state']>;

/** A trust domain at work. */
export interface RunningDomain {
  readonly ref: ObjectRef;
  queues(): Readonly<Record<'gateway' | 'runtime', QueueState>>;
  /** Records of its runtimes as watched. */
  records(): readonly RuntimeTrust[];
  /** A watch that does not work, in words. */
  trouble(): string | undefined;
  stop(): Promise<void>;
}

/** Starts the two controllers of a trust domain. They share nothing but what stands in the hub. */
export async function startDomain(options: DomainOptions): Promise<RunningDomain> {
  const { client, clock, random, domains, guard } = options;
  const { spec } = options.domain;
  const ref: ObjectRef = {
    name: options.domain.metadata.name,
    ...(options.domain.metadata.namespace === undefined ? {} : { namespace: options.domain.metadata.namespace }),
  };
  const tell = tellOf(options.tell, { trustDomain: keyOf(ref) });
  const stopping = new AbortController();
  const signal = AbortSignal.any([options.signal, stopping.signal]);
  const watches = startDomainWatches({
    client,
    spec,
    clock,
    random,
    signal,
    onProblem: (what, { error, failures }) => {
      // One broken connection is usual; a watch that keeps failing is not.
      if (failures > 1)
        tell.warn('Watch does not work', { what, error: error instanceof Error ? error.message : String(error) });
    },
  });
  const fleet = domainFleet(watches, spec, ref);
  const current = (): TrustDomain | undefined => domains.get(ref);
  const clients = warmClients(options.runtimeClients);
  const issuer = certManager({
    client,
    clock,
    issuer: () => (current() ?? options.domain).spec.issuer,
    certificates: watches.certificates.store,
    secrets: watches.clientSecrets.store,
  });
  try {
    await Promise.all(neededWatches(watches).map(({ store }) => store.whenSynced(signal)));
  } catch (error) {
    stopping.abort(error);
    throw error;
  }

  const gateway = startGatewayController({
    client,
    clock,
    tell,
    guard,
    stores: {
      ref,
      refs: spec,
      olderTwin: () => olderTwin(domains, current() ?? options.domain),
      members: fleet.members,
      records: fleet.records,
      clientSecrets: () => watches.clientSecrets.store.list(),
      runtimeBundles: () => runtimes.bundles(),
      unseenRuntimes: () => [...fleet.members().keys()].filter((name) => !runtimes.looked(name)).length,
    },
    ...(options.onRun === undefined ? {} : { onRun: options.onRun }),
    ...(options.onGatewayChange === undefined ? {} : { onChange: options.onGatewayChange }),
    ...(options.onGatewayPass === undefined ? {} : { onPass: options.onGatewayPass }),
    ...(options.onProbe === undefined ? {} : { onProbe: options.onProbe }),
  });
  const runtimes = startRuntimeController({
    client,
    clients,
    clock,
    random,
    issuer,
    tell,
    guard,
    domainRef: ref,
    spec: () => current()?.spec,
    readHub: sharedRead(() => readHubShared(client, ref, spec.gatewaySecretRef, { signal, timeoutMs: 10_000 })),
    member: fleet.member,
    record: fleet.record,
    ...(options.onDelivery === undefined ? {} : { onDelivery: options.onDelivery }),
    ...(options.onIssuance === undefined ? {} : { onIssuance: options.onIssuance }),
    ...(options.onRun === undefined ? {} : { onRun: options.onRun }),
  });

  const everyone = (): void => {
    for (const name of fleet.members().keys()) runtimes.wake(name, 'low');
  };
  const unsubscribe = subscribeAll({ watches, domains, ref, gateway, runtimes, fleet, everyone });
  gateway.wake();
  everyone();
  for (const name of fleet.records().keys()) if (fleet.member(name) === undefined) runtimes.wake(name, 'low');

  return {
    ref,
    records: () => [...fleet.records().values()],
    queues: () => ({ gateway: gateway.state(), runtime: runtimes.state() }),
    trouble() {
      for (const [what, informer] of Object.entries(watches)) {
        const problem = informer?.trouble();
        if (problem !== undefined && problem.sinceMs > 60_000)
          return `the watch of ${what} has not worked for a minute`;
      }
      return undefined;
    },
    async stop() {
      unsubscribe();
      await Promise.all([gateway.stop(), runtimes.stop()]);
      stopping.abort(new Error('The trust domain is stopping'));
      await Promise.all(allWatches(watches).map(({ ended }) => ended));
      await clients.close();
    },
  };
}

interface Subscription {
  readonly watches: DomainWatches;
  readonly domains: StoreReader<TrustDomain>;
  readonly ref: ObjectRef;
  readonly gateway: ReturnType<typeof startGatewayController>;
  readonly runtimes: ReturnType<typeof startRuntimeController>;
  readonly fleet: DomainFleet;
  readonly everyone: () => void;
}

/** Who has to look again when something changes. Events are hints: each look reads what it decides from. */
function subscribeAll(at: Subscription): () => void {
  const { watches, domains, ref, gateway, runtimes, fleet, everyone } = at;
  const ends = [
    ...[watches.rootSecret, watches.candidateSecret, watches.gateway].map(({ store }) => store.subscribe(gateway.wake)),
    watches.gatewaySecret.store.subscribe((change) => {
      gateway.wake();
      if (matters(change)) everyone();
    }),
    domains.subscribe((change) => {
      if (change.key !== keyOf(ref)) return;
      if (!gateway.wroteDomain(change.object)) gateway.wake();
      const { object, previous } = change;
      if (change.kind !== 'changed' || previous === undefined) return;
      if (object.metadata.generation !== previous.metadata.generation) everyone();
      // A root that comes back stands in the bundle already, so no change of the gateway Secret will tell of it.
      else if (object.status?.root?.digest !== previous.status?.root?.digest && isBundled(at, object)) everyone();
      else if (!sameJson(object.status?.trusted, previous.status?.trusted)) runtimes.wakeForProof();
    }),
    watches.records.store.subscribe(({ key, object, kind }) => {
      gateway.wakeForFleet();
      if (kind === 'removed' || !runtimes.wroteRecord(object)) runtimes.wake(nameIn(key));
    }),
    watches.members.store.subscribe((change) => {
      const { previous, object, initial } = change;
      if (
        previous !== undefined &&
        change.kind === 'changed' &&
        memberFingerprint(previous) === memberFingerprint(object)
      )
        return;
      gateway.wakeForFleet();
      if (watches.kubeconfigs === null) everyone();
      else runtimes.wake(object.metadata.name, initial ? 'low' : 'high');
      if (change.kind === 'removed') runtimes.wake(object.metadata.name);
    }),
    watches.certificates.store.subscribe((change) => {
      const { object, previous } = change;
      const runtime = runtimeOf(object);
      // Another program's Certificate may be named alike; only those of the fleet concern us.
      if (runtime === null || fleet.member(runtime) === undefined) return;
      const told = change.kind !== 'changed' || previous === undefined || isIssuing(object) !== isIssuing(previous);
      if (told || object.metadata.generation !== previous?.metadata.generation) runtimes.wake(runtime);
      runtimes.wakeForWave();
    }),
    watches.clientSecrets.store.subscribe(({ object }) => {
      const runtime = runtimeOf(object);
      if (runtime !== null && fleet.member(runtime) !== undefined) runtimes.wake(runtime);
    }),
  ];
  if (watches.kubeconfigs !== null) {
    ends.push(
      watches.kubeconfigs.store.subscribe(({ object, previous }) => {
        for (const one of [object, previous]) {
          const name = one?.metadata.labels?.[KYMA_LABEL.kymaName];
          if (name !== undefined) runtimes.wake(name);
        }
      }),
    );
  }
  return () => {
    for (const end of ends) end();
  };
}

/** Whether a change of the gateway Secret concerns runtimes: its bundle, the record of it, or a mark that was taken away. */
function matters({ kind, object, previous }: StoreChange<SecretObject>): boolean {
  if (kind !== 'changed' || previous === undefined) return true;
  const [now, before] = [readGatewaySecret(object, []), readGatewaySecret(previous, [])];
  if (now.state !== 'readable' || before.state !== 'readable') return true;
  const digests = ({ secret }: typeof now): readonly string[] => secret.bundle.map(({ digest }) => digest);
  return (
    !sameJson(digests(now), digests(before)) ||
    !sameJson(now.secret.added, before.secret.added) ||
    before.secret.closing.some((digest) => !now.secret.closing.includes(digest))
  );
}

function isBundled({ watches }: Subscription, domain: TrustDomain): boolean {
  const [secret] = watches.gatewaySecret.store.list();
  const reading = readGatewaySecret(secret, []);
  const digest = domain.status?.root?.digest;
  return reading.state === 'readable' && reading.bundle.some((root) => root.digest === digest);
}

function nameIn(key: string): string {
  return key.slice(key.indexOf('/') + 1);
}

/** The runtime that a Certificate or its Secret is named after. */
function runtimeOf(object: KubeObject): string | null {
  const suffix = clientCertificateName('');
  const { name } = object.metadata;
  return name.endsWith(suffix) ? name.slice(0, -suffix.length) : null;
}

/** Two trust domains on one Secret would undo each other's writes: the older one acts. */
function olderTwin(domains: StoreReader<TrustDomain>, domain: TrustDomain): string | undefined {
  const age = ({ metadata }: TrustDomain): string =>
    `${metadata.creationTimestamp ?? ''} ${metadata.namespace ?? ''}/${metadata.name}`;
  const twin = domains
    .list()
    .find(
      (other) =>
        other.metadata.uid !== domain.metadata.uid &&
        sameJson(other.spec.gatewaySecretRef, domain.spec.gatewaySecretRef) &&
        age(other) < age(domain),
    );
  return twin === undefined ? undefined : `${twin.metadata.namespace ?? ''}/${twin.metadata.name}`;
}
