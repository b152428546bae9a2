import { expect, test } from 'vitest';
import { METRICS } from './metric-catalogue.ts';
import { createMetrics } from './metrics.ts';

test('every metric of the catalogue is served, and nothing else', async () => {
  const text = await createMetrics('1.2.3').render();
  const served = [...text.matchAll(/^# TYPE (\S+) (\S+)$/gm)].map(([, name, type]) => [name, type]);
  expect(served).toEqual(Object.entries(METRICS).map(([name, { type }]) => [name, type]));
  expect(text).toContain('keyturn_info{version="1.2.3"} 1');
});

test.each(Object.entries(METRICS))('%s is named as Prometheus users expect', (name, { type, help, labels }) => {
  expect(name).toMatch(/^(keyturn|workqueue)_[a-z_]+$/);
  expect(name.endsWith('_total')).toBe(type === 'counter');
  if (type === 'histogram') expect(name).toMatch(/_seconds$/);
  expect(help).toMatch(/^[A-Z0-9].*[^.]$/);
  // A series per runtime would make thousands of each metric.
  for (const label of labels) expect(['runtime', 'kyma', 'shoot', 'instance']).not.toContain(label);
});

test('a state that no runtime is in any more is no longer told', async () => {
  const metrics = createMetrics('1');
  metrics.setAll('keyturn_runtimes', 'state', { current: 2, unreachable: 1 });
  metrics.setAll('keyturn_runtimes', 'state', { current: 3 });
  const text = await metrics.render();
  expect(text).toContain('keyturn_runtimes{state="current"} 3');
  expect(text).not.toContain('unreachable"}');
});

test('requests are counted by cluster, verb and code; a watch has no duration', async () => {
  const metrics = createMetrics('1');
  metrics.onRequest('hub')({ verb: 'get', status: 200, durationMs: 12 });
  metrics.onRequest('runtime')({ verb: 'watch', status: 0, durationMs: 300_000 });
  const text = await metrics.render();
  expect(text).toContain('keyturn_kube_requests_total{cluster="hub",verb="get",code="200"} 1');
  expect(text).toContain('keyturn_kube_requests_total{cluster="runtime",verb="watch",code="0"} 1');
  expect(text).toContain('keyturn_kube_request_duration_seconds_sum{cluster="hub",verb="get"} 0.012');
  expect(text).not.toContain('keyturn_kube_request_duration_seconds_sum{cluster="runtime"');
});

test('queues are read when the metrics are', async () => {
  const metrics = createMetrics('1');
  let ready = 1;
  metrics.watchQueue({ name: 'runtime', state: () => ({ ready, delayed: 2, running: 3, oldestRunMs: 1_500 }) });
  ready = 7;
  metrics.onRun({ controller: 'runtime', outcome: 'failed', durationMs: 20 });
  const text = await metrics.render();
  expect(text).toContain('workqueue_depth{name="runtime"} 7');
  expect(text).toContain('workqueue_longest_running_processor_seconds{name="runtime"} 1.5');
  expect(text).toContain('workqueue_runs_total{name="runtime",result="failed"} 1');
});

test('two operators in one process count apart', async () => {
  const [one, other] = [createMetrics('1'), createMetrics('1')];
  one.count('keyturn_gateway_changes_total', { why: 'RootAdded' });
  expect(await one.render()).toContain('keyturn_gateway_changes_total{why="RootAdded"} 1');
  expect(await other.render()).not.toContain('why="RootAdded"');
});
