/**
 * What should happen at the gateway next: steps 0, 1, 2, 6 and 7 of the rotation, read from the top.
 *
 * One plan holds at most one write, conditional on the version of the gateway Secret that was read. After it the world is
 * looked at again, so a process may be killed between any two writes and another goes on from what stands there.
 *
 * @module
 */
import { type Admission, admit, type RootObservation } from './admit.ts';
import { type Candidate, type CandidateNeed, candidateStep, serverNeed } from './candidate.ts';
import type { Fleet } from './fleet.ts';
import { addedBy, withRoot } from './gateway-bundle.ts';
import { everyEndpointAccepts, type GatewayJournal, isSettled } from './gateway-journal.ts';
import { mayRetire, type RetireVerdict } from './may-retire.ts';
import { maySwitch, type SwitchVerdict } from './may-switch.ts';
import type { Digest, GatewaySecret, KeyId, Root, TrustedRoot } from './values.ts';

export interface GatewayPolicy {
  /** A certificate is used this long after its start and no longer than this before its end. */
  readonly skewMarginMs: number;
  /** The server certificate is replaced when less than this is left of it. */
  readonly serverRenewBeforeMs: number;
  readonly unprovableAfterMs: number;
  readonly revoked: readonly KeyId[];
  readonly tainted: readonly KeyId[];
  readonly paused: boolean;
}

/** What shows that a missing gateway Secret is a loss and no first start. */
export interface FleetTraces {
  /** A client Secret, a runtime Secret or a record says that somebody was served before. */
  readonly any: boolean;
  /** The Secret that this process saw last. */
  readonly lastSeen: GatewaySecret | null;
  /** Roots in bundles of runtimes and signers of client Secrets, as far as their certificates are at hand. */
  readonly roots: readonly Root[];
}

export interface GatewayObserved {
  readonly nowMs: number;
  readonly policy: GatewayPolicy;
  readonly root: RootObservation;
  /** `null`: there is none. `unreadable`: it exists, but no bundle can be read from it. */
  readonly secret: GatewaySecret | 'unreadable' | null;
  readonly candidate: Candidate | null;
  /** Hosts of the Gateway that names the Secret. */
  readonly hosts: readonly string[];
  /** `null` before the Secret was first read. */
  readonly journal: GatewayJournal | null;
  readonly fleet: Fleet;
  readonly traces: FleetTraces;
}

export type GatewayAction =
  /** Bootstrap: bundle of the current root, a leaf of it as server certificate. */
  | { readonly do: 'create'; readonly root: Root }
  /** Loss: the last seen value, or what the fleet still shows; the server certificate is a leaf of the current root if none is at hand. */
  | { readonly do: 'restore'; readonly root: Root; readonly bundle: readonly Root[] }
  | GatewayWrite
  | { readonly do: 'issueCandidate'; readonly root: Root; readonly why: CandidateNeed }
  /** The fence: read the Kymas and their records live, then decide again. */
  | { readonly do: 'readFleet' };

export interface GatewayWrite {
  readonly do: 'write';
  readonly why: GatewayChange;
  /** The write fails unless this version still stands. */
  readonly baseVersion: string;
  readonly bundle: readonly Root[];
  readonly added: Readonly<Record<Digest, string>>;
  readonly closing: readonly Digest[];
  /** `null` keeps the standing server certificate. */
  readonly server: Candidate | null;
}

/** What a write to the gateway Secret does, in the words of the catalogue. */
export type GatewayChange =
  | 'RootReturns'
  | 'RootAdded'
  | 'RecordRepaired'
  | 'ServerSwitched'
  | 'RootClosing'
  | 'RootKept'
  | 'RootRetired'
  | 'RootExpired'
  | 'RootRevoked';

export interface GatewayPlan {
  readonly action: GatewayAction | null;
  /** The endpoints should be asked: something is written that is not proven. */
  readonly probe: boolean;
  readonly admission: Admission;
  /** Roots that every endpoint is proven to trust: what runtimes may present certificates of. */
  readonly trusted: readonly TrustedRoot[];
  readonly candidate: Candidate | null;
  readonly serverNeed: CandidateNeed | null;
  readonly switch: SwitchVerdict | null;
  readonly retire: RetireVerdict | null;
}

