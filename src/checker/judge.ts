import { CertificateReader } from './certificates.ts';
import { type Ending, endingOf } from './ending.ts';
import type { Gap, History } from './history.ts';
import { partiesInUse } from './in-use.ts';
import { type Rotation, rotationsOf } from './rotations.ts';
import { type Totals, totalsOf } from './totals.ts';
import { judgeTrust } from './trust-rules.ts';
import { type KnownViolation, merged, partKnown, type Violation } from './violations.ts';
import { judgeKeys, judgeWrites } from './writing-rules.ts';

export interface Judgement extends Totals {
  /** No violation without a known cause, no gap, and each of S1 and S2 had something to judge. */
  readonly ok: boolean;
  readonly violations: readonly Violation[];
  readonly violationsKnown: readonly KnownViolation[];
  readonly gaps: readonly Gap[];
  readonly rotations: readonly Rotation[];
  /** How many rotations began before the one before was proven everywhere, see `rotationsOf`. */
  readonly overlapping: number;
  /** Number of (certificate, bundle, time) combinations judged by each rule. */
  readonly judged: { readonly S1: number; readonly S2: number; readonly S3: number };
  readonly ending: Ending;
}

/**
 * Judges S1 to S5 over a whole recorded history, from what each party may have been using at every instant. It knows
 * nothing of the operator's decisions and shares no code with them, so that a fault there cannot hide here.
 */
export function judge(history: History): Judgement {
  const reader = new CertificateReader();
  const inUse = partiesInUse(history, reader);
  const trust = judgeTrust(inUse, history.settings.gatewayHost, reader);
  const found = merged([...trust.violations, ...judgeKeys(history, reader), ...judgeWrites(history, reader)]);
  const { unexplained, explained } = partKnown(found, history.known);
  const rotations = rotationsOf(history, inUse, reader);
  return {
    ok: unexplained.length === 0 && history.gaps.length === 0 && trust.judged.S1 > 0 && trust.judged.S2 > 0,
    violations: unexplained,
    violationsKnown: explained,
    gaps: history.gaps,
    rotations,
    overlapping: rotations.filter(({ overlapping }) => overlapping).length,
    judged: trust.judged,
    ending: endingOf(history, inUse, reader),
    ...totalsOf(history),
  };
}
