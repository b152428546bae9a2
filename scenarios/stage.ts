import { startWorld } from '../world/real/world.ts';
import type { Outcome } from './outcome.ts';
import type { Stage } from './play.ts';
import { slowGatewayMs } from './policy.ts';
import type { Say } from './say.ts';

export interface StageOptions {
  readonly runtimes: number;
  readonly seed: number;
  readonly say: Say;
  readonly signal: AbortSignal;
  /** Keeps the logs and the recording also when all went well. */
  readonly keepLogs?: boolean;
}

/** Starts a world of real parts, plays on it and ends it, whatever happens. Says where the logs are when they are kept. */
export async function onStage(
  { runtimes, seed, say, signal, keepLogs = false }: StageOptions,
  perform: (stage: Stage) => Promise<Outcome>,
): Promise<Outcome> {
  const startedMs = performance.now();
  const world = await startWorld({
    runtimes,
    certManager: true,
    istio: true,
    gateways: 2,
    slowGatewayDelayMs: slowGatewayMs,
    signal,
  });
  let failed = true;
  try {
    const took = ((performance.now() - startedMs) / 1_000).toFixed(1);
    say(`A hub, ${runtimes} runtimes, cert-manager, istiod and 2 Envoys are started in ${took} s`);
    const outcome = await perform({ world, seed, say, signal });
    failed = !outcome.ok;
    return { ...outcome, seconds: Math.round((performance.now() - startedMs) / 100) / 10 };
  } finally {
    const logs = await world.stop({ failed: failed || keepLogs });
    if (logs !== undefined) say(`Logs and recording: ${logs}`);
  }
}
