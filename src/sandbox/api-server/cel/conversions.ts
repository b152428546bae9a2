import { int, uint } from './arithmetic.ts';
import { parseGoDuration } from './go-duration.ts';
import { formatTimestamp, parseTimestamp } from './timestamp-text.ts';
import { CelType, type CelValue, Duration, fail, noOverload, Timestamp, typeName, Uint } from './value.ts';

type Conversion = (args: readonly CelValue[]) => CelValue;

export const CONVERSIONS: Readonly<Record<string, Conversion>> = {
  int: ([value]) => {
    if (typeof value === 'bigint') return value;
    if (value instanceof Uint) return int(value.value);
    if (typeof value === 'number')
      return Number.isFinite(value) ? int(BigInt(Math.trunc(value))) : fail('integer overflow');
    if (typeof value === 'string')
      return /^[+-]?\d+$/.test(value) ? int(BigInt(value.replace('+', ''))) : unfit(value, 'int');
    if (value instanceof Timestamp) return floorDivided(value.nanos, 1_000_000_000n);
    return noOverload();
  },
  uint: ([value]) => {
    if (value instanceof Uint) return value;
    if (typeof value === 'bigint') return uint(value);
    if (typeof value === 'number')
      return Number.isFinite(value) ? uint(BigInt(Math.trunc(value))) : fail('unsigned integer overflow');
    if (typeof value === 'string') return /^\d+$/.test(value) ? uint(BigInt(value)) : unfit(value, 'uint');
    return noOverload();
  },
  double: ([value]) => {
    if (typeof value === 'number') return value;
    if (typeof value === 'bigint') return Number(value);
    if (value instanceof Uint) return Number(value.value);
    if (typeof value !== 'string') return noOverload();
    const parsed = value.trim() === '' ? Number.NaN : Number(value);
    return Number.isNaN(parsed) && value !== 'NaN' ? unfit(value, 'double') : parsed;
  },
  string: ([value]) => (value === undefined ? noOverload() : asText(value)),
  bool: ([value]) => {
    if (typeof value === 'boolean') return value;
    if (typeof value !== 'string') return noOverload();
    if (['1', 't', 'T', 'TRUE', 'true', 'True'].includes(value)) return true;
    return ['0', 'f', 'F', 'FALSE', 'false', 'False'].includes(value) ? false : unfit(value, 'bool');
  },
  bytes: ([value]) => {
    if (value instanceof Uint8Array) return value;
    return typeof value === 'string' ? new Uint8Array(Buffer.from(value, 'utf8')) : noOverload();
  },
  duration: ([value]) => {
    if (value instanceof Duration) return value;
    if (typeof value !== 'string') return noOverload();
    const nanos = parseGoDuration(value);
    return nanos === undefined ? unfit(value, 'google.protobuf.Duration') : new Duration(nanos);
  },
  timestamp: ([value]) => {
    if (value instanceof Timestamp) return value;
    if (typeof value === 'bigint') return new Timestamp(value * 1_000_000_000n);
    if (typeof value !== 'string') return noOverload();
    return new Timestamp(parseTimestamp(value) ?? fail(`invalid RFC 3339 timestamp "${value}"`));
  },
  dyn: ([value]) => value ?? null,
  type: ([value]) => (value === undefined ? noOverload() : new CelType(typeName(value))),
};

function unfit(value: CelValue, to: string): never {
  return fail(`type conversion error from '${typeName(value)}' to '${to}'`);
}

/** What `string()` gives, and `%s` of a format. */
export function asText(value: CelValue): string {
  if (typeof value === 'string') return value;
  if (typeof value === 'boolean' || typeof value === 'bigint' || typeof value === 'number') return String(value);
  if (value instanceof Uint) return String(value.value);
  if (value instanceof Uint8Array) return Buffer.from(value).toString('utf8');
  if (value instanceof Duration) return `${seconds(value.nanos)}s`;
  if (value instanceof Timestamp) return formatTimestamp(value.nanos);
  return noOverload();
}

function seconds(nanos: bigint): string {
  const sign = nanos < 0n ? '-' : '';
  const size = nanos < 0n ? -nanos : nanos;
  const fraction = String(size % 1_000_000_000n)
    .padStart(9, '0')
    .replace(/0+$/, '');
  return `${sign}${size / 1_000_000_000n}${fraction === '' ? '' : `.${fraction}`}`;
}

function floorDivided(value: bigint, by: bigint): bigint {
  return value >= 0n || value % by === 0n ? value / by : value / by - 1n;
}
