/**
 * What the gateway's endpoints may be using.
 *
 * Envoy loads the bundle and the server certificate of one Secret apart from each other, so each has its own list: every
 * value since, and including, the last one that is proven (design 2). The first entry is the floor. An endpoint only ever
 * moves forward through the values as they were written; that is what lets one observation rule out older ones.
 *
 * @module
 */
import { accepts } from './accepts.ts';
import type { Digest, GatewaySecret, KeyId, Root, ServerLeaf } from './values.ts';

/** A value that some endpoint may be using. */
export interface Possible<V> {
  /** resourceVersion of the Secret with which the value came; empty for what was before this process looked. */
  readonly version: string;
  /** `null`: written before this process looked, so it may be anything (S6). */
  readonly value: V | null;
  /** When this process first read it in place, on its own monotonic clock. */
  readonly sinceMs: number;
}

export interface GatewayJournal {
  readonly bundles: readonly Possible<readonly Root[]>[];
  readonly servers: readonly Possible<ServerLeaf | 'none'>[];
  /** resourceVersion of the newest value noted. */
  readonly version: string;
  /** What kept the newest probe round from being a proof. */
  readonly doubt: GatewayDoubt | null;
}

/** Why a probe round moved nothing, in the words of the catalogue. */
export type GatewayDoubt = 'GatewayRefuses' | 'GatewayAcceptsAnyone' | 'GatewayUnanswered';

/** A proof as stored in a status: it counts for exactly this version and no newer one. */
export interface StoredProof {
  readonly bundleVersion: string;
  readonly serverVersion: string;
}

/** How long this process waits, from its own reading of a value, where nothing can be observed. */
export interface GatewayDelays {
  /** Stands in for a probe that gets no answer or cannot tell two values apart. */
  readonly probeDelayMs: number;
  /** After this an endpoint no longer answers from a value older than the one this process found. */
  readonly propagationDelayMs: number;
}

/** One probe round over all endpoints, as observed. */
export interface ProbeRound {
  /** On the monotonic clock of the process that probed. */
  readonly startedMs: number;
  readonly endpoints: readonly EndpointAnswer[];
}

export interface EndpointAnswer {
  readonly accepted: readonly KeyId[];
  readonly refused: readonly KeyId[];
  readonly unanswered: readonly KeyId[];
  /** A certificate of a throw-away CA must get no answer, or an answer proves nothing. */
  readonly throwaway: 'refused' | 'accepted' | 'unanswered';
  /** The server certificates met, one normally; more while the endpoint was changing. */
  readonly serverDigests: readonly Digest[];
}

/**
 * Begins a journal at the standing value. What was before is unknown, unless a stored proof was had for this very version:
 * a proof of an older version says nothing of a newer one.
 */
export function startJournal(secret: GatewaySecret, nowMs: number, proof: StoredProof | null): GatewayJournal {
  const before = { version: '', value: null, sinceMs: nowMs };
  const bundle = { version: secret.resourceVersion, value: secret.bundle, sinceMs: nowMs };
  const server = { version: secret.resourceVersion, value: secret.server ?? ('none' as const), sinceMs: nowMs };
  return {
    bundles: proof?.bundleVersion === secret.resourceVersion ? [bundle] : [before, bundle],
    servers: proof?.serverVersion === secret.resourceVersion ? [server] : [before, server],
    version: secret.resourceVersion,
    doubt: null,
  };
}

/**
 * Takes in the Secret as read or as written.
 *
 * @param ours the version is the answer to this process's own write on top of the newest version it knew. Anything else
 *   may hide versions that were never seen, so the journal begins anew: it costs time, never safety.
 */
export function noteSecret(
  journal: GatewayJournal,
  secret: GatewaySecret,
  nowMs: number,
  ours: boolean,
): GatewayJournal {
  if (secret.resourceVersion === journal.version) return journal;
  if (!ours) return startJournal(secret, nowMs, null);
  const version = secret.resourceVersion;
  const bundle = journal.bundles.at(-1)?.value;
  const server = journal.servers.at(-1)?.value;
  const standing = secret.server ?? ('none' as const);
  return {
    ...journal,
    version,
    bundles: sameBundle(bundle, secret.bundle)
      ? journal.bundles
      : [...journal.bundles, { version, value: secret.bundle, sinceMs: nowMs }],
    servers: sameServer(server, standing)
      ? journal.servers
      : [...journal.servers, { version, value: standing, sinceMs: nowMs }],
  };
}

/**
 * Takes in a probe round and drops what no endpoint can be using any more.
 *
 * A key that every endpoint accepts rules out what stands before the first value that accepts it. That needs no rule of
 * its own for a root that was dropped and came back, or was renewed with its key: there the first such value is an old
 * one, and the delay has to stand in. A refusal blocks, however long it lasts: the endpoint is slow, and the delay was a guess.
 */
export function noteRound(
  journal: GatewayJournal,
  round: ProbeRound,
  delays: GatewayDelays,
  nowMs: number,
): GatewayJournal {
  const bundles = bundlesAfter(journal.bundles, round, delays, nowMs);
  const servers = serversAfter(journal.servers, round, delays);
  return { ...journal, bundles, servers, doubt: doubtOf(journal, round, nowMs) };
}

