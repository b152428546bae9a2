import type { TrustDomain } from '../api/trust-domain.ts';
import type { Clock } from '../controller/clock.ts';
import { startController } from '../controller/controller.ts';
import type { Health } from '../controller/health.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import { isAborted } from '../kubernetes/errors.ts';
import { refFromKey } from '../kubernetes/resource.ts';
import type { StoreReader } from '../kubernetes/store.ts';
import type { EventRecorder } from '../telemetry/events.ts';
import type { Log } from '../telemetry/log.ts';
import type { Metrics } from '../telemetry/metrics.ts';
import { tellStatuses } from '../telemetry/status-metrics.ts';
import { watchedPart } from './domain-watches.ts';
import { sameJson } from './observe/same-json.ts';
import { type RunningDomain, startDomain } from './run-domain.ts';

export interface DomainsOptions {
  readonly client: KubeClient;
  readonly clock: Clock;
  readonly random: () => number;
  readonly log: Log;
  readonly domains: StoreReader<TrustDomain>;
  readonly events: EventRecorder;
  readonly metrics: Metrics;
  readonly health: Health;
  /** Whether this process still leads. */
  readonly held: () => boolean;
}

const stuckAfterMs = 600_000;

/** Runs every trust domain that there is, each by itself, until the signal aborts. */
export async function runDomains(options: DomainsOptions, signal: AbortSignal): Promise<void> {
  const { client, clock, random, log, domains, events, metrics, health } = options;
  const running = new Map<string, { readonly watched: unknown; readonly domain: RunningDomain }>();
  const guard = (): void => {
    if (!options.held()) throw new Error('Another replica may lead by now, so nothing is written any more');
  };

  const told = (): void => {
    const records = [...running.values()].flatMap(({ domain }) => domain.records());
    tellStatuses(metrics, domains.list(), records);
  };
  const start = (domain: TrustDomain, stop: AbortSignal): Promise<RunningDomain> =>
    startDomain({
      client,
      clock,
      random,
      tell: log,
      domains,
      domain,
      guard,
      signal: stop,
      onRun(record) {
        metrics.onRun(record);
        if (record.outcome === 'failed' && !isAborted(record.error))
          log.warn('Run failed', { controller: record.controller, key: record.key, error: record.error });
      },
      onGatewayChange({ domain: regarding, reason, note }) {
        metrics.count('keyturn_gateway_changes_total', { why: reason });
        events.record(regarding, { type: 'Normal', reason, action: 'ChangeGateway', note });
      },
      onGatewayPass: told,
      onProbe: (result) => metrics.count('keyturn_probe_rounds_total', { result }),
      onDelivery: (kind, result) => metrics.count('keyturn_deliveries_total', { kind, result }),
      onIssuance: (reason) => metrics.count('keyturn_issuances_total', { reason }),
      runtimeClients: { onRequest: metrics.onRequest('runtime') },
    });

  const controller = startController({
    name: 'trust-domain',
    clock,
    random,
    concurrency: 10,
    onRun: (record) => {
      if (record.outcome === 'failed' && !isAborted(record.error))
        log.warn('Trust domain cannot be started', { key: record.key, error: record.error });
    },
    async reconcile(key, stop) {
      const wanted = domains.byKey(key);
      const present = running.get(key);
      const watched = wanted === undefined ? null : watchedPart(wanted.spec);
      if (present !== undefined && !sameJson(present.watched, watched)) {
        running.delete(key);
        await present.domain.stop();
      }
      if (wanted === undefined || running.has(key)) return;
      log.info('Trust domain starts', { trustDomain: key, ...refFromKey(key) });
      running.set(key, { watched, domain: await start(wanted, stop) });
    },
  });
  health.ready('watches', () => {
    for (const { domain } of running.values()) {
      const trouble = domain.trouble();
      if (trouble !== undefined) return trouble;
    }
    return undefined;
  });
  health.live('gateway', () => {
    // A pass is bounded by the time-outs of its requests; one that never ends is a fault that a restart may heal.
    const oldestMs = Math.max(0, ...[...running.values()].map(({ domain }) => domain.queues().gateway.oldestRunMs));
    return oldestMs > stuckAfterMs ? `a pass has been under way for ${Math.round(oldestMs / 1000)} s` : undefined;
  });
  for (const [name, which] of [
    ['gateway', 'gateway'],
    ['runtime', 'runtime'],
  ] as const) {
    metrics.watchQueue({
      name,
      state: () => summed([...running.values()].map(({ domain }) => domain.queues()[which])),
    });
  }

  const unsubscribe = domains.subscribe(({ key }) => controller.add(key));
  for (const { metadata } of domains.list()) controller.add(`${metadata.namespace ?? ''}/${metadata.name}`);
  await aborted(signal);
  unsubscribe();
  await controller.stop();
  await Promise.all([...running.values()].map(({ domain }) => domain.stop()));
}

type QueueState = ReturnType<RunningDomain['queues']>['gateway'];

function summed(states: readonly QueueState[]): QueueState {
  return {
    ready: states.reduce((sum, { ready }) => sum + ready, 0),
    delayed: states.reduce((sum, { delayed }) => sum + delayed, 0),
    running: states.reduce((sum, { running }) => sum + running, 0),
    oldestRunMs: Math.max(0, ...states.map(({ oldestRunMs }) => oldestRunMs)),
  };
}

function aborted(signal: AbortSignal): Promise<void> {
  if (signal.aborted) return Promise.resolve();
  return new Promise((resolve) => signal.addEventListener('abort', () => resolve(), { once: true }));
}
