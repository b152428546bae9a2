import { Command, InvalidArgumentError, Option } from 'commander';
import { DEFAULT_NAMESPACE } from '../api/names.ts';
import type { ClusterConfig } from '../kubernetes/kubeconfig.ts';
import { type ListenAddress, parseListenAddress } from '../telemetry/http.ts';
import type { Log, LogLevel } from '../telemetry/log.ts';
import { untilStopped } from './stop-signal.ts';

/** Written out, so that help needs no log. */
const levelNames = ['debug', 'info', 'warn', 'error'] as const satisfies readonly LogLevel[];

/** What the command line says about an operator. */
export interface OperatorArguments {
  readonly hub: ClusterConfig;
  /** Namespace of the TrustDomains and of the Lease. */
  readonly namespace: string;
  readonly metricsAddress: ListenAddress;
  readonly leaderElect: boolean;
  readonly log: Log;
}

/** Runs an operator until the signal; rejects when it cannot go on. */
export type RunOperator = (operator: OperatorArguments, signal: AbortSignal) => Promise<void>;

interface Flags {
  readonly kubeconfig?: string;
  readonly context?: string;
  readonly namespace: string;
  readonly metricsAddress: ListenAddress;
  readonly logLevel: LogLevel;
  readonly leaderElect: boolean;
}

/** @param load loads the operator when it is wanted, so that other commands start without it */
export function operatorCommand(load: () => Promise<RunOperator>): Command {
  const levels = new Option('--log-level <level>', 'least important lines that are written').choices(levelNames);
  return new Command('operator')
    .description('Runs the operator on a hub until SIGTERM or SIGINT.')
    .option('--kubeconfig <file>', 'kubeconfig of the hub (default: $KUBECONFIG, the pod, ~/.kube/config)')
    .option('--context <name>', 'context of the kubeconfig (default: its current one)')
    .option('-n, --namespace <name>', 'namespace of the TrustDomains and of the Lease', DEFAULT_NAMESPACE)
    .addOption(
      new Option('--metrics-address <host:port>', 'where /metrics, /livez and /readyz are served')
        .argParser(listenAddress)
        .default(listenAddress('127.0.0.1:8080'), '127.0.0.1:8080'),
    )
    .addOption(levels.default('info' satisfies LogLevel))
    .option('--leader-elect', 'act only while this replica holds the Lease', false)
    .action(async (flags: Flags) => {
      const { kubeconfig, context, namespace, metricsAddress, leaderElect } = flags;
      const { hubConfig } = await import('./hub-config.ts');
      const { createLog } = await import('../telemetry/log.ts');
      const hub = hubConfig({
        ...(kubeconfig === undefined ? {} : { kubeconfig }),
        ...(context === undefined ? {} : { context }),
      });
      const log = createLog({ level: flags.logLevel });
      const run = await load();
      await untilStopped((signal) => run({ hub, namespace, metricsAddress, leaderElect, log }, signal), {
        onStop: (why) => log.info('Stopping', { why }),
      });
      log.info('Stopped');
    });
}

function listenAddress(text: string): ListenAddress {
  const address = parseListenAddress(text);
  if (address === null) throw new InvalidArgumentError('Write HOST:PORT, such as 127.0.0.1:8080');
  return address;
}
