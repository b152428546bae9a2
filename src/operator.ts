import { TRUST_DOMAIN } from './api/names.ts';
import type { TrustDomain } from './api/trust-domain.ts';
import { type Clock, systemClock } from './controller/clock.ts';
import { createHealth } from './controller/health.ts';
import { createKubeClient } from './kubernetes/client.ts';
import { startInformer } from './kubernetes/informer.ts';
import type { ClusterConfig } from './kubernetes/kubeconfig.ts';
import { type Leadership, runElection } from './kubernetes/lease.ts';
import { runDomains } from './rotation/run-domains.ts';
import { createEventRecorder } from './telemetry/events.ts';
import { type ListenAddress, serveTelemetry } from './telemetry/http.ts';
import type { Log } from './telemetry/log.ts';
import { createMetrics } from './telemetry/metrics.ts';

export interface OperatorOptions {
  /** The hub. */
  readonly hub: ClusterConfig;
  /** Namespace whose trust domains are served; `null`: all of them. @default kcp-system */
  readonly namespace?: string | null;
  /** Where `/livez`, `/readyz` and `/metrics` are; `null`: nowhere. @default null */
  readonly metricsAddress?: ListenAddress | null;
  /** Called once, with the address that is listened on. */
  readonly onListening?: (url: string) => void;
  /** The Lease by which one of several replicas leads; `null`: this one does. @default null */
  readonly leaderElection?: LeaderElectionOptions | null;
  /** Unique among the replicas: the pod's name. */
  readonly identity: string;
  readonly version?: string;
  readonly clock?: Clock;
  /** In [0, 1). */
  readonly random?: () => number;
  readonly log: Log;
  /** Connections to the hub for ordinary requests. @default 16 */
  readonly connections?: number;
}

export interface LeaderElectionOptions {
  readonly namespace: string;
  readonly name: string;
  /** A candidate takes a lease that it has not seen renewed for this time. @default 15000 */
  readonly durationMs?: number;
  /** A leader that could not renew for this time stops leading. @default 10000 */
  readonly renewDeadlineMs?: number;
  /** Between two attempts to take or renew. @default 2000 */
  readonly retryMs?: number;
}

/** `lost`: another replica leads now; end the process and start anew. */
export type OperatorEnd = 'stopped' | 'lost';

/**
 * Runs the operator until the signal aborts: every trust domain of the hub, its gateway and its fleet. Nothing is global, so
 * several may run in one process. When it has ended, no timer, connection or request of it is left.
 *
 * @throws when the address for metrics cannot be listened on
 */
export async function runOperator(options: OperatorOptions, signal: AbortSignal): Promise<OperatorEnd> {
  const {
    log,
    clock = systemClock,
    random = Math.random,
    identity,
    version = '0.0.0',
    namespace = 'kcp-system',
  } = options;
  const metrics = createMetrics(version);
  const health = createHealth();
  const client = createKubeClient(options.hub, {
    connections: options.connections ?? 16,
    userAgent: `keyturn/${version}`,
    onRequest: metrics.onRequest('hub'),
  });
  const stopping = new AbortController();
  const ending = AbortSignal.any([signal, stopping.signal]);
  const domains = startInformer<TrustDomain>({
    client,
    resource: TRUST_DOMAIN,
    ...(namespace === null ? {} : { selection: { namespace } }),
    clock,
    random,
    signal: ending,
    onProblem: ({ error, failures }) => {
      if (failures > 1) log.warn('Watch does not work', { what: 'TrustDomains', error });
    },
  });
  const events = createEventRecorder({ client, clock, instance: identity, signal: ending });
  health.ready('trust-domains', () => (domains.store.synced ? undefined : 'TrustDomains are not read yet'));
  const server = options.metricsAddress ? await serveTelemetry(options.metricsAddress, { health, metrics }) : undefined;

  const lead = async (leadership: Leadership): Promise<void> => {
    log.info('Leading', { identity });
    metrics.set('keyturn_leader', 1, {});
    try {
      await runDomains(
        { client, clock, random, log, domains: domains.store, events, metrics, health, held: leadership.held },
        leadership.signal,
      );
    } finally {
      metrics.set('keyturn_leader', 0, {});
      log.info('No longer leading', { identity });
    }
  };
  try {
    if (server !== undefined) options.onListening?.(server.url);
    if (options.leaderElection) {
      const end = await runElection({
        ...options.leaderElection,
        client,
        identity,
        lead,
        signal,
        clock,
        random,
        onProblem: (error) => log.warn('Lease cannot be taken or renewed', { error }),
      });
      return end === 'lost' ? 'lost' : 'stopped';
    }
    await lead({ signal, held: () => !signal.aborted });
    return 'stopped';
  } finally {
    stopping.abort(new Error('The operator is stopping'));
    await domains.ended;
    await events.drain();
    await server?.close();
    await client.close();
  }
}
