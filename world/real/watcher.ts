import { join } from 'node:path';
import type { WatcherOptions, WatcherStandIn, World } from '../world.ts';
import { startKubelet } from './kubelet.ts';
import { startTraffic } from './traffic.ts';

/** Starts both for a runtime of a world with a gateway. Call `stop` before the runtime is removed. */
export async function startWatcher(
  world: Pick<World, 'gateway' | 'workspace' | 'runtime'>,
  runtime: string,
  options: WatcherOptions,
): Promise<WatcherStandIn> {
  const { seed, signal, delay, onDeletion, onSwap, onSecond, onFailure, ratePerSecond } = options;
  const { gateway, workspace } = world;
  // In memory, as kubelet mounts a Secret: a disk that is busy for seconds must not make the stand-in later than it says.
  const mounts = await workspace.inMemory('mounts');
  const kubelet = await startKubelet({
    client: world.runtime(runtime).client,
    folder: join(mounts, `${runtime}-${seed}`),
    seed,
    ...(delay === undefined ? {} : { delay }),
    ...(onDeletion === undefined ? {} : { onDeletion }),
    ...(onSwap === undefined ? {} : { onSwap }),
    ...(signal === undefined ? {} : { signal }),
  });
  try {
    const traffic = await startTraffic({
      runtime,
      mountFolder: kubelet.folder,
      addresses: gateway.endpoints.map(({ host, port }) => `${host}:${port}`),
      serverName: gateway.host,
      seed,
      workspace,
      ...(ratePerSecond === undefined ? {} : { ratePerSecond }),
      ...(onSecond === undefined ? {} : { onSecond }),
      ...(onFailure === undefined ? {} : { onFailure }),
      ...(signal === undefined ? {} : { signal }),
    });
    const stop = async () => {
      const counts = await traffic.stop();
      await kubelet.stop();
      return counts;
    };
    return { runtime, kubelet, traffic, stop };
  } catch (error) {
    await kubelet.stop();
    throw error;
  }
}
