import { setMaxListeners } from 'node:events';

/**
 * Calls `listener` when the signal aborts, at once where it has aborted already. The returned function takes
 * the listener off: a signal lives as long as the process, so a listener left behind is a leak.
 */
export function onAbort(signal: AbortSignal, listener: () => void): () => void {
  if (signal.aborted) {
    listener();
    return () => undefined;
  }
  // Hundreds of requests rightly wait on one signal; Node would warn of a leak at eleven.
  setMaxListeners(0, signal);
  signal.addEventListener('abort', listener, { once: true });
  return () => signal.removeEventListener('abort', listener);
}
