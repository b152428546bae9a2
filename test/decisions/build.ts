/**
 * Values for tests of the decisions, with everything filled in that a case does not care about. All of it is frozen to the
 * bottom, so a decision that changes what it was given throws.
 *
 * @module
 */

import { fleetOf, type RuntimeStanding } from '../../src/rotation/decide/fleet.ts';
import type { GatewayObserved, GatewayPlan, GatewayWrite } from '../../src/rotation/decide/gateway.ts';
import type { EndpointAnswer, GatewayDelays, ProbeRound } from '../../src/rotation/decide/gateway-journal.ts';
import { startJournal } from '../../src/rotation/decide/gateway-journal.ts';
import type { StandingSecret } from '../../src/rotation/decide/holdings.ts';
import type { HubPair } from '../../src/rotation/decide/may-deliver-pair.ts';
import type { HubCertificate } from '../../src/rotation/decide/needs-issue.ts';
import type { HubView, RuntimeObserved, StandingWebhook } from '../../src/rotation/decide/runtime.ts';
import type {
  Digest,
  GatewaySecret,
  HeldClient,
  HeldValue,
  Holdings,
  KeyId,
  Root,
  ServerLeaf,
  TrustedRoot,
} from '../../src/rotation/decide/values.ts';

const minuteMs = 60_000;
const dayMs = 24 * 60 * minuteMs;
/** The wall clock of every case, epoch milliseconds. */
export const nowMs = Date.UTC(2026, 5, 1);
export const marginMs = 5 * minuteMs;
export const renewBeforeMs = 10 * dayMs;
export const unprovableAfterMs = 4 * dayMs;
export const propagationDelayMs = 2 * minuteMs;
export const fenceMs = 90_000;
export const delays: GatewayDelays = { probeDelayMs: minuteMs, propagationDelayMs };
export const host = 'listener.kyma.cloud.sap';

/** Freezes to the bottom. */
export function frozen<T>(value: T): T {
  if (typeof value === 'object' && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(frozen);
  }
  return value;
}

/** A root; its key is named after it unless it renews another: `root('a2', { keyId: 'a' })`. */
export function root(digest: Digest, wishes: Partial<Root> = {}): Root {
  return frozen({
    digest,
    keyId: digest,
    subject: 'CN=root',
    subjectKeyId: digest,
    notBeforeMs: nowMs - 30 * dayMs,
    notAfterMs: nowMs + 60 * dayMs,
    ...wishes,
  });
}

/** The same key as this root, a day longer. */
export function renewal(of: Root, digest: Digest): Root {
  return root(digest, { keyId: of.keyId, notAfterMs: of.notAfterMs + dayMs });
}

export function serverLeaf(digest: Digest, signer: KeyId | null, wishes: Partial<ServerLeaf> = {}): ServerLeaf {
  return frozen({
    digest,
    signer,
    notBeforeMs: nowMs - dayMs,
    notAfterMs: nowMs + 30 * dayMs,
    dnsNames: [host],
    isRoot: false,
    ...wishes,
  });
}

/** The gateway Secret; each root was put in by a write of its own unless told otherwise. */
export function gatewaySecret(
  bundle: readonly Root[],
  server: ServerLeaf | null,
  wishes: Partial<GatewaySecret> = {},
): GatewaySecret {
  const added = Object.fromEntries(bundle.map(({ digest }) => [digest, addedWith(digest)]));
  return frozen({ resourceVersion: '10', bundle, added, server, closing: [], ...wishes });
}

export function addedWith(digest: Digest): string {
  return `before-${digest}`;
}

/** The proof that every endpoint trusts these roots since they were last put in. */
export function trusted(...roots: readonly Root[]): readonly TrustedRoot[] {
  return frozen(roots.map(({ digest }) => ({ digest, added: addedWith(digest) })));
}

export function client(digest: Digest, signer: KeyId | null): HeldClient {
  return frozen({ digest, signer, notAfterMs: nowMs + 20 * dayMs });
}

export function hubPair(digest: Digest, signer: KeyId | null, wishes: Partial<HubPair> = {}): HubPair {
  return frozen({
    digest,
    signer,
    notBeforeMs: nowMs - dayMs,
    notAfterMs: nowMs + 20 * dayMs,
    keyMatches: true,
    ...wishes,
  });
}

/** A value of a record; a serial `s1` stands under the resourceVersion `at-s1`. */
export function heldValue(
  state: HeldValue['state'],
  serial: string,
  bundle: readonly Root[],
  held: HeldClient | null,
): HeldValue {
  const digests = bundle.map(({ digest }) => digest);
  return frozen({
    serial,
    bundle: digests,
    client: held,
    state,
    resourceVersion: state === 'intended' ? '' : at(serial),
  });
}

function at(serial: string): string {
  return `at-${serial}`;
}

