import { type CelValue, Duration, fail, noOverload, Timestamp } from './value.ts';

type TimeFunction = (args: readonly CelValue[]) => CelValue;

const MS_NANOS = 1_000_000n;
const SECOND_NANOS = 1_000_000_000n;

/** A part of a date, in UTC or in the zone of the second argument (`+02:00`). */
function ofDate(part: (date: Date) => number): TimeFunction {
  return ([value, zone]) => (value instanceof Timestamp ? BigInt(part(dateIn(value, zone))) : noOverload());
}

/** The same name asks a date for a part, and a duration for its whole. */
function ofBoth(part: (date: Date) => number, whole: (nanos: bigint) => bigint): TimeFunction {
  const date = ofDate(part);
  return (args) => (args[0] instanceof Duration ? whole(args[0].nanos) : date(args));
}

/** The date shifted, so that its UTC parts are those of the zone. */
function dateIn(value: Timestamp, zone: CelValue | undefined): Date {
  const ms = Number(value.nanos / MS_NANOS);
  if (zone === undefined || zone === 'UTC') return new Date(ms);
  const parts = typeof zone === 'string' ? /^([+-]?)(\d{2}):(\d{2})$/.exec(zone) : null;
  if (parts === null) return fail(`unknown time zone ${String(zone)}`);
  const minutes = Number(parts[2]) * 60 + Number(parts[3]);
  return new Date(ms + (parts[1] === '-' ? -minutes : minutes) * 60_000);
}

function dayOfYear(date: Date): number {
  return Math.floor((date.getTime() - Date.UTC(date.getUTCFullYear(), 0, 1)) / 86_400_000);
}

export const TIME_FUNCTIONS: Readonly<Record<string, TimeFunction>> = {
  getFullYear: ofDate((date) => date.getUTCFullYear()),
  getMonth: ofDate((date) => date.getUTCMonth()),
  getDate: ofDate((date) => date.getUTCDate()),
  getDayOfMonth: ofDate((date) => date.getUTCDate() - 1),
  getDayOfWeek: ofDate((date) => date.getUTCDay()),
  getDayOfYear: ofDate(dayOfYear),
  getHours: ofBoth(
    (date) => date.getUTCHours(),
    (nanos) => nanos / (3600n * SECOND_NANOS),
  ),
  getMinutes: ofBoth(
    (date) => date.getUTCMinutes(),
    (nanos) => nanos / (60n * SECOND_NANOS),
  ),
  getSeconds: ofBoth(
    (date) => date.getUTCSeconds(),
    (nanos) => nanos / SECOND_NANOS,
  ),
  getMilliseconds: ofBoth(
    (date) => date.getUTCMilliseconds(),
    (nanos) => (nanos / MS_NANOS) % 1000n,
  ),
};
