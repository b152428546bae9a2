import { constants } from 'node:os';

/** Where signals come from and how the process ends; the process itself, or a stand-in in tests. */
export interface SignalSource {
  on(signal: NodeJS.Signals, listener: () => void): unknown;
  off(signal: NodeJS.Signals, listener: () => void): unknown;
  exit(code: number): unknown;
}

/**
 * Runs until the work ends. The first SIGTERM or SIGINT asks it to end; a second one, or the end of the grace period, ends
 * the process as it is. Everything the operator does may be cut off between any two requests (design 4), so that is safe.
 *
 * @param onStop told once, when the work is asked to end
 */
export async function untilStopped<T>(
  work: (signal: AbortSignal) => Promise<T>,
  options: { readonly source?: SignalSource; readonly graceMs?: number; readonly onStop?: (why: string) => void } = {},
): Promise<T> {
  const { source = process, graceMs = 25_000, onStop } = options;
  const stopping = new AbortController();
  let timer: NodeJS.Timeout | undefined;
  const listeners = (['SIGTERM', 'SIGINT'] as const).map((name) => {
    const listener = (): void => {
      const code = 128 + constants.signals[name];
      if (stopping.signal.aborted) {
        source.exit(code);
        return;
      }
      onStop?.(name);
      timer = setTimeout(() => source.exit(code), graceMs);
      stopping.abort(new Error(`Asked to stop by ${name}`));
    };
    source.on(name, listener);
    return [name, listener] as const;
  });
  try {
    return await work(stopping.signal);
  } finally {
    clearTimeout(timer);
    for (const [name, listener] of listeners) source.off(name, listener);
  }
}
