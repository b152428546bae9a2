import type { Clock, Timer } from '../../controller/clock.ts';
import type { IssueStep } from '../decide/needs-issue.ts';

/** Who waits for a place at the issuer, and who is called when there is one. */
export interface Waves {
  /** Another runtime that comes first waits for its turn. */
  taintedAhead(runtime: string): boolean;
  /** Takes in what a look has decided. */
  noteLook(runtime: string, issue: IssueStep, comesFirst: boolean): void;
  /** A look that failed holds nobody back any more (L2). */
  stepBack(runtime: string): void;
  forget(runtime: string): void;
  /** There may be a place: calls as many as there are, those who come first before the others. */
  call(): void;
  /** Calls nobody any more. */
  close(): void;
}

export interface WavesOptions {
  /** Issuances that may still be asked for. */
  readonly places: () => number;
  /** The runtime is to be looked at again. */
  readonly onTurn: (runtime: string) => void;
  readonly clock: Clock;
  /** Who was called and has not been looked at by then lets the next have the place. */
  readonly patienceMs: number;
}

/**
 * Who comes first holds the others back from a look that found no place until it was called to one, and then until it was
 * looked at or the patience has ended. So nobody is held back by a runtime that does not answer, or whose certificate nobody issues.
 */
export function createWaves({ places, onTurn, clock, patienceMs }: WavesOptions): Waves {
  const waiting = new Set<string>();
  const first = new Set<string>();
  const called = new Map<string, Timer>();
  let closed = false;

  const call = (): void => {
    if (closed) return;
    let free = places() - called.size;
    for (const runtime of first.size > 0 ? first : waiting) {
      if (free <= 0) return;
      if (!waiting.delete(runtime)) continue;
      called.set(
        runtime,
        clock.setTimer(patienceMs, () => leave(runtime)),
      );
      onTurn(runtime);
      free -= 1;
    }
  };
  const wasCalled = (runtime: string): boolean => {
    called.get(runtime)?.cancel();
    return called.delete(runtime);
  };
  const leave = (runtime: string): void => {
    const wasFirst = first.delete(runtime);
    if (wasCalled(runtime) || (wasFirst && first.size === 0)) call();
  };
  return {
    taintedAhead: (runtime) => first.size > (first.has(runtime) ? 1 : 0),
    noteLook(runtime, issue, comesFirst) {
      const waits = issue.step === 'wait' && (issue.reason === 'WaveNotReached' || issue.reason === 'TaintedFirst');
      if (waits) waiting.add(runtime);
      else waiting.delete(runtime);
      if (waits && comesFirst) {
        first.add(runtime);
        if (wasCalled(runtime)) call();
      } else leave(runtime);
    },
    stepBack: leave,
    forget(runtime) {
      waiting.delete(runtime);
      leave(runtime);
    },
    call,
    close() {
      closed = true;
      for (const timer of called.values()) timer.cancel();
    },
  };
}
