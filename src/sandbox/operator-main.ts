import { loadKubeconfig } from '../kubernetes/kubeconfig.ts';
import { runOperator } from '../operator.ts';
import { createLog } from '../telemetry/log.ts';

/** The operator as a process of a sandbox. It ends with its parent, however that ends. */
const [, , kubeconfigPath = ''] = process.argv;
const stopping = new AbortController();
const stop = (why: string) => (): void => stopping.abort(new Error(why));
process.once('SIGTERM', stop('SIGTERM'));
// A person's Ctrl+C reaches the whole group; the parent stops us in its order.
process.on('SIGINT', () => undefined);
process.once('disconnect', stop('The sandbox has ended'));

const log = createLog();
process.send?.('started');
await runOperator({ hub: loadKubeconfig(kubeconfigPath), identity: `sandbox-${process.pid}`, log }, stopping.signal);
process.disconnect?.();
