/** A duration as Go and Kubernetes write it: `500ms`, `2m`, `96h`, `1h30m`. Not negative. */
export type Duration = string;

/** What the API server accepts; the same text as {@link parseDurationMs} reads. */
export const DURATION_PATTERN = '^([0-9]+([.][0-9]+)?(ms|s|m|h))+$';
export const DURATION_MAX_LENGTH = 20;

const unitMs = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 } as const;
const whole = new RegExp(DURATION_PATTERN);

/**
 * Reads a duration.
 *
 * @returns milliseconds, or `null` when the text is no duration
 */
export function parseDurationMs(text: Duration): number | null {
  if (text.length > DURATION_MAX_LENGTH || !whole.test(text)) return null;
  let sumMs = 0;
  for (const [, amount = '', unit = 'ms'] of text.matchAll(/([0-9]+(?:[.][0-9]+)?)(ms|s|m|h)/g)) {
    sumMs += Number(amount) * unitMs[unit as keyof typeof unitMs];
  }
  return sumMs;
}

/**
 * The same for a field that the API server has checked already.
 *
 * @throws {RangeError} when the text is no duration, which takes a CRD of another version
 */
export function durationMs(text: Duration): number {
  const ms = parseDurationMs(text);
  if (ms === null) throw new RangeError(`"${text}" is no duration: write one such as 500ms, 2m or 96h`);
  return ms;
}

/** Writes milliseconds in the largest units that fit, without remainder: `90_000` → `1m30s`. */
export function formatDuration(ms: number): Duration {
  let leftMs = Math.max(0, Math.round(ms));
  let text = '';
  for (const unit of ['h', 'm', 's', 'ms'] as const) {
    const amount = Math.floor(leftMs / unitMs[unit]);
    leftMs -= amount * unitMs[unit];
    if (amount > 0) text += `${amount}${unit}`;
  }
  return text === '' ? '0s' : text;
}
