import type { Clock } from '../../controller/clock.ts';
import type { Informer } from '../../kubernetes/informer.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';

type Watched = Pick<Informer<KubeObject>, 'trouble'>;

/** A watch that is only renewed, or a hub that starts again, is back sooner. */
const silentAfterMs = 2_000;

/** That what is shown is no longer what stands in the hub, as a sentence; `null` while every watch works. */
export function silenceOf(watches: readonly Watched[], clock: Clock): string | null {
  const worst = worstOf(watches);
  if (worst === undefined || worst.sinceMs < silentAfterMs) return null;
  const { error } = worst.problem;
  const since = new Date(clock.nowMs() - worst.sinceMs).toTimeString().slice(0, 8);
  return `The hub has not answered since ${since} (${error instanceof Error ? error.message : String(error)}): trying again`;
}

/** How long it takes at most until {@link silenceOf} has something to say, if nothing else happens; infinite without trouble. */
export function untilSilentMs(watches: readonly Watched[]): number {
  const sinceMs = worstOf(watches)?.sinceMs;
  return sinceMs === undefined || sinceMs >= silentAfterMs ? Number.POSITIVE_INFINITY : silentAfterMs - sinceMs;
}

function worstOf(watches: readonly Watched[]): ReturnType<Watched['trouble']> {
  return watches
    .map((watch) => watch.trouble())
    .reduce((worst, one) => ((one?.sinceMs ?? -1) > (worst?.sinceMs ?? -1) ? one : worst), undefined);
}
