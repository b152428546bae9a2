import { type Span, without } from './acceptance.ts';
import type { KnownCause } from './history.ts';

export interface Violation {
  readonly rule: 'S1' | 'S2' | 'S3' | 'S4' | 'S5';
  readonly atMs: number;
  /** Exclusive; equal to `atMs` where the rule speaks of one write. */
  readonly untilMs: number;
  readonly runtime?: string;
  readonly endpoint?: string;
  /** Names certificates by the start of their SHA-256, never by content. */
  readonly detail: string;
}

export interface KnownViolation extends Violation {
  readonly cause: string;
}

/** The same violation in spans that touch or overlap becomes one. Ordered by time. */
export function merged<V extends Violation>(violations: readonly V[]): V[] {
  const byTime = [...violations].sort((a, b) => a.atMs - b.atMs);
  const last = new Map<string, number>();
  const result: V[] = [];
  for (const violation of byTime) {
    const { atMs: _from, untilMs: _until, ...same } = violation;
    const key = JSON.stringify(same);
    const index = last.get(key);
    const before = index === undefined ? undefined : result[index];
    if (index !== undefined && before !== undefined && violation.atMs <= before.untilMs) {
      result[index] = { ...before, untilMs: Math.max(before.untilMs, violation.untilMs) };
      continue;
    }
    last.set(key, result.push(violation) - 1);
  }
  return result;
}

/** Parts the violations: what lies within the time of a known cause for its runtime, and all else. */
export function partKnown(
  violations: readonly Violation[],
  known: readonly KnownCause[],
): { readonly unexplained: Violation[]; readonly explained: KnownViolation[] } {
  const unexplained: Violation[] = [];
  const explained: KnownViolation[] = [];
  for (const violation of violations) {
    const causes = known.filter(({ runtime }) => runtime === undefined || runtime === violation.runtime);
    const span = { fromMs: violation.atMs, toMs: violation.untilMs };
    if (span.fromMs === span.toMs) {
      const cause = causes.find(({ fromMs, toMs }) => fromMs <= span.fromMs && span.fromMs <= toMs);
      if (cause === undefined) unexplained.push(violation);
      else explained.push({ ...violation, cause: cause.cause });
      continue;
    }
    let rest: Span[] = [span];
    for (const cause of causes) {
      const left = rest.flatMap((part) => without(part, [cause]));
      for (const covered of rest.flatMap((part) => without(part, left))) {
        explained.push({ ...violation, atMs: covered.fromMs, untilMs: covered.toMs, cause: cause.cause });
      }
      rest = left;
    }
    for (const { fromMs, toMs } of rest) unexplained.push({ ...violation, atMs: fromMs, untilMs: toMs });
  }
  return { unexplained: merged(unexplained), explained: merged(explained) };
}
