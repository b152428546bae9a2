import { freePorts } from '../free-ports.ts';
import type { Workspace } from '../workspace.ts';
import type { WorldGateway } from '../world.ts';
import type { ApiServer } from './api-servers.ts';
import { type Backend, startBackend } from './backend.ts';
import { type DelayingProxy, startDelayingProxy } from './delaying-proxy.ts';
import { type Envoy, startEnvoy } from './envoy.ts';
import { readEnvoyCredentials } from './envoy-credentials.ts';
import { applyGatewayObjects, type GatewayPod, gatewayHost } from './gateway-objects.ts';
import { type Istiod, startIstiod } from './istiod.ts';

export interface GatewayOptions {
  /** Number of Envoys, default 2. */
  readonly envoys?: number;
  /** How much later than the others the last Envoy receives its configuration, default 0. */
  readonly slowDelayMs?: number;
  readonly signal?: AbortSignal;
}

/** istiod, the Envoys that it configures from the Gateway kcp-system/klm-watcher, and what answers behind them. */
export interface RealGateway extends WorldGateway {
  readonly backend: Backend;
  /** Pid of an Envoy, to stop (SIGSTOP) and continue it. */
  envoyPid(index: number): number;
  readonly istiodPid: number;
  failures(): string[];
  stop(): Promise<void>;
}

/** The hub needs istio-system, kcp-system and Istio's CRDs. The gateway Secret may come later: until then no handshake ends well. */
export async function startGateway(
  hub: ApiServer,
  workspace: Workspace,
  options: GatewayOptions = {},
): Promise<RealGateway> {
  const { envoys: count = 2, slowDelayMs = 0, signal } = options;
  const backend = await startBackend();
  const proxies: DelayingProxy[] = [];
  const envoys: Envoy[] = [];
  let istiod: Istiod | undefined;
  const stop = async () => {
    await Promise.all(envoys.map((envoy) => envoy.process.stop()));
    await Promise.all([...proxies.map((proxy) => proxy.close()), istiod?.process.stop(), backend.close()]);
  };
  try {
    const ports = await freePorts(count);
    const pods = ports.map(
      (port, index): GatewayPod => ({ name: `igw-${index}`, address: `10.1.1.${index + 1}`, port }),
    );
    const [started] = await Promise.all([
      startIstiod(hub, workspace, signal),
      applyGatewayObjects(hub.client, pods, backend.port, signal),
    ]);
    istiod = started;
    for (const index of pods.keys()) {
      proxies.push(await startDelayingProxy(started.port, index > 0 && index === count - 1 ? slowDelayMs : 0));
    }
    const start = (index: number): Promise<Envoy> =>
      startEnvoy({
        pod: pods[index] as GatewayPod,
        istiod: started,
        istiodPort: (proxies[index] as DelayingProxy).port,
        workspace,
        ...(signal === undefined ? {} : { signal }),
      });
    envoys.push(...(await Promise.all(pods.map((_, index) => start(index)))));
    const envoy = (index: number) => envoys[index] as Envoy;
    return {
      host: gatewayHost,
      endpoints: pods.map(({ name, port }) => ({ name, host: '127.0.0.1', port })),
      backend,
      configDump: (index, dumpSignal) => readEnvoyCredentials(envoy(index).adminPort, 'klm-istio-gateway', dumpSignal),
      forwarded: backend.headers,
      setDelayMs: (index, delayMs) => proxies[index]?.setDelayMs(delayMs),
      restartEndpoint: async (index) => {
        envoy(index).process.kill('SIGKILL');
        await envoy(index).process.exited;
        envoys[index] = await start(index);
      },
      envoyPid: (index) => envoy(index).process.pid,
      istiodPid: started.process.pid,
      failures: () =>
        [started.process, ...envoys.map(({ process }) => process)]
          .filter((one) => one.hasFailed())
          .map(({ name }) => name),
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}
