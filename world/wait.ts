import { setTimeout as sleep } from 'node:timers/promises';

export interface WaitOptions {
  readonly everyMs: number;
  readonly timeoutMs: number;
  readonly signal?: AbortSignal | undefined;
}

/** Asks until the answer is true. @returns false when the time ran out or the signal was aborted; a check that throws is a "no". */
export async function waitUntil(check: () => Promise<boolean> | boolean, options: WaitOptions): Promise<boolean> {
  const deadline = performance.now() + options.timeoutMs;
  for (;;) {
    if (options.signal?.aborted) return false;
    try {
      if (await check()) return true;
    } catch {
      // Not serving yet.
    }
    if (performance.now() >= deadline) return false;
    await pause(options.everyMs, options.signal);
  }
}

/** Sleeps; returns early, without an error, when aborted. */
export async function pause(ms: number, signal?: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, signal === undefined ? {} : { signal });
  } catch (error) {
    if (!signal?.aborted) throw error;
  }
}
