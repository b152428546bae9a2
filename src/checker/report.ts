import { short } from './certificates.ts';
import type { Judgement } from './judge.ts';
import type { Rotation } from './rotations.ts';
import type { Violation } from './violations.ts';

/** A judgement as lines for a person; the last line is one JSON object. */
export function reportOf(judgement: Judgement): string[] {
  const { violations, violationsKnown, gaps, rotations, judged, ending, ...totals } = judgement;
  return [
    ...rotations.map(rotationLine),
    ...gaps.map(({ atMs, cluster, what, detail }) => `${timeOf(atMs)} gap: ${what} of ${cluster}: ${detail}`),
    ...violationsKnown.map((violation) => `${violationLine(violation)} (known: ${violation.cause})`),
    ...violations.map(violationLine),
    JSON.stringify({
      ...totals,
      violations: violations.length,
      violationsKnown: violationsKnown.length,
      gaps: gaps.length,
      rotations: rotations.length,
      judged,
      ending,
    }),
  ];
}

function rotationLine(rotation: Rotation): string {
  const step = (name: string, ms: number | null) => `${name} ${ms === null ? 'never' : `${(ms / 1_000).toFixed(1)} s`}`;
  return [
    `${timeOf(rotation.atMs)} ${rotation.kind} ${short(rotation.rootDigest)}${rotation.overlapping ? ' (overlapping)' : ''}:`,
    step('bundle', rotation.bundleMs),
    step('issuer', rotation.issuerMs),
    step('pair', rotation.pairMs),
    step('server written', rotation.serverWrittenMs),
    step('server presented', rotation.serverMs),
    step('old root left', rotation.oldRootLeftMs),
  ].join(' ');
}

/** One violation, for a person. */
export function violationLine({ rule, atMs, untilMs, runtime, endpoint, detail }: Violation): string {
  const parties = [runtime, endpoint].filter((party) => party !== undefined).join(' at ');
  return `${timeOf(atMs)} ${rule} for ${untilMs - atMs} ms${parties === '' ? '' : ` ${parties}`}: ${detail}`;
}

function timeOf(atMs: number): string {
  return new Date(atMs).toISOString();
}