export function holding(...values: readonly HeldValue[]): Holdings {
  return frozen({ beyond: 'nothing', values });
}

/** The runtime's Secret as this value left it. */
export function standing(value: HeldValue, wishes: Partial<StandingSecret> = {}): StandingSecret {
  const { serial, bundle, client } = value;
  return frozen({ serial, bundle, client, resourceVersion: at(serial), ...wishes });
}

/** A runtime that is proven to hold this bundle and a certificate of this key. */
export function runtime(name: string, bundle: readonly Root[], signer: KeyId): RuntimeStanding {
  const held = holding(heldValue('confirmed', `${name}-1`, bundle, client(`${name}-leaf`, signer)));
  return frozen({ name, held, unprovenForMs: 0 });
}

export function answer(wishes: Partial<EndpointAnswer> = {}): EndpointAnswer {
  return frozen({ accepted: [], refused: [], unanswered: [], throwaway: 'refused', serverDigests: [], ...wishes });
}

export function round(startedMs: number, ...endpoints: readonly EndpointAnswer[]): ProbeRound {
  return frozen({ startedMs, endpoints });
}

/** A gateway whose endpoints are proven to use what stands, on its current root, with nothing to do. */
export function gatewayObserved(
  wishes: Omit<Partial<GatewayObserved>, 'policy'> & { readonly policy?: Partial<GatewayObserved['policy']> } = {},
): GatewayObserved {
  const current = root('a');
  const { policy, ...rest } = wishes;
  const secret = rest.secret === undefined ? gatewaySecret([current], serverLeaf('l1', 'a')) : rest.secret;
  const journal = typeof secret === 'object' && secret !== null ? proven(secret) : null;
  return frozen({
    nowMs,
    policy: {
      skewMarginMs: marginMs,
      serverRenewBeforeMs: renewBeforeMs,
      unprovableAfterMs,
      revoked: [],
      tainted: [],
      paused: false,
      ...policy,
    },
    root: { state: 'readable', root: current, defects: [] },
    secret,
    candidate: null,
    hosts: [host],
    journal,
    fleet: fleetOf(false, []),
    traces: { any: false, lastSeen: null, roots: [] },
    ...rest,
  });
}

/** The journal of a gateway that was proven to use exactly this. */
export function proven(secret: GatewaySecret): ReturnType<typeof startJournal> {
  const version = secret.resourceVersion;
  return frozen(startJournal(secret, 0, { bundleVersion: version, serverVersion: version }));
}

/** The plan's write. @throws Error when it plans anything else */
export function writeOf(plan: GatewayPlan): GatewayWrite {
  if (plan.action?.do !== 'write') throw new Error(`Expected a write, got ${JSON.stringify(plan.action)}`);
  return plan.action;
}

/** The gateway Secret after this write. */
export function afterWrite(secret: GatewaySecret, write: GatewayWrite, resourceVersion: string): GatewaySecret {
  const { bundle, added, closing } = write;
  return frozen({ resourceVersion, bundle, added, closing, server: write.server ?? secret.server });
}

export function certificate(pair: HubPair | null, wishes: Partial<HubCertificate> = {}): HubCertificate {
  return frozen({
    exists: true,
    asSpecified: true,
    issuing: false,
    backOffUntilMs: 0,
    failures: 0,
    askedFor: null,
    pair,
    ...wishes,
  });
}

export function webhook(
  serial: string,
  caBundle: readonly Root[],
  wishes: Partial<StandingWebhook> = {},
): StandingWebhook {
  return frozen({ resourceVersion: '70', serial, caBundle, possible: [caBundle], ...wishes });
}

/** A runtime that holds what it should: root `a`, its pair, delivered with serial `s1`. */
export function runtimeObserved(
  wishes: Omit<Partial<RuntimeObserved>, 'hub' | 'policy'> & {
    readonly hub?: Partial<HubView>;
    readonly policy?: Partial<RuntimeObserved['policy']>;
  } = {},
): RuntimeObserved {
  const current = root('a');
  const value = heldValue('confirmed', 's1', [current], client('c1', 'a'));
  const { hub, policy, ...rest } = wishes;
  return frozen({
    nowMs,
    monotonicMs: 1_000_000,
    policy: {
      skewMarginMs: marginMs,
      renewBeforeMs,
      propagationDelayMs,
      fenceMs,
      tainted: [],
      revoked: [],
      paused: false,
      ...policy,
    },
    cluster: { state: 'read', secret: standing(value), webhook: null },
    hub: {
      gateway: gatewaySecret([current], serverLeaf('l1', 'a')),
      trusted: trusted(current),
      current,
      certificate: certificate(hubPair('c1', 'a')),
      mayRenew: true,
      taintedAhead: false,
      ...hub,
    },
    held: holding(value),
    seen: {},
    registered: {},
    nextSerial: 's9',
    ...rest,
  });
}
