import { pause } from '../world/wait.ts';

export interface UntilOptions {
  readonly timeoutMs: number;
  readonly signal: AbortSignal;
  /** @default 200 */
  readonly everyMs?: number;
}

/** Something did not come to pass in its time. */
class NotInTime extends Error {
  override readonly name = 'NotInTime';
}

/**
 * Looks until nothing is awaited any more.
 *
 * @throws {NotInTime} after the time, with what was still awaited at the last look
 */
export async function until(
  what: string,
  look: () => Promise<readonly string[]>,
  { timeoutMs, signal, everyMs = 200 }: UntilOptions,
): Promise<void> {
  const endMs = performance.now() + timeoutMs;
  let last: readonly string[] = [];
  for (;;) {
    signal.throwIfAborted();
    try {
      last = await look();
      if (last.length === 0) return;
    } catch (error) {
      signal.throwIfAborted();
      last = [`a look failed: ${error instanceof Error ? error.message : String(error)}`];
    }
    if (performance.now() > endMs) {
      throw new NotInTime(`Not within ${timeoutMs / 1_000} s: ${what}. Awaited still: ${last.join('; ')}`);
    }
    await pause(everyMs, signal);
  }
}
