import { once } from 'node:events';
import { loadKubeconfig } from '../kubernetes/kubeconfig.ts';
import { runOperator } from '../operator.ts';
import { createLog } from '../telemetry/log.ts';

/** The operator as a process of a sandbox. It begins when it is told the path of its kubeconfig, and ends with its parent, however that ends. */
const stopping = new AbortController();
const stop = (why: string) => (): void => stopping.abort(new Error(why));
process.once('SIGTERM', stop('SIGTERM'));
// A person's Ctrl+C reaches the whole group; the parent stops us in its order.
process.on('SIGINT', () => undefined);
process.once('disconnect', stop('The sandbox has ended'));

const kubeconfigPath = await told(stopping.signal);
if (kubeconfigPath !== null) {
  process.send?.('begun');
  const options = { hub: loadKubeconfig(kubeconfigPath), identity: `sandbox-${process.pid}`, log: createLog() };
  await runOperator(options, stopping.signal);
}
if (process.connected) process.disconnect();

/** @returns `null` when it is to end before it has begun */
async function told(signal: AbortSignal): Promise<string | null> {
  try {
    const [path] = await once(process, 'message', { signal });
    return String(path);
  } catch (error) {
    if (signal.aborted) return null;
    throw error;
  }
}
