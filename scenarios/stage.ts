import type { Outcome } from '../src/checker/outcome.ts';
import { startEmbeddedWorld } from '../world/embedded/world.ts';
import { startWorld } from '../world/real/world.ts';
import type { World } from '../world/world.ts';
import type { Stage } from './play.ts';
import { embeddedPace, type Pace, realPace } from './policy.ts';
import type { Say } from './say.ts';

/** What a scenario is played on: the real servers, or what stands in for them within this process. */
const worldKinds = ['real', 'embedded'] as const;
export type WorldKind = (typeof worldKinds)[number];

/** @throws when the option names no world */
export function worldKindOf(option: string): WorldKind {
  const kind = worldKinds.find((one) => one === option);
  if (kind === undefined) throw new Error(`Option --world takes ${worldKinds.join(' or ')}, not "${option}"`);
  return kind;
}

export interface StageOptions {
  readonly world: WorldKind;
  readonly runtimes: number;
  readonly seed: number;
  readonly say: Say;
  readonly signal: AbortSignal;
  /** Keeps the logs and the recording also when all went well. */
  readonly keepLogs?: boolean;
}

/** Starts a world, plays on it and ends it, whatever happens. Says where the logs are when they are kept. */
export async function onStage(
  { world: kind, runtimes, seed, say, signal, keepLogs = false }: StageOptions,
  perform: (stage: Stage) => Promise<Outcome>,
): Promise<Outcome> {
  const startedMs = performance.now();
  const pace = paceOf(kind);
  const world = await openWorld(kind, { runtimes, seed, signal });
  let failed = true;
  try {
    const took = ((performance.now() - startedMs) / 1_000).toFixed(1);
    const parts = kind === 'real' ? 'cert-manager, istiod and 2 Envoys' : 'an issuer and a gateway, embedded,';
    say(`A hub, ${runtimes} runtimes, ${parts} are started in ${took} s`);
    const outcome = await perform({ world, pace, seed, say, signal });
    failed = !outcome.ok;
    return { ...outcome, seconds: Math.round((performance.now() - startedMs) / 100) / 10 };
  } finally {
    const logs = await world.stop({ failed: failed || keepLogs });
    if (logs !== undefined) say(`Logs and recording: ${logs}`);
  }
}

export function paceOf(kind: WorldKind): Pace {
  return kind === 'real' ? realPace : embeddedPace;
}

/** A world as every scenario needs it: an issuer in the hub, and a gateway of two endpoints, one of them slow. */
export function openWorld(
  kind: WorldKind,
  { runtimes, seed, signal }: { readonly runtimes: number; readonly seed: number; readonly signal: AbortSignal },
): Promise<World> {
  const slowGatewayDelayMs = paceOf(kind).slowGatewayMs;
  return kind === 'real'
    ? startWorld({ runtimes, certManager: true, istio: true, gateways: 2, slowGatewayDelayMs, signal })
    : startEmbeddedWorld({ runtimes, slowGatewayDelayMs, seed, signal });
}
