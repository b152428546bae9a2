/**
 * What should happen for one runtime next: steps 3, 4 and 5 of the rotation, read from the top.
 *
 * A delivery takes several plans, one step each: register it, read everything live again, write the `caBundle`, write the
 * Secret, record the answer. Nothing is carried from one plan to the next but what stands in a cluster, so any process can go on.
 *
 * @module
 */

import { comesFirst } from './comes-first.ts';
import { expired, outlived } from './gateway-bundle.ts';

import {
  dropAbandoned,
  intend,
  matches,
  noteStanding,
  openIntent,
  possibleClientSigners,
  type SeenSince,
  type StandingSecret,
  sameDigests,
  trim,
} from './holdings.ts';
import { asHeld, type PairObstacle, pairObstacles } from './may-deliver-pair.ts';
import { type HubCertificate, type IssueStep, issueStep } from './needs-issue.ts';
import type { Digest, GatewaySecret, HeldClient, HeldValue, Holdings, KeyId, Root, TrustedRoot } from './values.ts';

export interface RuntimePolicy {
  readonly skewMarginMs: number;
  /** A client certificate is renewed when less than this is left of it. */
  readonly renewBeforeMs: number;
  /** From a confirmed write until every reader uses it. */
  readonly propagationDelayMs: number;
  /** Longer than the deadline of a delivery and the time-out of a request: after it no write begun before can arrive. */
  readonly fenceMs: number;
  readonly tainted: readonly KeyId[];
  readonly revoked: readonly KeyId[];
  readonly paused: boolean;
}

/** The hub as read live: the gateway Secret, then the proofs. Read after the runtime's cluster was (design 3.4). */
export interface HubView {
  readonly gateway: GatewaySecret | null;
  readonly trusted: readonly TrustedRoot[];
  /** The current root, once admitted. */
  readonly current: Root | null;
  readonly certificate: HubCertificate;
  /** The waves have a place. */
  readonly mayRenew: boolean;
  /** Another runtime that comes first waits for a place. */
  readonly taintedAhead: boolean;
}

/** The runtime's webhook configuration. */
export interface StandingWebhook {
  readonly resourceVersion: string;
  /** Of the delivery that wrote its `caBundle`. */
  readonly serial: string;
  readonly caBundle: readonly Root[];
  /** Every `caBundle` its API servers may be using, oldest first; `null` for one from before this process looked. */
  readonly possible: readonly (readonly Root[] | null)[];
}

export type ClusterView =
  | { readonly state: 'unreachable' }
  | { readonly state: 'read'; readonly secret: StandingSecret | null; readonly webhook: StandingWebhook | null };

export interface RuntimeObserved {
  readonly nowMs: number;
  readonly monotonicMs: number;
  readonly policy: RuntimePolicy;
  readonly cluster: ClusterView;
  readonly hub: HubView;
  /** The record; `null` when the runtime has no `RuntimeTrust`. */
  readonly held: Holdings | null;
  readonly seen: SeenSince;
  /** Serial of a registered delivery → when this process first knew of it, on its monotonic clock. */
  readonly registered: SeenSince;
  /** Never used before, also not by an earlier process. */
  readonly nextSerial: string;
}

export type RuntimeAction =
  /** Create the record. Only then may anything be delivered. */
  | { readonly do: 'register' }
  /** Write the record, conditional on the version read; before a delivery it holds the intended value. */
  | { readonly do: 'record'; readonly held: Holdings }
  | {
      readonly do: 'writeCaBundle';
      readonly serial: string;
      readonly baseVersion: string;
      readonly caBundle: readonly Root[];
    }
  | {
      readonly do: 'writeSecret';
      readonly serial: string;
      /** Empty: create it, and fail if it is there. */
      readonly baseVersion: string;
      readonly bundle: readonly Digest[];
      readonly pair: 'hub' | 'standing';
    };

/** What a delivery waits for, in the words of the catalogue. */
export type DeliveryWait = PairObstacle | 'RuntimeUnreachable' | 'GatewaySecretMissing' | 'PairMissing';

export interface RuntimePlan {
  readonly issue: IssueStep;
  /** It has its turn before runtimes of which this is not so. */
  readonly comesFirst: boolean;
  readonly action: RuntimeAction | null;
  readonly waits: readonly DeliveryWait[];
  /** Look again after this long, on the monotonic clock; `null`: on the next event. */
  readonly wakeAfterMs: number | null;
}

