import type { RuntimeTrust } from '../api/runtime-trust.ts';
import type { TrustDomain } from '../api/trust-domain.ts';
import type { Metrics } from './metrics.ts';

/** States of a runtime in `keyturn_runtimes`. */
export const RUNTIME_STATES = ['current', 'waiting', 'unproven', 'behind', 'unreachable'] as const;
export type RuntimeState = (typeof RUNTIME_STATES)[number];

/**
 * Sets every gauge that follows from statuses. They are read from there and not kept by the controllers, so that a metric
 * never says something else than `kubectl` shows. Of several trust domains, numbers add up and the earliest end counts.
 *
 * @param domains those that this operator serves
 * @param records of their runtimes
 */
export function tellStatuses(
  metrics: Metrics,
  domains: readonly TrustDomain[],
  records: readonly RuntimeTrust[],
): void {
  const statuses = domains.flatMap(({ status }) => status ?? []);
  const states = Object.fromEntries(RUNTIME_STATES.map((state) => [state, 0]));
  metrics.setAll('keyturn_runtimes', 'state', { ...states, ...tally(records.map(stateOf)) });
  metrics.setAll('keyturn_runtime_waits', 'reason', tally(records.flatMap(({ status }) => status?.waits ?? [])));

  const roots = statuses.flatMap(({ bundle }) => bundle ?? []);
  metrics.set('keyturn_bundle_roots', roots.length, {});
  metrics.setAll('keyturn_bundle_roots_kept', 'reason', tally(roots.flatMap(({ keptBy }) => keptBy?.use ?? [])));
  const refusals = statuses.flatMap(({ conditions }) => conditions ?? []).filter(({ type }) => type === 'RootAdmitted');
  metrics.setAll(
    'keyturn_root_refused',
    'reason',
    tally(refusals.filter(({ status }) => status === 'False').map(({ reason }) => reason)),
  );
  const candidates = statuses.flatMap(({ candidate }) => candidate ?? []);
  metrics.set(
    'keyturn_server_switch_waits',
    candidates.reduce((sum, { waitsForCount }) => sum + waitsForCount, 0),
    {},
  );
  metrics.set(
    'keyturn_server_switch_breaks',
    candidates.reduce((sum, { breaks }) => sum + breaks.length, 0),
    {},
  );
  tellEnd(
    metrics,
    'keyturn_root_expiry_timestamp_seconds',
    statuses.map(({ root }) => root?.notAfter),
  );
  tellEnd(
    metrics,
    'keyturn_server_expiry_timestamp_seconds',
    statuses.map(({ server }) => server?.notAfter),
  );
}

/** The one state that a runtime counts in: what most needs attention comes first. */
export function stateOf({ status }: RuntimeTrust): RuntimeState {
  const is = (type: string, value: string): boolean =>
    status?.conditions?.some((condition) => condition.type === type && condition.status === value) ?? false;
  if (is('Reachable', 'False')) return 'unreachable';
  if (is('Ready', 'True')) return 'current';
  if ((status?.waits?.length ?? 0) > 0) return 'waiting';
  const delivered = status?.conditions?.find(({ type }) => type === 'Delivered');
  return delivered?.reason === 'DeliveryNotProven' ? 'unproven' : 'behind';
}

type EndMetric = 'keyturn_root_expiry_timestamp_seconds' | 'keyturn_server_expiry_timestamp_seconds';

/** While there is no end to tell, 0 stays: an alert on "soon" would cry for a hub that has no root yet, one on 0 can be told apart. */
function tellEnd(metrics: Metrics, name: EndMetric, ends: readonly (string | undefined)[]): void {
  const known = ends.flatMap((end) => (end === undefined ? [] : Date.parse(end))).filter(Number.isFinite);
  metrics.set(name, known.length === 0 ? 0 : Math.min(...known) / 1_000, {});
}

function tally(words: readonly string[]): Readonly<Record<string, number>> {
  const counts: Record<string, number> = {};
  for (const word of words) counts[word] = (counts[word] ?? 0) + 1;
  return counts;
}