/** Plans the gateway's next step. */
export function decideGateway(seen: GatewayObserved): GatewayPlan {
  const { secret, policy, nowMs } = seen;
  const known = typeof secret === 'object' && secret !== null ? secret.bundle : [];
  const admission = admit(seen.root, known, policy.revoked, nowMs);
  const idle = { probe: false, admission, trusted: [], candidate: null, serverNeed: null, switch: null, retire: null };
  if (secret === null || secret === 'unreadable') return { ...idle, action: startOrRestore(seen, admission) };

  // One of another version says nothing of this one (proof belongs to a value).
  const journal = seen.journal?.version === secret.resourceVersion ? seen.journal : null;
  const base = {
    ...idle,
    probe: journal !== null && !isSettled(journal),
    trusted: journal === null ? [] : trustedRoots(secret, journal, policy, nowMs),
  };
  const current = admission.admitted ? admission.root : null;
  const written = bundleStep(secret, current);
  if (written !== null || current === null || journal === null) return { ...base, action: written };
  if (policy.paused) return { ...base, action: null };

  const situation = {
    secret,
    current,
    candidate: seen.candidate,
    hosts: seen.hosts,
    revoked: policy.revoked,
    tainted: policy.tainted,
    nowMs,
    renewBeforeMs: policy.serverRenewBeforeMs,
  };
  const next = candidateStep(situation);
  const candidate = next.step === 'keep' ? next.candidate : null;
  const need = serverNeed(situation);
  const verdict =
    candidate === null
      ? null
      : maySwitch({
          secret,
          candidate,
          fleet: seen.fleet,
          nowMs,
          skewMarginMs: policy.skewMarginMs,
          unprovableAfterMs: policy.unprovableAfterMs,
          revoked: policy.revoked,
        });
  const retire = mayRetire({
    secret,
    current,
    candidate,
    journal,
    fleet: seen.fleet,
    revoked: policy.revoked,
    nowMs,
    skewMarginMs: policy.skewMarginMs,
  });
  const told = { ...base, candidate, serverNeed: need, switch: verdict, retire };
  if (next.step === 'issue') return { ...told, action: { do: 'issueCandidate', root: next.root, why: next.why } };
  const switched = candidate !== null && verdict?.may === true ? switchStep(seen.fleet, secret, candidate) : null;
  return { ...told, action: switched ?? retireStep(seen.fleet, secret, retire) };
}

/**
 * Roots that runtimes may present certificates of: every bundle an endpoint may be using accepts their key (S1). A revoked one
 * is about to leave, so no more pairs of it go out.
 */
function trustedRoots(
  secret: GatewaySecret,
  journal: GatewayJournal,
  { revoked, skewMarginMs }: GatewayPolicy,
  nowMs: number,
): readonly TrustedRoot[] {
  return secret.bundle
    .filter(({ keyId }) => !revoked.includes(keyId) && everyEndpointAccepts(journal, keyId, nowMs, skewMarginMs))
    .flatMap(({ digest }) => {
      const added = secret.added[digest];
      return added === undefined ? [] : [{ digest, added }];
    });
}

/**
 * An emptied or garbled Secret is drift, not a first start: `kubectl apply` of one without data must not empty a fleet's
 * trust (B59). A missing one is a loss wherever anything shows a fleet.
 */
function startOrRestore(seen: GatewayObserved, admission: Admission): GatewayAction | null {
  if (!admission.admitted) return null;
  if (seen.secret === null && !seen.traces.any) return { do: 'create', root: admission.root };
  return { do: 'restore', root: admission.root, bundle: remembered(seen, admission.root) };
}

