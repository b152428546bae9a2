import type { Traffic, TrafficCounts, TrafficFailure, TrafficSecond } from '../../src/sandbox/traffic/traffic.ts';
import { startProcess } from '../process.ts';
import type { Workspace } from '../workspace.ts';
import { partPath } from './parts/cache.ts';

export interface TrafficOptions {
  /** The runtime whose watcher this stands in for. */
  readonly runtime: string;
  /** Folder that the runtime's Secret is mounted in. */
  readonly mountFolder: string;
  /** host:port of the gateways, taken in turn. */
  readonly addresses: readonly string[];
  readonly serverName: string;
  /** Default /v2/lifecycle-manager/event. */
  readonly path?: string;
  /** Requests a second with a new connection each, default 10; one a second on the kept connection comes on top. */
  readonly ratePerSecond?: number;
  readonly seed: number;
  readonly workspace: Workspace;
  readonly onSecond?: (second: TrafficSecond) => void;
  readonly onFailure?: (failure: TrafficFailure) => void;
  readonly signal?: AbortSignal;
}

type Line = ({ readonly type: 'second' | 'total' } & TrafficSecond) | ({ readonly type: 'failure' } & TrafficFailure);

const none: TrafficCounts = { sent: 0, ok: 0, failed: 0, retried: 0, unfinished: 0 };

/** Starts the traffic client of one runtime. Its requests begin when the folder first holds a credential. */
export async function startTraffic(options: TrafficOptions): Promise<Traffic> {
  let counts = none;
  let latest: TrafficSecond | undefined;
  let total: TrafficCounts | undefined;
  const failures: TrafficFailure[] = [];

  const take = (line: Line) => {
    if (line.type === 'failure') {
      failures.push(line);
      options.onFailure?.(line);
    } else if (line.type === 'second') {
      counts = sum(counts, line);
      latest = line;
      options.onSecond?.(line);
    } else {
      total = sum(none, line);
    }
  };
  const running = await startProcess({
    name: `traffic-client ${options.runtime}`,
    command: partPath('traffic-client'),
    args: [
      `--dir=${options.mountFolder}`,
      `--address=${options.addresses.join(',')}`,
      `--server-name=${options.serverName}`,
      `--path=${options.path ?? '/v2/lifecycle-manager/event'}`,
      `--rate=${options.ratePerSecond ?? 10}`,
      `--seed=${options.seed}`,
    ],
    // Two threads are plenty, and a dozen clients share two cores with the servers they call.
    env: { GOMAXPROCS: '2' },
    logFile: options.workspace.logFile(`traffic-client-${options.runtime}`),
    onStdoutLine: (line) => take(JSON.parse(line) as Line),
    graceSeconds: 2,
    ...(options.signal === undefined ? {} : { signal: options.signal }),
  });
  return {
    runtime: options.runtime,
    counts: () => total ?? counts,
    latest: () => latest,
    failures: () => failures,
    hasFailed: running.hasFailed,
    stop: async () => {
      running.kill('SIGINT');
      await running.exited;
      return total ?? counts;
    },
  };
}

function sum(a: TrafficCounts, b: TrafficCounts): TrafficCounts {
  return {
    sent: a.sent + b.sent,
    ok: a.ok + b.ok,
    failed: a.failed + b.failed,
    retried: a.retried + b.retried,
    unfinished: a.unfinished + b.unfinished,
  };
}
