/** Nanoseconds since 1970 of an RFC 3339 time; undefined where it is none. */
export function parseTimestamp(text: string): bigint | undefined {
  const parts = /^(\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2})(?:\.(\d+))?(Z|[+-]\d{2}:\d{2})$/.exec(text);
  if (parts === null) return undefined;
  const [, whole = '', fraction = '', zone = ''] = parts;
  const ms = Date.parse(`${whole}${zone}`);
  if (Number.isNaN(ms)) return undefined;
  return BigInt(ms) * 1_000_000n + BigInt(fraction.slice(0, 9).padEnd(9, '0'));
}

/** `2026-01-31T12:00:00.5Z`: with as many digits as it needs. */
export function formatTimestamp(nanos: bigint): string {
  const rest = ((nanos % 1_000_000_000n) + 1_000_000_000n) % 1_000_000_000n;
  const date = new Date(Number((nanos - rest) / 1_000_000n));
  const fraction = String(rest).padStart(9, '0').replace(/0+$/, '');
  return `${date.toISOString().slice(0, 19)}${fraction === '' ? '' : `.${fraction}`}Z`;
}
