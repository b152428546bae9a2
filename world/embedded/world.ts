import { startMount } from '../../src/sandbox/kubelet/mount.ts';
import { startTraffic } from '../../src/sandbox/traffic/traffic.ts';
import {
  type EmbeddedPlace,
  type EmbeddedWorldOptions as Options,
  startEmbeddedWorld as start,
} from '../../src/sandbox/world.ts';
import { connectTo } from '../cluster-client.ts';
import { openWorkspace } from '../workspace.ts';
import type { Cluster, World } from '../world.ts';

export interface EmbeddedWorldOptions
  extends Pick<Options, 'bundleFirst' | 'certManager' | 'endpoints' | 'seed' | 'signal'> {
  /** Runtime clusters to begin with, named runtime-1, runtime-2 and so on. */
  readonly runtimes: number;
  /** How much later than the others the last endpoint receives its configuration. @default 0 */
  readonly slowGatewayDelayMs?: number;
}

/** A world on Node alone. The scenarios speak to it as they do to real parts: over HTTPS, with a client of their own. */
export async function startEmbeddedWorld(options: EmbeddedWorldOptions): Promise<World> {
  const { slowGatewayDelayMs = 0, seed, signal, certManager, endpoints, bundleFirst } = options;
  const workspace = await openWorkspace();
  const names = Array.from({ length: options.runtimes }, (_, index) => `runtime-${index + 1}`);
  const embedded = await start({
    runtimes: names,
    slowEndpointMs: slowGatewayDelayMs,
    ...(certManager === undefined ? {} : { certManager }),
    ...(endpoints === undefined ? {} : { endpoints }),
    ...(bundleFirst === undefined ? {} : { bundleFirst }),
    seed,
    signal,
  }).catch(async (error: unknown) => {
    await workspace.close({ keepLogs: false });
    throw error;
  });
  const clusters = new Map<string, Cluster>();
  const clusterOf = ({ cluster }: EmbeddedPlace): Cluster => {
    const known = clusters.get(cluster.server);
    if (known !== undefined) return known;
    const { name, server, caPem, adminToken, kubeconfig } = cluster;
    const client = connectTo({ server, caPem, token: adminToken });
    const made = { name, server, caPem, adminToken, kubeconfig, client };
    clusters.set(server, made);
    return made;
  };
  const placeOf = (name: string): EmbeddedPlace => {
    const place = embedded.runtimes.get(name);
    if (place === undefined)
      throw new Error(`No runtime ${name}: there are ${[...embedded.runtimes.keys()].join(', ') || 'none'}`);
    return place;
  };
  const { gateway } = embedded;
  return {
    hub: clusterOf(embedded.hub),
    runtimes: () => [...embedded.runtimes.values()].map(clusterOf),
    runtime: (name) => clusterOf(placeOf(name)),
    addRuntime: async (name) => clusterOf(await embedded.addRuntime(name)),
    async removeRuntime(name) {
      const { server } = placeOf(name).cluster;
      await clusters.get(server)?.client.close();
      clusters.delete(server);
      await embedded.removeRuntime(name);
    },
    async silence(name) {
      const fault = placeOf(name).cluster.faults.silence();
      return async () => fault.remove();
    },
    gateway: {
      host: gateway.host,
      endpoints: gateway.endpoints,
      configDump: (index, dumpSignal) => gateway.configDump(index, dumpSignal),
      forwarded: () => gateway.forwarded()?.headers,
      setDelayMs: (index, delayMs) => gateway.setDelayMs(index, delayMs),
      restartEndpoint: (index) => gateway.restart(index),
    },
    async startWatcher(runtime, { seed: watcherSeed, delay, onDeletion, onSwap, onSecond, onFailure, ...rest }) {
      const kubelet = startMount({
        client: placeOf(runtime).client,
        seed: watcherSeed,
        ...(delay === undefined ? {} : { delay }),
        ...(onDeletion === undefined ? {} : { onDeletion }),
        ...(onSwap === undefined ? {} : { onSwap }),
        signal: rest.signal ?? signal,
      });
      const traffic = startTraffic({
        runtime,
        mounted: () => kubelet.mounted()?.data,
        endpoints: gateway.endpoints,
        serverName: gateway.host,
        seed: watcherSeed,
        ...(rest.ratePerSecond === undefined ? {} : { ratePerSecond: rest.ratePerSecond }),
        ...(onSecond === undefined ? {} : { onSecond }),
        ...(onFailure === undefined ? {} : { onFailure }),
        signal: rest.signal ?? signal,
      });
      return {
        runtime,
        kubelet: { mounted: () => kubelet.mounted() },
        traffic,
        async stop() {
          const counts = await traffic.stop();
          await kubelet.stop();
          return counts;
        },
      };
    },
    workspace,
    failures: () => [...embedded.problems()],
    async stop({ failed = false } = {}) {
      await Promise.all([...clusters.values()].map(({ client }) => client.close()));
      await embedded.stop();
      return workspace.close({ keepLogs: failed || embedded.problems().length > 0 });
    },
  };
}
