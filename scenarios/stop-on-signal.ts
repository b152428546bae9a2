import { setMaxListeners } from 'node:events';

/**
 * Runs a program that Ctrl-C ends in order: the first SIGINT or SIGTERM aborts the signal, and the program ends its
 * children by itself; a second one ends the process, and with it each child by its guardian.
 */
export async function stoppedBySignals<T>(work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const stopping = new AbortController();
  // Every part and loop waits on it.
  setMaxListeners(0, stopping.signal);
  const stop = (name: NodeJS.Signals) => {
    if (stopping.signal.aborted) process.exit(130);
    stopping.abort(new Error(`Stopped by ${name}`));
  };
  const names = ['SIGINT', 'SIGTERM'] as const;
  for (const name of names) process.on(name, stop);
  try {
    return await work(stopping.signal);
  } finally {
    for (const name of names) process.off(name, stop);
  }
}
