/** Nanoseconds of a duration as Go writes it (`1h30m`, `-1.5s`, `100ms`, `0`); undefined where it is none. */
export function parseGoDuration(text: string): bigint | undefined {
  const sign = text.startsWith('-') ? -1n : 1n;
  const body = text.replace(/^[+-]/, '');
  if (body === '0') return 0n;
  if (!/^((\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h))+$/.test(body)) return undefined;
  let nanos = 0n;
  for (const [, amount = '', unit = ''] of body.matchAll(/(\d+\.?\d*|\.\d+)(ns|us|µs|μs|ms|s|m|h)/g)) {
    const [whole = '', fraction = ''] = amount.split('.');
    const unitNanos = UNIT_NANOS[unit] ?? 0n;
    nanos += BigInt(whole === '' ? '0' : whole) * unitNanos;
    if (fraction !== '') nanos += (BigInt(fraction) * unitNanos) / 10n ** BigInt(fraction.length);
  }
  return nanos > MAX_NANOS ? undefined : sign * nanos;
}

/** 292 years: what fits into 64 bits. */
const MAX_NANOS = 2n ** 63n - 1n;

const UNIT_NANOS: Readonly<Record<string, bigint>> = {
  ns: 1n,
  us: 1_000n,
  µs: 1_000n,
  μs: 1_000n,
  ms: 1_000_000n,
  s: 1_000_000_000n,
  m: 60_000_000_000n,
  h: 3_600_000_000_000n,
};