/** Plans the runtime's next step. The certificate and the delivery never wait for one another. */
export function decideRuntime(seen: RuntimeObserved): RuntimePlan {
  const { hub, policy, nowMs } = seen;
  const first = comesFirst({
    held: seen.held,
    signer: hub.certificate.pair?.signer ?? null,
    reachable: seen.cluster.state === 'read',
    tainted: policy.tainted,
  });
  const issue = issueStep({
    certificate: hub.certificate,
    gateway: hub.gateway,
    current: hub.current,
    paused: policy.paused,
    mayRenew: hub.mayRenew,
    taintedAhead: hub.taintedAhead,
    comesFirst: first,
    tainted: policy.tainted,
    revoked: policy.revoked,
    nowMs,
    renewBeforeMs: policy.renewBeforeMs,
  });
  return { issue, comesFirst: first, ...deliveryStep(seen) };
}

type DeliveryPlan = Omit<RuntimePlan, 'issue' | 'comesFirst'>;

function deliveryStep(seen: RuntimeObserved): DeliveryPlan {
  const { cluster, hub, policy, monotonicMs } = seen;
  if (seen.held === null) return { action: { do: 'register' }, waits: [], wakeAfterMs: null };
  if (cluster.state === 'unreachable') return { action: null, waits: ['RuntimeUnreachable'], wakeAfterMs: null };
  const noted = noteStanding(seen.held, cluster.secret);
  const open = dropAbandoned(noted, cluster.secret, seen.registered, monotonicMs, policy.fenceMs);
  const held = trim(open, seen.seen, monotonicMs, policy.propagationDelayMs);
  const rest = (waits: readonly DeliveryWait[]): DeliveryPlan => ({
    action: held === seen.held ? null : { do: 'record', held },
    waits,
    wakeAfterMs: wakeAfter(seen, held, waits),
  });
  if (hub.gateway === null) return rest(['GatewaySecretMissing']);

  const choice = choosePair(seen, hub.gateway, cluster.secret, cluster.webhook, held);
  // One whose pair cannot be used gets its bundle all the same: without it, it would hold the switch for as long as the issuer
  // is stuck (L2).
  if (choice.client === null && cluster.secret === null) {
    const ahead = caBundleAhead(seen, hub.gateway, cluster.webhook, held);
    return ahead === null ? rest(choice.waits) : { action: ahead, waits: choice.waits, wakeAfterMs: null };
  }
  const bundle = hub.gateway.bundle.map((root) => root.digest);
  const desired = { bundle, client: choice.client };
  if (stands(held.values.at(-1), cluster.secret, cluster.webhook, desired)) return rest(choice.waits);

  const intent = openIntent(held);
  if (intent === null || !sameValue(intent, desired)) {
    const action = { do: 'record', held: intend(held, seen.nextSerial, bundle, choice.client) } as const;
    return { action, waits: choice.waits, wakeAfterMs: null };
  }
  // Registered, and everything was read again since: now it may be written.
  const action = deliver(seen, intent, hub.gateway, cluster.secret, cluster.webhook, held, choice.from);
  return { action, waits: choice.waits, wakeAfterMs: null };
}

interface PairChoice {
  readonly client: HeldClient | null;
  readonly from: 'hub' | 'standing';
  readonly waits: readonly DeliveryWait[];
}

/** The hub's pair where it may go, else the one that the runtime already has: a bundle never waits for an issuance (L2). */
function choosePair(
  seen: RuntimeObserved,
  gateway: GatewaySecret,
  secret: StandingSecret | null,
  webhook: StandingWebhook | null,
  held: Holdings,
): PairChoice {
  const standing = secret?.client ?? null;
  const { pair } = seen.hub.certificate;
  if (pair === null || pair.digest === standing?.digest) {
    return { client: standing, from: 'standing', waits: standing === null ? ['PairMissing'] : [] };
  }
  const waits = pairObstacles({
    pair,
    gateway,
    trusted: seen.hub.trusted,
    // What is only registered is served by nobody yet, for all that is known.
    heldSigners:
      possibleClientSigners({ ...held, values: held.values.filter(({ state }) => state !== 'intended') }) ?? [],
    caBundles: webhook?.possible ?? [],
    nowMs: seen.nowMs,
    skewMarginMs: seen.policy.skewMarginMs,
  });
  return waits.length === 0
    ? { client: asHeld(pair), from: 'hub', waits }
    : { client: standing, from: 'standing', waits };
}

