/**
 * What a runtime may be using: how the record in its `RuntimeTrust` follows what is written there.
 *
 * Each delivery is registered before it is made, so the record is complete: a write whose answer is unknown counts as
 * made until a later one is confirmed, and what is confirmed replaces the older only after the propagation delay.
 *
 * @module
 */
import { acceptsByDigest } from './accepts.ts';
import type { Digest, HeldClient, HeldValue, Holdings, KeyId, Root } from './values.ts';

/** The runtime's Secret as one live read showed it. */
export interface StandingSecret {
  readonly resourceVersion: string;
  /** Of the delivery that wrote it; empty when it carries none. */
  readonly serial: string;
  readonly bundle: readonly Digest[];
  /** `null` when absent, unreadable, or the key does not match. */
  readonly client: HeldClient | null;
}

/** Serial → when this process first knew the value to be in place, on its monotonic clock (S6: never a stored time). */
export type SeenSince = Readonly<Record<string, number>>;

/** Registers a delivery: from now on its value counts as one that the runtime may be using. */
export function intend(held: Holdings, serial: string, bundle: readonly Digest[], client: HeldClient | null): Holdings {
  return { ...held, values: [...held.values, { serial, bundle, client, state: 'intended', resourceVersion: '' }] };
}

/** Takes in the answer of the write: it stands now, and every older write under way must fail on its resourceVersion. */
export function confirm(held: Holdings, serial: string, resourceVersion: string): Holdings {
  return {
    ...held,
    values: held.values.map((value) =>
      value.serial === serial ? { ...value, state: 'confirmed', resourceVersion } : value,
    ),
  };
}

/**
 * Takes in what a live read showed. A value that nobody registered joins the record as `adopted`: somebody wrote it whose
 * record is lost, or who keeps none.
 */
export function noteStanding(held: Holdings, standing: StandingSecret | null): Holdings {
  if (standing === null) {
    // Registered, nothing there, no delivery under way: it holds nothing and delays nothing (design 3.6). A record that was
    // lost cannot tell whether a delivery is under way, so there the propagation delay has to pass first.
    if (held.beyond === 'unseen' && held.values.length === 0) return { beyond: 'nothing', values: [] };
    const last = held.values.findLast((value) => value.state !== 'intended');
    if (last === undefined ? held.beyond !== 'lost' || held.values.length > 0 : isAbsence(last)) return held;
    return { ...held, values: [...held.values, ABSENCE] };
  }
  const index = held.values.findLastIndex((value) => isThis(value, standing));
  const recorded = held.values[index];
  const newer = held.values.slice(index + 1).some((value) => value.state !== 'intended');
  // An older value that stands again (a restored backup) is a new write, whatever serial it carries.
  if (recorded === undefined || newer) {
    return { beyond: held.beyond === 'unseen' ? 'lost' : held.beyond, values: [...held.values, adopted(standing)] };
  }
  // Its answer was lost but it is there; or only labels changed, which is nothing to us.
  return recorded.resourceVersion === standing.resourceVersion
    ? held
    : confirm(held, recorded.serial, standing.resourceVersion);
}

/**
 * Drops deliveries that were registered and never made: what a live read does not show after the fence, nobody can write any
 * more, since each delivery ends at its deadline and its last request times out (design 3.5). Without it a delivery that was
 * given up would hold the switch for as long as the issuer is stuck (L2).
 *
 * @param registered serial → when this process first knew of the registration, on its monotonic clock
 */
export function dropAbandoned(
  held: Holdings,
  standing: StandingSecret | null,
  registered: SeenSince,
  nowMs: number,
  fenceMs: number,
): Holdings {
  // One that something newer follows may have landed and been replaced unseen: it goes when that has outlasted it.
  const replaced = held.values.findLastIndex((value) => value.state !== 'intended');
  const abandoned = (value: HeldValue, index: number): boolean => {
    const since = registered[value.serial];
    const landed = standing !== null && isThis(value, standing);
    return value.state === 'intended' && index > replaced && !landed && since !== undefined && nowMs >= since + fenceMs;
  };
  return held.values.some(abandoned)
    ? { ...held, values: held.values.filter((value, index) => !abandoned(value, index)) }
    : held;
}

