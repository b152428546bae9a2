import type { Reason } from '../../api/reasons.ts';
import type { Bundle } from '../../pki/bundle.ts';
import type { SeenSince } from '../decide/holdings.ts';
import type { Digest, Root } from '../decide/values.ts';
import { type CaBundleJournal, nextTrimMs, noteCaBundle, trimCaBundles } from './ca-bundle-journal.ts';

/** The serial that the decisions give to a Secret that is not there. */
const absent = 'absent';

export interface ClusterVersions {
  readonly secret: string;
  readonly webhook: string;
  readonly clusterUid: string;
}

export interface Rest {
  readonly versions: ClusterVersions;
  /** Epoch milliseconds; from then on time has changed something in the hub. */
  readonly untilMs: number;
}

/** What one process remembers of one runtime. Lost with the process, and then had anew (S6). */
export interface RuntimeMemory {
  seen(): SeenSince;
  registered(): SeenSince;
  /** These deliveries are registered and unanswered. */
  noteRegistered(serials: readonly string[], monotonicMs: number): void;
  /** This delivery is sent now, perhaps again: from now on the fence counts anew. */
  noteSent(serial: string, monotonicMs: number): void;
  /** A live read or a confirmed write showed this value in place; `null`: no Secret is there. */
  noteInPlace(serial: string | null, monotonicMs: number): void;
  /** Forgets what no record names any more. */
  keepOnly(serials: readonly string[]): void;
  noteWebhook(version: string, caBundle: readonly Root[], ours: boolean, monotonicMs: number): void;
  noWebhook(): void;
  possibleCaBundles(monotonicMs: number, propagationDelayMs: number): readonly (readonly Root[] | null)[];
  /** Until fewer `caBundle`s are possible; `null`: not by time. */
  nextCaBundleMs(monotonicMs: number, propagationDelayMs: number): number | null;
  /** The bundle that the last read showed, for the case that the gateway Secret is lost. */
  bundle: Bundle;
  /** What the last look left in order; `null` while something is open. */
  rest: Rest | null;
  /** Something that a full look reads has changed since the last one began. */
  dirty: boolean;
  /** What the last look waited for, in words of the catalogue. */
  waits: readonly string[];
  looking: boolean;
  /** A look has ended, however it did. */
  looked: boolean;
  /** When somebody was seen to have replaced what we had written, on the monotonic clock. */
  overwritten: readonly number[];
  /** What the issuer last refused; told with the certificate's condition. */
  issueTrouble: { readonly reason: Reason; readonly message: string } | null;
  /** The root that was current when a renewal was last asked for. */
  askedFor: Digest | null;
  /** Last contact failed: it is visited in the lane of the slow ones. */
  troubled: boolean;
}

export function runtimeMemory(): RuntimeMemory {
  const seen = new Map<string, number>();
  let registered = new Map<string, number>();
  let journal: CaBundleJournal | undefined;
  return {
    seen: () => Object.fromEntries(seen),
    registered: () => Object.fromEntries(registered),
    noteRegistered(serials, monotonicMs) {
      registered = new Map(serials.map((serial) => [serial, registered.get(serial) ?? monotonicMs]));
    },
    noteSent(serial, monotonicMs) {
      registered.set(serial, monotonicMs);
    },
    noteInPlace(serial, monotonicMs) {
      const name = serial ?? absent;
      // An absence that ended has its own clock when it comes back.
      if (serial !== null) seen.delete(absent);
      if (!seen.has(name)) seen.set(name, monotonicMs);
    },
    keepOnly(serials) {
      for (const serial of seen.keys()) if (serial !== absent && !serials.includes(serial)) seen.delete(serial);
    },
    noteWebhook(version, caBundle, ours, monotonicMs) {
      journal = noteCaBundle(journal, version, caBundle, ours, monotonicMs);
    },
    noWebhook() {
      journal = undefined;
    },
    possibleCaBundles(monotonicMs, propagationDelayMs) {
      if (journal === undefined) return [];
      journal = trimCaBundles(journal, monotonicMs, propagationDelayMs);
      return journal.possible.map(({ caBundle }) => caBundle);
    },
    nextCaBundleMs: (monotonicMs, propagationDelayMs) =>
      journal === undefined ? null : nextTrimMs(journal, monotonicMs, propagationDelayMs),
    bundle: [],
    rest: null,
    dirty: true,
    waits: [],
    looking: false,
    looked: false,
    overwritten: [],
    issueTrouble: null,
    askedFor: null,
    troubled: false,
  };
}