/** `caBundle` first, under the serial of this delivery even when its roots are the same, so that an older write still under way fails (S3). */
function deliver(
  seen: RuntimeObserved,
  intent: HeldValue,
  gateway: GatewaySecret,
  secret: StandingSecret | null,
  webhook: StandingWebhook | null,
  held: Holdings,
  pair: 'hub' | 'standing',
): RuntimeAction {
  if (webhook !== null && webhook.serial !== intent.serial) {
    const { serial } = intent;
    const caBundle = webhookBundle(seen, gateway.bundle, webhook.caBundle, held);
    return { do: 'writeCaBundle', serial, baseVersion: webhook.resourceVersion, caBundle };
  }
  const baseVersion = secret?.resourceVersion ?? '';
  return { do: 'writeSecret', serial: intent.serial, baseVersion, bundle: intent.bundle, pair };
}

/**
 * A runtime without any pair has no delivery that could bring its `caBundle`, yet its first pair waits until the API servers
 * use it: the `caBundle` goes ahead, or neither would ever go.
 */
function caBundleAhead(
  seen: RuntimeObserved,
  gateway: GatewaySecret,
  webhook: StandingWebhook | null,
  held: Holdings,
): RuntimeAction | null {
  const holds = (root: Root): boolean => webhook?.caBundle.some(({ digest }) => digest === root.digest) === true;
  if (webhook === null || gateway.bundle.every(holds)) return null;
  const caBundle = webhookBundle(seen, gateway.bundle, webhook.caBundle, held);
  return { do: 'writeCaBundle', serial: seen.nextSerial, baseVersion: webhook.resourceVersion, caBundle };
}

/**
 * The gateway's roots, and those that a pair which the webhook may serve still needs (S3). A certificate that has expired, or
 * that another one of its key outlives, vouches for nothing that is left (B13, B33).
 */
function webhookBundle(
  { nowMs, policy }: RuntimeObserved,
  bundle: readonly Root[],
  standing: readonly Root[],
  held: Holdings,
): readonly Root[] {
  const signers = possibleClientSigners(held);
  const useless = [...expired(standing, nowMs), ...outlived([...bundle, ...standing], nowMs, policy.skewMarginMs)];
  const missing = standing.filter(
    ({ digest, keyId }) =>
      !bundle.some((other) => other.digest === digest) &&
      !useless.includes(digest) &&
      (signers === null || signers.includes(keyId)),
  );
  return [...bundle, ...missing];
}

interface DesiredValue {
  readonly bundle: readonly Digest[];
  readonly client: HeldClient | null;
}

/** Is the newest value of the record ours, in place, and what it should be? Anything else is delivered, if only to defeat what is under way. */
function stands(
  last: HeldValue | undefined,
  secret: StandingSecret | null,
  webhook: StandingWebhook | null,
  desired: DesiredValue,
): boolean {
  if (last?.state !== 'confirmed' || secret === null || !matches(last, secret) || !sameValue(last, desired))
    return false;
  // A webhook configuration that came later has another serial or none; one that was overwritten lacks roots (S3).
  const holds = (digest: Digest): boolean => webhook?.caBundle.some((root) => root.digest === digest) === true;
  return webhook === null || (webhook.serial === last.serial && desired.bundle.every(holds));
}

function sameValue(value: HeldValue, desired: DesiredValue): boolean {
  return sameDigests(value.bundle, desired.bundle) && value.client?.digest === desired.client?.digest;
}

function wakeAfter(seen: RuntimeObserved, held: Holdings, waits: readonly DeliveryWait[]): number | null {
  const times: number[] = [];
  const { pair } = seen.hub.certificate;
  if (waits.includes('PairNotYetValid') && pair !== null) {
    times.push(pair.notBeforeMs + seen.policy.skewMarginMs - seen.nowMs);
  }
  if (held.values.length > 1 || held.beyond !== 'nothing' || openIntent(held) !== null) {
    for (const { serial, state } of held.values) {
      const { propagationDelayMs, fenceMs } = seen.policy;
      const [since, waitMs] =
        state === 'intended' ? [seen.registered[serial], fenceMs] : [seen.seen[serial], propagationDelayMs];
      const left = since === undefined ? 0 : since + waitMs - seen.monotonicMs;
      if (left > 0) times.push(left);
    }
  }
  // A delay below zero would be a hot loop (B50).
  return times.length === 0 ? null : Math.max(1, Math.min(...times));
}
