export interface Backoff {
  /** Wait after the first failure. */
  readonly baseMs: number;
  readonly maxMs: number;
}

/**
 * The wait before attempt `failures + 1`: doubled with each failure, up to the maximum, and shortened at random
 * by up to half, so that a fleet which failed together does not come back together.
 * @param random in [0, 1)
 */
export function backoffMs({ baseMs, maxMs }: Backoff, failures: number, random: number): number {
  const fullMs = Math.min(maxMs, baseMs * 2 ** Math.min(Math.max(0, failures - 1), 30));
  return fullMs * (1 - random / 2);
}
