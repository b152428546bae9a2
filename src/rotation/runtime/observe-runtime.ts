import { heldIn } from '../../api/held.ts';
import { RUNTIME_TRUST, TRUST_DOMAIN } from '../../api/names.ts';
import type { Reason } from '../../api/reasons.ts';
import type { RuntimeTrust } from '../../api/runtime-trust.ts';
import type { TrustDomain, TrustDomainSpec } from '../../api/trust-domain.ts';
import type { Clock } from '../../controller/clock.ts';
import type { Member } from '../../fleet/member.ts';
import type { WarmClient } from '../../fleet/warm-clients.ts';
import type { IssuerReading } from '../../issuers/issuer.ts';
import type { CallOptions } from '../../kubernetes/answer.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import {
  type KubeObject,
  NAMESPACE,
  type ObjectRef,
  SECRET,
  type SecretObject,
  VALIDATING_WEBHOOK_CONFIGURATION,
} from '../../kubernetes/resource.ts';
import { type Bundle, union } from '../../pki/bundle.ts';
import type { HubView, RuntimeObserved, StandingWebhook } from '../decide/runtime.ts';
import { type Digest, type Holdings, LOST, type Root } from '../decide/values.ts';
import { type GatewaySecretReading, readGatewaySecret } from '../gateway/observe-gateway-secret.ts';
import { rootValue } from '../observe/as-values.ts';
import { readHubPair } from './read-hub-pair.ts';
import { readStandingSecret, readWebhook } from './read-standing.ts';
import type { RuntimeMemory } from './runtime-memory.ts';
import { runtimePolicy } from './runtime-policy.ts';

/** What one live read of the runtime's cluster showed. */
export type ClusterReading =
  | { readonly state: 'unreachable'; readonly reason: Reason; readonly message: string }
  | {
      readonly state: 'read';
      readonly secret: SecretObject | undefined;
      readonly webhook: KubeObject | undefined;
      readonly clusterUid: string;
      /** When the answers had arrived, on the monotonic clock. */
      readonly readMs: number;
    };

/**
 * Reads what a delivery is conditional on. The order is the protocol: this before the hub (design 3.4).
 *
 * @param fresh read also whose cluster it is; otherwise what the same credentials showed before is taken
 */
export async function readCluster(
  warm: WarmClient,
  runtimes: TrustDomainSpec['runtimes'],
  clock: Clock,
  fresh: boolean,
  call: CallOptions,
): Promise<Extract<ClusterReading, { readonly state: 'read' }>> {
  const { client } = warm;
  const [secret, webhook, uid] = await Promise.all([
    client.find<SecretObject>(SECRET, runtimes.secret, call),
    client.find<KubeObject>(VALIDATING_WEBHOOK_CONFIGURATION, { name: runtimes.webhook.name }, call),
    fresh || warm.clusterUid === undefined ? clusterUid(client, call) : warm.clusterUid,
  ]);
  warm.clusterUid = uid;
  return { state: 'read', secret, webhook, clusterUid: uid, readMs: clock.monotonicMs() };
}

/** A runtime is its cluster, not its name or address. */
async function clusterUid(client: KubeClient, call: CallOptions): Promise<string> {
  const namespace = await client.get<KubeObject>(NAMESPACE, { name: 'kube-system' }, call);
  return namespace.metadata.uid ?? '';
}

/** What the hub says for every runtime alike, so one read may serve those that ask at the same time. Read after the cluster. */
export interface HubShared {
  readonly domain: TrustDomain;
  readonly gateway: GatewaySecretReading;
}

/** Reads the gateway Secret and the proofs. @returns `null` when the trust domain is gone */
export async function readHubShared(
  client: KubeClient,
  domainRef: ObjectRef,
  gatewaySecretRef: ObjectRef,
  call: CallOptions,
): Promise<HubShared | null> {
  const [domain, secret] = await Promise.all([
    client.find<TrustDomain>(TRUST_DOMAIN, domainRef, call),
    client.find<SecretObject>(SECRET, gatewaySecretRef, call),
  ]);
  return domain === undefined ? null : { domain, gateway: readGatewaySecret(secret, []) };
}

export function readRecord(client: KubeClient, member: Member, call: CallOptions): Promise<RuntimeTrust | undefined> {
  return client.find<RuntimeTrust>(RUNTIME_TRUST, { namespace: member.namespace, name: member.name }, call);
}