/**
 * Drops what the runtime cannot be using any more: all before a confirmed value that has been in place for the propagation
 * delay. Each value has its own clock, so deliveries that follow fast never start one another's wait again (B2, B16).
 */
export function trim(held: Holdings, seen: SeenSince, nowMs: number, propagationDelayMs: number): Holdings {
  let floor = -1;
  held.values.forEach((value, index) => {
    const since = seen[value.serial];
    // An adopted value proves nothing: an older write of the process that left it may still be under way.
    const replaces = value.state === 'confirmed' || isAbsence(value);
    if (replaces && since !== undefined && nowMs >= since + propagationDelayMs) floor = index;
  });
  if (floor < 0 || (floor === 0 && held.beyond === 'nothing')) return held;
  return { beyond: 'nothing', values: held.values.slice(floor) };
}

/** Is every bundle that the runtime may be using one that accepts this key? The heart of S2. */
export function everyBundleAccepts(
  held: Holdings,
  known: readonly Root[],
  key: KeyId | null,
  nowMs: number,
  marginMs = 0,
): boolean {
  return (
    held.beyond === 'nothing' &&
    held.values.every((value) => isAbsence(value) || acceptsByDigest(value.bundle, known, key, nowMs, marginMs))
  );
}

/** Keys that sign a client certificate which the runtime may be presenting; `null` when that is not known. */
export function possibleClientSigners(held: Holdings): readonly KeyId[] | null {
  if (held.beyond !== 'nothing') return null;
  const signers: KeyId[] = [];
  for (const value of held.values) {
    if (value.client === null) continue;
    if (value.client.signer === null) return null;
    signers.push(value.client.signer);
  }
  return signers;
}

/** May the runtime be presenting a certificate of one of these keys? Where that is not known it may. */
export function mayPresent(held: Holdings, keys: readonly KeyId[]): boolean {
  if (keys.length === 0) return false;
  return possibleClientSigners(held)?.some((signer) => keys.includes(signer)) ?? true;
}

/**
 * A name for all that {@link everyBundleAccepts} and {@link possibleClientSigners} look at: runtimes
 * of one shape are judged together.
 */
export function shapeOf(held: Holdings): string {
  let shape = shapes.get(held);
  if (shape === undefined) {
    const values = held.values.map((value) =>
      isAbsence(value)
        ? 'absent'
        : `${value.bundle.join()}>${value.client === null ? '' : (value.client.signer ?? '?')}`,
    );
    shape = `${held.beyond}|${values.join('|')}`;
    shapes.set(held, shape);
  }
  return shape;
}

const shapes = new WeakMap<Holdings, string>();

/** The delivery that is registered and unanswered, if it is the newest. */
export function openIntent(held: Holdings): HeldValue | null {
  const last = held.values.at(-1);
  return last?.state === 'intended' ? last : null;
}

/** Does the runtime's Secret hold exactly this? */
export function matches(value: HeldValue, standing: StandingSecret): boolean {
  return sameDigests(value.bundle, standing.bundle) && value.client?.digest === standing.client?.digest;
}

/** Same roots in the same order. */
export function sameDigests(a: readonly Digest[], b: readonly Digest[]): boolean {
  return a.length === b.length && a.every((digest, index) => digest === b[index]);
}

/** The runtime's Secret is not there. It can present nothing and verify nothing. */
const ABSENCE: HeldValue = { serial: 'absent', bundle: [], client: null, state: 'adopted', resourceVersion: '' };

function isAbsence(value: HeldValue): boolean {
  return value.serial === ABSENCE.serial;
}

/** A found value is known by its resourceVersion: the serial it carries may be a copy of another's. */
function isThis(value: HeldValue, standing: StandingSecret): boolean {
  if (value.state === 'adopted') return value.resourceVersion === standing.resourceVersion;
  return value.serial === standing.serial && matches(value, standing);
}

function adopted({ resourceVersion, bundle, client }: StandingSecret): HeldValue {
  return { serial: `found-${resourceVersion}`, bundle, client, state: 'adopted', resourceVersion };
}
