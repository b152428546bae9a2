import type { Rotation } from '../src/checker/rotations.ts';
import type { Policy } from './policy.ts';

interface Spread {
  readonly medianMs: number;
  readonly worstMs: number;
  readonly count: number;
}

/** Times of the unhurried rotations, as measured and without the delays that the policy asks for. */
export interface Speed {
  /** From the new root until every runtime's Secret holds it in its bundle. */
  readonly bundleMs: Spread | null;
  /** From the new root until the issuer has made every runtime's pair. */
  readonly issuerMs: Spread | null;
  /** From the new root until every runtime's Secret holds its new pair. */
  readonly pairMs: Spread | null;
  /** The same beyond the issuer's own time and the policy's delays. */
  readonly pairBeyondMs: Spread | null;
  /** From the last bundle to the server's switch. */
  readonly switchAfterBundleMs: Spread | null;
  /** From the last proof to the switch: the same without the propagation delay, after which a delivery is proof. */
  readonly switchAfterProofMs: Spread | null;
  /** From the new root until the one before has left the gateway's bundle. */
  readonly retiredMs: Spread | null;
  readonly policy: Policy;
}

/**
 * A renewal says nothing of pairs and switches: those of its key are good already. It counts for the bundle.
 */
export function speedOf(rotations: readonly Rotation[], policy: Policy): Speed {
  const unhurried = rotations.filter(({ unhurried }) => unhurried);
  const rekeyed = unhurried.filter(({ kind }) => kind !== 'renew');
  const spread = (of: readonly Rotation[], step: (rotation: Rotation) => number | null) => spreadOf(of.map(step));
  return {
    bundleMs: spread(unhurried, ({ bundleMs }) => bundleMs),
    issuerMs: spread(rekeyed, ({ issuerMs }) => issuerMs),
    pairMs: spread(rekeyed, ({ pairMs }) => pairMs),
    pairBeyondMs: spread(rekeyed, (rotation) => pairBeyondMs(rotation, policy)),
    switchAfterBundleMs: spread(rekeyed, ({ switchAfterBundleMs }) => switchAfterBundleMs),
    switchAfterProofMs: spread(rekeyed, ({ switchAfterBundleMs }) =>
      switchAfterBundleMs === null ? null : Math.max(0, switchAfterBundleMs - policy.propagationDelayMs),
    ),
    retiredMs: spread(rekeyed, ({ oldRootLeftMs }) => oldRootLeftMs),
    policy,
  };
}

/**
 * A pair may go out when the issuer has made it and the margin for clocks has passed, and when the API servers use the
 * `caBundle` that came just before the bundle; both run side by side, so the later one counts.
 */
function pairBeyondMs({ pairMs, issuerMs, bundleMs }: Rotation, policy: Policy): number | null {
  if (pairMs === null || issuerMs === null || bundleMs === null) return null;
  const mayBeMs = Math.max(issuerMs + policy.skewMarginMs, bundleMs + policy.propagationDelayMs);
  return Math.max(0, pairMs - mayBeMs);
}

/** Lines for a person. */
export function speedLines(rotations: readonly Rotation[], policy: Policy): string[] {
  const speed = speedOf(rotations, policy);
  const line = (what: string, spread: Spread | null, note = ''): string =>
    `  ${what.padEnd(46)} ${spread === null ? 'not seen' : `median ${seconds(spread.medianMs)}, worst ${seconds(spread.worstMs)}`}${note}`;
  const delay = seconds(policy.propagationDelayMs);
  return [
    `Speed over ${speed.bundleMs?.count ?? 0} unhurried rotations (${speed.pairMs?.count ?? 0} with a new key), from the new root:`,
    line('every runtime holds the bundle', speed.bundleMs, ' (target 2 s)'),
    line("the issuer's own time", speed.issuerMs),
    line('every runtime holds its new pair', speed.pairMs, `, with the policy's ${delay} for its API servers`),
    line("  beyond the issuer's time and that delay", speed.pairBeyondMs, ' (target 2 s)'),
    line('last bundle to the switch', speed.switchAfterBundleMs, `, with the policy's ${delay} until it is proof`),
    line('  last proof to the switch', speed.switchAfterProofMs, ' (target 2 s)'),
    line('the root before has left', speed.retiredMs),
  ];
}

function spreadOf(times: readonly (number | null)[]): Spread | null {
  const sorted = times.filter((ms) => ms !== null).sort((a, b) => a - b);
  const worstMs = sorted.at(-1);
  if (worstMs === undefined) return null;
  const upper = sorted[sorted.length >> 1] ?? worstMs;
  const lower = sorted[(sorted.length - 1) >> 1] ?? worstMs;
  return { medianMs: Math.round((lower + upper) / 2), worstMs: Math.round(worstMs), count: sorted.length };
}

function seconds(ms: number): string {
  return `${(ms / 1_000).toFixed(1)} s`;
}