export interface Observation {
  readonly cluster: ClusterReading;
  readonly hub: HubShared;
  /** The record as it is known now; `null`: there is none. */
  readonly held: Holdings | null;
  readonly issuer: IssuerReading;
  readonly mayRenew: boolean;
  readonly taintedAhead: boolean;
  readonly nextSerial: string;
}

/** Everything as plain values; certificates that the values name are in {@link knownRoots}. */
export function observedRuntime(at: Observation, memory: RuntimeMemory, clock: Clock): RuntimeObserved {
  const { cluster, hub } = at;
  const nowMs = clock.nowMs();
  const policy = runtimePolicy(hub.domain.spec, currentRoot(hub), nowMs);
  const known = knownRoots(at);
  const monotonicMs = clock.monotonicMs();
  const intents = at.held?.values.filter((value) => value.state === 'intended') ?? [];
  memory.noteRegistered(
    intents.map((value) => value.serial),
    monotonicMs,
  );
  const base = {
    nowMs,
    monotonicMs,
    registered: memory.registered(),
    policy,
    hub: hubView(at, known, memory.askedFor),
    held: at.held,
    nextSerial: at.nextSerial,
  };
  if (cluster.state === 'unreachable') return { ...base, cluster: { state: 'unreachable' }, seen: memory.seen() };
  const secret = cluster.secret === undefined ? null : readStandingSecret(cluster.secret, known);
  memory.noteInPlace(secret === null ? null : secret.serial, cluster.readMs);
  const webhook = standingWebhook(cluster, memory, monotonicMs, policy.propagationDelayMs);
  return { ...base, cluster: { state: 'read', secret, webhook }, seen: memory.seen() };
}

/** Roots by which signers are told: the gateway's, and those that the runtime itself trusts. */
export function knownRoots({ cluster, hub }: Pick<Observation, 'cluster' | 'hub'>): Bundle {
  const gateway = hub.gateway.state === 'readable' ? hub.gateway.bundle : [];
  const webhook = cluster.state === 'read' && cluster.webhook !== undefined ? readWebhook(cluster.webhook) : null;
  return union(gateway, webhook?.any ?? []);
}

function hubView(
  { hub, issuer, mayRenew, taintedAhead }: Observation,
  known: Bundle,
  askedFor: Digest | null,
): HubView {
  const gateway = hub.gateway.state === 'readable' ? hub.gateway.secret : null;
  const { exists, asSpecified, issuing, backOffUntilMs, failures } = issuer;
  const pair = readHubPair(issuer.secret, known);
  return {
    gateway,
    trusted: hub.domain.status?.trusted ?? [],
    current: currentRoot(hub),
    certificate: { exists, asSpecified, issuing, backOffUntilMs, failures, askedFor, pair },
    mayRenew,
    taintedAhead,
  };
}

/** The current root as the gateway's side tells it in the status; it alone admits. */
function currentRoot({ domain, gateway }: HubShared): Root | null {
  const told = domain.status?.root;
  if (told === undefined) return null;
  const bundled =
    gateway.state === 'readable' ? gateway.bundle.find(({ digest }) => digest === told.digest) : undefined;
  if (bundled !== undefined) return rootValue(bundled);
  return { digest: told.digest, keyId: told.keyId, subject: '', subjectKeyId: null, notBeforeMs: 0, notAfterMs: 0 };
}

/** Another cluster under the same name is another runtime, of which nothing is known. */
export function heldNow(cluster: ClusterReading, record: RuntimeTrust | undefined): Holdings | null {
  if (record === undefined) return null;
  return isAnotherCluster(cluster, record) ? LOST : heldIn(record.status);
}

function isAnotherCluster(cluster: ClusterReading, record: RuntimeTrust | undefined): boolean {
  const recorded = record?.status?.clusterUid;
  return cluster.state === 'read' && recorded !== undefined && recorded !== cluster.clusterUid;
}

function standingWebhook(
  cluster: Extract<ClusterReading, { readonly state: 'read' }>,
  memory: RuntimeMemory,
  monotonicMs: number,
  propagationDelayMs: number,
): StandingWebhook | null {
  const reading = cluster.webhook === undefined ? null : readWebhook(cluster.webhook);
  if (reading === null) {
    memory.noWebhook();
    return null;
  }
  memory.noteWebhook(reading.resourceVersion, reading.all.map(rootValue), false, cluster.readMs);
  return {
    resourceVersion: reading.resourceVersion,
    serial: reading.serial,
    caBundle: reading.any.map(rootValue),
    possible: memory.possibleCaBundles(monotonicMs, propagationDelayMs),
  };
}
