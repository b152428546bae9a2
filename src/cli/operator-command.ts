import { Command, InvalidArgumentError, Option } from 'commander';
import { parseDurationMs } from '../api/duration.ts';
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
  /** `null`: this process acts whoever else does. */
  readonly lease: LeaseTimes | null;
  readonly log: Log;
}

/** How a Lease is held; the names and the rule are those of Kubernetes' own components. */
export interface LeaseTimes {
  readonly durationMs: number;
  /** Below `durationMs`. */
  readonly renewDeadlineMs: number;
  /** Below `renewDeadlineMs`. */
  readonly retryMs: number;
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
  readonly leaderElectLeaseDuration: number;
  readonly leaderElectRenewDeadline: number;
  readonly leaderElectRetryPeriod: number;
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
    .addOption(time('--leader-elect-lease-duration', 'others take a Lease not renewed for so long', '15s'))
    .addOption(time('--leader-elect-renew-deadline', 'a leader that cannot renew for so long stops leading', '10s'))
    .addOption(time('--leader-elect-retry-period', 'between two attempts to take or renew the Lease', '2s'))
    .action(async (flags: Flags, command: Command) => {
      const { kubeconfig, context, namespace, metricsAddress, leaderElect } = flags;
      const lease = leaseTimes(flags);
      if (lease === null) {
        command.error(
          'error: the retry period of the Lease has to be shorter than its renew deadline, and that shorter than its duration',
        );
      }
      const { hubConfig } = await import('./hub-config.ts');
      const { createLog } = await import('../telemetry/log.ts');
      const hub = hubConfig({
        ...(kubeconfig === undefined ? {} : { kubeconfig }),
        ...(context === undefined ? {} : { context }),
      });
      const log = createLog({ level: flags.logLevel });
      const run = await load();
      await untilStopped(
        (signal) => run({ hub, namespace, metricsAddress, lease: leaderElect ? lease : null, log }, signal),
        {
          onStop: (why) => log.info('Stopping', { why }),
        },
      );
      log.info('Stopped');
    });
}

function time(flag: string, description: string, usual: string): Option {
  const read = (text: string): number => {
    const ms = parseDurationMs(text);
    if (ms === null || ms === 0) throw new InvalidArgumentError('Write a duration such as 500ms, 15s or 1m');
    return ms;
  };
  return new Option(`${flag} <duration>`, description).argParser(read).default(read(usual), usual);
}

/** @returns `null` where a leader could still lead while another takes the Lease */
function leaseTimes(flags: Flags): LeaseTimes | null {
  const durationMs = flags.leaderElectLeaseDuration;
  const renewDeadlineMs = flags.leaderElectRenewDeadline;
  const retryMs = flags.leaderElectRetryPeriod;
  return retryMs < renewDeadlineMs && renewDeadlineMs < durationMs ? { durationMs, renewDeadlineMs, retryMs } : null;
}

function listenAddress(text: string): ListenAddress {
  const address = parseListenAddress(text);
  if (address === null) throw new InvalidArgumentError('Write HOST:PORT, such as 127.0.0.1:8080');
  return address;
}
