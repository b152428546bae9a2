import type { Json } from '../json.ts';

/** As Go writes it; messages repeat it. */
const MICRO_TIME_LAYOUT = '2006-01-02T15:04:05.000000Z07:00';

const MICRO_TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}(Z|[+-]\d\d:\d\d)$/;

/** How a time is refused, in Go's words. */
export function microTimeDefect(time: string): string {
  const fraction = /\.\d*.*$/.exec(time)?.[0] ?? time;
  return `parsing time "${time}" as "${MICRO_TIME_LAYOUT}": cannot parse "${fraction}" as ".000000"`;
}

/** Exactly six fractional digits: what `Date` writes has three and is refused. */
export function isMicroTime(value: Json): boolean {
  return typeof value === 'string' && MICRO_TIME.test(value);
}
