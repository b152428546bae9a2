import { type MeasuredClient, officialClient, ourClient, prepare } from './clients.ts';

export interface TransportRow {
  readonly operation: 'get' | 'apply';
  readonly ours: Rate;
  readonly official: Rate;
  /** Our requests per second divided by theirs. */
  readonly throughputRatio: number;
  /** Their CPU time per request divided by ours. */
  readonly cpuRatio: number;
}

export interface Rate {
  readonly requestsPerSecond: number;
  /** Of this process alone; the API server's is not counted. */
  readonly cpuMsPerRequest: number;
}

export interface TransportBenchOptions {
  /** Requests under way at once. @default 32 */
  readonly callers?: number;
  /** Of one round of one client. @default 2000 */
  readonly roundMs?: number;
  /** Of each client before its rounds: code that is not compiled yet costs several times as much. @default 3000 */
  readonly warmUpMs?: number;
  /** The median is reported. @default 3 */
  readonly rounds?: number;
}

/**
 * Our client beside the official one against the same API server. The two take turns, so that what else the
 * machine does falls on both.
 */
export async function benchTransport(
  kubeconfigYaml: string,
  options: TransportBenchOptions = {},
): Promise<{ readonly rows: readonly TransportRow[] }> {
  const { callers = 32, roundMs = 2_000, warmUpMs = 3_000, rounds = 3 } = options;
  const ours = ourClient(kubeconfigYaml);
  const official = officialClient(kubeconfigYaml);
  await prepare(kubeconfigYaml, [ours, official], callers);
  const rows: TransportRow[] = [];
  for (const operation of ['get', 'apply'] as const) {
    const rates: { readonly ours: Rate[]; readonly official: Rate[] } = { ours: [], official: [] };
    await measure(ours, operation, callers, warmUpMs);
    await measure(official, operation, callers, warmUpMs);
    for (let round = 0; round < rounds; round += 1) {
      rates.ours.push(await measure(ours, operation, callers, roundMs));
      rates.official.push(await measure(official, operation, callers, roundMs));
    }
    const [our, their] = [median(rates.ours), median(rates.official)];
    rows.push({
      operation,
      ours: our,
      official: their,
      throughputRatio: our.requestsPerSecond / their.requestsPerSecond,
      cpuRatio: their.cpuMsPerRequest / our.cpuMsPerRequest,
    });
  }
  await Promise.all([ours.close(), official.close()]);
  return { rows };
}

async function measure(
  client: MeasuredClient,
  operation: 'get' | 'apply',
  callers: number,
  durationMs: number,
): Promise<Rate> {
  let requests = 0;
  const cpuBefore = process.cpuUsage();
  const beganMs = performance.now();
  const call = async (caller: number): Promise<void> => {
    while (performance.now() - beganMs < durationMs) {
      await client[operation](caller);
      requests += 1;
    }
  };
  await Promise.all(Array.from({ length: callers }, (_, caller) => call(caller)));
  const seconds = (performance.now() - beganMs) / 1000;
  const { user, system } = process.cpuUsage(cpuBefore);
  return { requestsPerSecond: requests / seconds, cpuMsPerRequest: (user + system) / 1000 / requests };
}

function median(rates: readonly Rate[]): Rate {
  const middle = (values: number[]): number =>
    values.sort((a, b) => a - b)[Math.floor(values.length / 2)] ?? Number.NaN;
  return {
    requestsPerSecond: middle(rates.map((rate) => rate.requestsPerSecond)),
    cpuMsPerRequest: middle(rates.map((rate) => rate.cpuMsPerRequest)),
  };
}