function remembered(seen: GatewayObserved, current: Root): readonly Root[] {
  const roots = [...(seen.traces.lastSeen?.bundle ?? []), ...seen.traces.roots].filter(
    (root) => !seen.policy.revoked.includes(root.keyId) && root.notAfterMs > seen.nowMs,
  );
  const others = roots.filter((root) => root.digest !== current.digest);
  const distinct = others.filter((root, index) => others.findIndex(({ digest }) => digest === root.digest) === index);
  // From the last on, each in front of those behind it: they keep their order, but for twins.
  const rest = distinct.reduceRight<readonly Root[]>((bundle, root) => withRoot(bundle, root), []);
  const ahead = rest.filter((root) => root.keyId === current.keyId && root.notAfterMs > current.notAfterMs);
  return [...ahead, current, ...rest.filter((root) => !ahead.includes(root))];
}

/** Steps that come before anything else: a returning root loses its mark, a new one enters, the record of additions is whole. */
function bundleStep(secret: GatewaySecret, current: Root | null): GatewayWrite | null {
  if (current !== null && secret.closing.includes(current.digest)) {
    // It is current again: while the mark stands none of its pairs goes out, also when the process that set it died (design 3.5).
    return write(secret, 'RootReturns', { closing: secret.closing.filter((digest) => digest !== current.digest) });
  }
  if (current !== null && !secret.bundle.some((root) => root.digest === current.digest)) {
    return write(secret, 'RootAdded', { bundle: withRoot(secret.bundle, current) });
  }
  const digests = secret.bundle.map((root) => root.digest);
  const strayAdditions = Object.keys(secret.added).some((digest) => !digests.includes(digest));
  const strayMarks = secret.closing.some((digest) => !digests.includes(digest));
  if (strayAdditions || strayMarks || digests.some((digest) => secret.added[digest] === undefined)) {
    return write(secret, 'RecordRepaired', {
      closing: secret.closing.filter((digest) => digests.includes(digest)),
    });
  }
  return null;
}

/** A switch is written only from a fleet that was read live after the Secret was (design 3.5). */
function switchStep(fleet: Fleet, secret: GatewaySecret, candidate: Candidate): GatewayAction {
  return fleet.live ? write(secret, 'ServerSwitched', { server: candidate }) : { do: 'readFleet' };
}

/**
 * A root leaves in two writes. The first marks it *closing*, which also defeats every conditional write begun before; then the
 * fleet is read live: a delivery that was registered before the mark shows there, one registered after it sees the mark and
 * sends no pair of that root. Only then the second write drops it.
 */
function retireStep(fleet: Fleet, secret: GatewaySecret, verdict: RetireVerdict): GatewayAction | null {
  const without = (leaving: readonly Digest[]): Change => ({
    bundle: secret.bundle.filter((root) => !leaving.includes(root.digest)),
    closing: secret.closing.filter((digest) => !leaving.includes(digest)),
  });
  if (verdict.atOnce.length > 0) return write(secret, 'RootExpired', without(verdict.atOnce));
  if (verdict.revoked.length > 0) return write(secret, 'RootRevoked', without(verdict.revoked));
  const { closing } = secret;
  if (closing.length > 0) {
    if (!fleet.live) return { do: 'readFleet' };
    const leaving = closing.filter((digest) => verdict.unused.includes(digest));
    if (leaving.length > 0) return write(secret, 'RootRetired', without(leaving));
    // The live read found a user: the root stays, and its pairs may go out again.
    return write(secret, 'RootKept', { closing: [] });
  }
  return verdict.unused.length > 0 ? write(secret, 'RootClosing', { closing: verdict.unused }) : null;
}

type Change = Partial<Pick<GatewayWrite, 'bundle' | 'closing' | 'server'>>;

function write(secret: GatewaySecret, why: GatewayChange, change: Change): GatewayWrite {
  const bundle = change.bundle ?? secret.bundle;
  return {
    do: 'write',
    why,
    baseVersion: secret.resourceVersion,
    bundle,
    added: addedBy(bundle, secret.added, secret.bundle, secret.resourceVersion),
    closing: change.closing ?? secret.closing,
    server: change.server ?? null,
  };
}
