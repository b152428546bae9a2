import { startCluster } from '../../src/sandbox/api-server/start-cluster.ts';

/** An embedded API server in a process of its own, so that its CPU time is its own. It ends with its parent. */
const ending = new AbortController();
process.once('disconnect', () => ending.abort());
process.on('SIGINT', () => undefined);
const cluster = await startCluster({ name: 'bench', signal: ending.signal });
process.send?.(cluster.kubeconfig);