function doubtOf(journal: GatewayJournal, round: ProbeRound, nowMs: number): GatewayDoubt | null {
  if (round.endpoints.some((endpoint) => endpoint.throwaway === 'accepted')) return 'GatewayAcceptsAnyone';
  const newest = journal.bundles.at(-1)?.value ?? [];
  if (round.endpoints.some((endpoint) => endpoint.refused.some((key) => accepts(newest, key, nowMs)))) {
    return 'GatewayRefuses';
  }
  const silent = (endpoint: EndpointAnswer): boolean =>
    endpoint.throwaway === 'unanswered' || endpoint.unanswered.length > 0;
  return round.endpoints.length === 0 || round.endpoints.some(silent) ? 'GatewayUnanswered' : null;
}

function bundlesAfter(
  possible: GatewayJournal['bundles'],
  round: ProbeRound,
  delays: GatewayDelays,
  nowMs: number,
): GatewayJournal['bundles'] {
  if (round.endpoints.some((endpoint) => endpoint.throwaway === 'accepted')) return possible;
  const mayAccept = (at: Possible<readonly Root[]>, key: KeyId): boolean =>
    at.value === null || accepts(at.value, key, nowMs);
  const refused = new Set(round.endpoints.flatMap((endpoint) => endpoint.refused));
  // An answer beside a refusal was given by an endpoint that is just changing, or by another behind one address.
  const isRefused = ({ value }: Possible<readonly Root[]>): boolean =>
    value !== null && [...refused].some((key) => accepts(value, key, nowMs));
  let floor = 0;
  const [first, ...rest] = round.endpoints;
  for (const key of first?.accepted ?? []) {
    const everywhere = rest.every((endpoint) => endpoint.accepted.includes(key));
    const proves = everywhere && round.endpoints.every((endpoint) => endpoint.throwaway === 'refused');
    const index = proves ? possible.findIndex((at) => mayAccept(at, key)) : -1;
    const at = possible[index];
    if (at !== undefined && !isRefused(at)) floor = Math.max(floor, index);
  }
  possible.forEach((at, index) => {
    if (at.value === null || index <= floor || isRefused(at)) return;
    if (delayPassed(possible, index, round, delays)) floor = index;
  });
  return floor === 0 ? possible : possible.slice(floor);
}

function serversAfter(
  possible: GatewayJournal['servers'],
  round: ProbeRound,
  delays: GatewayDelays,
): GatewayJournal['servers'] {
  const met = round.endpoints.flatMap((endpoint) => endpoint.serverDigests);
  const indexOf = (digest: Digest): number =>
    possible.findIndex((at) => at.value !== null && at.value !== 'none' && at.value.digest === digest);
  const silent =
    round.endpoints.length === 0 || round.endpoints.some((endpoint) => endpoint.serverDigests.length === 0);
  let floor = 0;
  // Each switch uses a new leaf, so its digest names one value; only what was before this process looked could be it too.
  if (!silent && possible[0]?.value !== null) floor = Math.max(0, Math.min(...met.map(indexOf)));
  const oldestMet = Math.min(...met.map(indexOf), possible.length - 1);
  possible.forEach((at, index) => {
    if (at.value === null || index <= floor) return;
    if (index <= oldestMet && delayPassed(possible, index, round, delays)) floor = index;
  });
  return floor === 0 ? possible : possible.slice(floor);
}

/** What is unknown has to be outlasted first, by the longer delay: it may be what earlier processes wrote (S6). */
function delayPassed<V>(
  possible: readonly Possible<V>[],
  index: number,
  round: ProbeRound,
  delays: GatewayDelays,
): boolean {
  const at = possible[index];
  const found = possible[1];
  if (at === undefined || found === undefined) return false;
  // However many values this process has written since it found the first.
  const outlasted = possible[0]?.value !== null || round.startedMs >= found.sinceMs + delays.propagationDelayMs;
  return outlasted && round.startedMs >= at.sinceMs + delays.probeDelayMs;
}

/** Is every bundle that an endpoint may be using one that accepts this key? The heart of S1. */
export function everyEndpointAccepts(journal: GatewayJournal, key: KeyId | null, nowMs: number, marginMs = 0): boolean {
  return journal.bundles.every((at) => at.value !== null && accepts(at.value, key, nowMs, marginMs));
}

/** Keys that sign a server certificate which an endpoint may be presenting; `null` when that is not known. */
export function possibleServerSigners(journal: GatewayJournal): readonly KeyId[] | null {
  const signers: KeyId[] = [];
  for (const at of journal.servers) {
    if (at.value === null) return null;
    if (at.value === 'none') continue;
    if (at.value.signer === null) return null;
    signers.push(at.value.signer);
  }
  return signers;
}

/** Nothing is open: one bundle, one server certificate, both known. */
export function isSettled(journal: GatewayJournal): boolean {
  return (
    journal.bundles.length === 1 &&
    journal.servers.length === 1 &&
    journal.bundles[0]?.value !== null &&
    journal.servers[0]?.value !== null
  );
}

function sameBundle(a: readonly Root[] | null | undefined, b: readonly Root[]): boolean {
  return a?.length === b.length && a.every((root, index) => root.digest === b[index]?.digest);
}

function sameServer(a: ServerLeaf | 'none' | null | undefined, b: ServerLeaf | 'none'): boolean {
  if (a === null || a === undefined) return false;
  if (a === 'none' || b === 'none') return a === b;
  return a.digest === b.digest;
}
