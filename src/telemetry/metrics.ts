import { Counter, Gauge, Histogram, Registry } from 'prom-client';
import { METRICS, type MetricName } from './metric-catalogue.ts';

type Labels<N extends MetricName> = (typeof METRICS)[N]['labels'][number];
type NamesOf<T> = { [N in MetricName]: (typeof METRICS)[N]['type'] extends T ? N : never }[MetricName];

/** Values for every label of a metric. */
type LabelValues<N extends MetricName> = Readonly<Record<Labels<N>, string>>;

/** Metrics of one operator, in a registry of its own, so that several fit into one process. */
export interface Metrics {
  readonly contentType: string;
  /** The text that Prometheus reads. */
  render(): Promise<string>;
  set<N extends NamesOf<'gauge'>>(name: N, value: number, labels: LabelValues<N>): void;
  /** Sets a gauge for the given values of its one label and drops all others, so that a state that ended is not told for ever. */
  setAll<N extends NamesOf<'gauge'>>(name: N, label: Labels<N>, values: Readonly<Record<string, number>>): void;
  count<N extends NamesOf<'counter'>>(name: N, labels: LabelValues<N>, by?: number): void;
  observeSeconds<N extends NamesOf<'histogram'>>(name: N, seconds: number, labels: LabelValues<N>): void;
  /** For the client's `onRequest`. */
  onRequest(cluster: 'hub' | 'runtime'): (record: RequestSeen) => void;
  /** For a controller's `onRun`. */
  onRun(record: RunSeen): void;
  /** Called before the metrics are read, to set gauges that follow from something else. */
  beforeRender(tell: () => void): void;
  /** Has the state of a queue read whenever the metrics are. */
  watchQueue(queue: QueueSeen): void;
}

/** What is told of a request. */
export interface RequestSeen {
  readonly verb: string;
  /** 0 where no answer came. */
  readonly status: number;
  readonly durationMs: number;
}

/** What is told of a run of a controller. */
export interface RunSeen {
  readonly controller: string;
  readonly outcome: 'done' | 'failed';
  readonly durationMs: number;
}

/** A controller whose queue is watched. */
export interface QueueSeen {
  readonly name: string;
  state(): {
    readonly ready: number;
    readonly delayed: number;
    readonly running: number;
    readonly oldestRunMs: number;
  };
}

/** Makes every metric of the catalogue. */
export function createMetrics(version: string): Metrics {
  const registry = new Registry();
  const gauges = new Map<string, Gauge>();
  const counters = new Map<string, Counter>();
  const histograms = new Map<string, Histogram>();
  for (const [name, definition] of Object.entries(METRICS)) {
    const base = { name, help: definition.help, labelNames: [...definition.labels], registers: [registry] };
    if (definition.type === 'gauge') gauges.set(name, new Gauge(base));
    else if (definition.type === 'counter') counters.set(name, new Counter(base));
    else histograms.set(name, new Histogram({ ...base, buckets: [...definition.buckets] }));
  }
  const tellers: (() => void)[] = [];
  const metrics: Metrics = {
    contentType: registry.contentType,
    render() {
      for (const tell of tellers) tell();
      return registry.metrics();
    },
    set: (name, value, labels) => gauges.get(name)?.set({ ...labels }, value),
    setAll(name, label, values) {
      const gauge = gauges.get(name);
      gauge?.reset();
      for (const [key, value] of Object.entries(values)) gauge?.set({ [label]: key }, value);
    },
    count: (name, labels, by = 1) => counters.get(name)?.inc({ ...labels }, by),
    observeSeconds: (name, seconds, labels) => histograms.get(name)?.observe({ ...labels }, seconds),
    onRequest: (cluster) => (record) => {
      const { verb, status, durationMs } = record;
      metrics.count('keyturn_kube_requests_total', { cluster, verb, code: String(status) });
      // A watch lives for minutes by design.
      if (verb !== 'watch') {
        metrics.observeSeconds('keyturn_kube_request_duration_seconds', durationMs / 1_000, { cluster, verb });
      }
    },
    onRun({ controller, outcome, durationMs }) {
      metrics.count('workqueue_runs_total', { name: controller, result: outcome });
      metrics.observeSeconds('workqueue_work_duration_seconds', durationMs / 1_000, { name: controller });
    },
    beforeRender: (tell) => {
      tellers.push(tell);
    },
    watchQueue: (queue) => metrics.beforeRender(() => tellQueue(metrics, queue)),
  };
  metrics.set('keyturn_info', 1, { version });
  return metrics;
}

function tellQueue(metrics: Metrics, queue: QueueSeen): void {
  const { name } = queue;
  const { ready, delayed, running, oldestRunMs } = queue.state();
  metrics.set('workqueue_depth', ready, { name });
  metrics.set('workqueue_delayed', delayed, { name });
  metrics.set('workqueue_unfinished', running, { name });
  metrics.set('workqueue_longest_running_processor_seconds', oldestRunMs / 1_000, { name });
}
