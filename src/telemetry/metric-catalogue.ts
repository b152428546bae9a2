/**
 * Every metric of the operator. None has a label per cluster: a fleet of thousands would make a series of each, and what one
 * runtime does is told by its `RuntimeTrust`. Reasons in labels are words of the catalogue of reasons.
 *
 * @module
 */

export interface MetricDefinition {
  readonly type: 'gauge' | 'counter' | 'histogram';
  readonly help: string;
  readonly labels: readonly string[];
  /** Upper bounds of a histogram, in the unit of the metric. */
  readonly buckets?: readonly number[];
}

const seconds = [0.005, 0.025, 0.1, 0.5, 1, 2, 5, 10, 30, 60] as const;

export const METRICS = {
  keyturn_info: { type: 'gauge', help: 'Always 1; the labels tell the version', labels: ['version'] },
  keyturn_runtimes: {
    type: 'gauge',
    help: 'Runtimes by state (current, waiting, unproven, behind, unreachable); each counts in one',
    labels: ['state'],
  },
  keyturn_runtime_waits: {
    type: 'gauge',
    help: 'Runtimes that wait, by reason; a runtime with several reasons counts in each',
    labels: ['reason'],
  },
  keyturn_deliveries_total: {
    type: 'counter',
    help: 'Writes to runtimes by kind (caBundle, secret) and result (written, conflict, failed, late)',
    labels: ['kind', 'result'],
  },
  keyturn_issuances_total: {
    type: 'counter',
    help: 'Client certificates asked for, by reason',
    labels: ['reason'],
  },
  keyturn_probe_rounds_total: {
    type: 'counter',
    help: 'Probe rounds at the gateway by result: proven, or the reason for doubt',
    labels: ['result'],
  },
  keyturn_gateway_changes_total: {
    type: 'counter',
    help: 'Writes to the gateway Secret, by reason',
    labels: ['why'],
  },
  keyturn_bundle_roots: { type: 'gauge', help: 'Roots in the bundle of the gateway', labels: [] },
  keyturn_bundle_roots_kept: { type: 'gauge', help: 'Roots that stay in the bundle, by reason', labels: ['reason'] },
  keyturn_root_refused: {
    type: 'gauge',
    help: '1 while the root in the root Secret does not enter, by reason',
    labels: ['reason'],
  },
  keyturn_root_expiry_timestamp_seconds: {
    type: 'gauge',
    help: 'When the current root expires, in seconds since 1970',
    labels: [],
  },
  keyturn_server_expiry_timestamp_seconds: {
    type: 'gauge',
    help: 'When the server certificate of the gateway expires, in seconds since 1970',
    labels: [],
  },
  keyturn_server_switch_waits: {
    type: 'gauge',
    help: 'Runtimes whose proof the switch of the server certificate waits for',
    labels: [],
  },
  keyturn_server_switch_breaks: {
    type: 'gauge',
    help: 'Runtimes that the switch no longer waits for and that may break',
    labels: [],
  },
  keyturn_kube_requests_total: {
    type: 'counter',
    help: 'Requests to API servers by cluster (hub, runtime), verb and HTTP code; 0: no answer',
    labels: ['cluster', 'verb', 'code'],
  },
  keyturn_kube_request_duration_seconds: {
    type: 'histogram',
    help: 'Time that requests to API servers took; watches are left out',
    labels: ['cluster', 'verb'],
    buckets: seconds,
  },
  workqueue_depth: { type: 'gauge', help: 'Keys that are ready to be worked on', labels: ['name'] },
  workqueue_delayed: { type: 'gauge', help: 'Keys that wait for their time', labels: ['name'] },
  workqueue_unfinished: { type: 'gauge', help: 'Keys that are worked on now', labels: ['name'] },
  workqueue_longest_running_processor_seconds: {
    type: 'gauge',
    help: 'Age of the oldest run under way',
    labels: ['name'],
  },
  workqueue_work_duration_seconds: {
    type: 'histogram',
    help: 'Time that working on a key took',
    labels: ['name'],
    buckets: seconds,
  },
  workqueue_runs_total: {
    type: 'counter',
    help: 'Finished runs by result (done, failed)',
    labels: ['name', 'result'],
  },
  keyturn_leader: { type: 'gauge', help: '1 while this replica leads', labels: [] },
} as const satisfies Record<string, MetricDefinition>;

export type MetricName = keyof typeof METRICS;
