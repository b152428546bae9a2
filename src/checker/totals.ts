import type { History } from './history.ts';
import { groupBy } from './in-use.ts';

export interface Totals {
  readonly requests: number;
  /** Failed outside the time of every known cause for its runtime. */
  readonly failed: number;
  readonly failedKnown: number;
  readonly perSecond: Readonly<Record<string, number>>;
}

/** Adds up the clients' own counts. A client that was restarted counts from zero again. */
export function totalsOf(history: History): Totals {
  let requests = 0;
  let failed = 0;
  let failedKnown = 0;
  const perSecond: Record<string, number> = {};
  for (const [runtime, counts] of groupBy(history.totals, ({ runtime }) => runtime)) {
    let before = { atMs: counts[0]?.atMs ?? 0, requests: 0, failed: 0 };
    let requestsOfRuntime = 0;
    for (const count of counts) {
      const restarted = count.requests < before.requests || count.failed < before.failed;
      const failedNow = count.failed - (restarted ? 0 : before.failed);
      requestsOfRuntime += count.requests - (restarted ? 0 : before.requests);
      const isKnown = history.known.some(
        (cause) =>
          (cause.runtime === undefined || cause.runtime === runtime) &&
          cause.fromMs <= before.atMs &&
          count.atMs <= cause.toMs,
      );
      if (isKnown) failedKnown += failedNow;
      else failed += failedNow;
      before = count;
    }
    requests += requestsOfRuntime;
    const seconds = ((counts.at(-1)?.atMs ?? 0) - (counts[0]?.atMs ?? 0)) / 1_000;
    const sinceFirst = requestsOfRuntime - (counts[0]?.requests ?? 0);
    perSecond[runtime] = seconds > 0 ? Math.round((sinceFirst / seconds) * 10) / 10 : 0;
  }
  return { requests, failed, failedKnown, perSecond };
}
