import { join } from 'node:path';
import { applyCrds, readCrds } from '../crds.ts';
import type { RunningProcess } from '../process.ts';
import { projectRoot } from '../project-root.ts';
import { waitUntil } from '../wait.ts';
import { openWorkspace, type Workspace } from '../workspace.ts';
import type { World } from '../world.ts';
import { type ApiServer, type ApiServers, startApiServers } from './api-servers.ts';
import { type CertManagerOptions, installCertManagerCrds, startCertManager } from './cert-manager.ts';
import { type RealGateway, startGateway } from './gateway.ts';
import { installIstioCrds } from './istiod.ts';
import { startWatcher } from './watcher.ts';

export interface WorldOptions {
  /** Runtime clusters to begin with, named runtime-1, runtime-2 and so on. */
  readonly runtimes: number;
  /** cert-manager in the hub, default none. */
  readonly certManager?: boolean | CertManagerOptions;
  /** istiod and its Envoys, default none. */
  readonly istio?: boolean;
  /** Number of Envoys, default 2. */
  readonly gateways?: number;
  /** How much later than the others the last Envoy receives its configuration, default 0. */
  readonly slowGatewayDelayMs?: number;
  /** Ends every part when aborted. */
  readonly signal?: AbortSignal;
}

/** A world made of the real servers. */
export interface RealWorld extends World {
  readonly hub: ApiServer;
  runtimes(): readonly ApiServer[];
  runtime(name: string): ApiServer;
  addRuntime(name: string, signal?: AbortSignal): Promise<ApiServer>;
  /** Stops a runtime's API server and starts it again with its data, at the same address. */
  restartRuntime(name: string, signal?: AbortSignal): Promise<ApiServer>;
  /** @throws when the world was started without `istio`. */
  readonly gateway: RealGateway;
  /** Undefined when the world was started without `certManager`. */
  readonly certManager: RunningProcess | undefined;
}

export async function startWorld(options: WorldOptions): Promise<RealWorld> {
  const { signal } = options;
  const workspace = await openWorkspace();
  let servers: ApiServers | undefined;
  let gateway: RealGateway | undefined;
  let certManager: RunningProcess | undefined;
  const runtimes = new Map<string, ApiServer>();
  const joined: string[] = [];

  const failures = () => [
    ...(servers?.failures() ?? []),
    ...(gateway?.failures() ?? []),
    ...(certManager?.hasFailed() ? [certManager.name] : []),
  ];
  const stop: RealWorld['stop'] = async ({ failed = false } = {}) => {
    const keepLogs = failed || failures().length > 0;
    await Promise.all([gateway?.stop(), certManager?.stop()]);
    await servers?.stop();
    return workspace.close({ keepLogs });
  };

  try {
    const clusters = await startApiServers(workspace, signal);
    servers = clusters;
    const addRuntime: RealWorld['addRuntime'] = async (name, startSignal = signal) => {
      if (joined.includes(name)) throw new Error(`Runtime ${name} is there already`);
      joined.push(name);
      const runtime = await clusters.start(name, startSignal);
      await prepareRuntime(runtime, startSignal);
      runtimes.set(name, runtime);
      return runtime;
    };
    const runtime: RealWorld['runtime'] = (name) => {
      const found = runtimes.get(name);
      if (found === undefined)
        throw new Error(`No runtime ${name}: there are ${[...runtimes.keys()].join(', ') || 'none'}`);
      return found;
    };

    const hub = await clusters.start('hub', signal);
    const startHubParts = async () => {
      await prepareHub(hub, options);
      await Promise.all([
        options.certManager
          ? startCertManagerFor(hub, workspace, options).then((started) => (certManager = started))
          : undefined,
        options.istio
          ? startGateway(hub, workspace, gatewayOptions(options)).then((started) => (gateway = started))
          : undefined,
      ]);
    };
    const names = Array.from({ length: options.runtimes }, (_, index) => `runtime-${index + 1}`);
    await allOrFirstFault([startHubParts(), ...names.map((name) => addRuntime(name))]);

    const world: RealWorld = {
      hub,
      runtimes: () => joined.flatMap((name) => runtimes.get(name) ?? []),
      runtime,
      addRuntime,
      removeRuntime: async (name) => {
        await runtime(name).stop();
        runtimes.delete(name);
        joined.splice(joined.indexOf(name), 1);
        clusters.forget(name);
      },
      silence: async (name) => {
        const server = runtime(name);
        server.kill('SIGSTOP');
        return async () => server.kill('SIGCONT');
      },
      restartRuntime: async (name, startSignal = signal) => {
        await runtime(name).stop();
        const again = await clusters.start(name, startSignal);
        runtimes.set(name, again);
        return again;
      },
      get gateway() {
        if (gateway === undefined) throw new Error('This world was started without istio');
        return gateway;
      },
      get certManager() {
        return certManager;
      },
      startWatcher: (name, watcher) => startWatcher(world, name, watcher),
      workspace,
      failures,
      stop,
    };
    return world;
  } catch (error) {
    const logs = await stop({ failed: !signal?.aborted });
    signal?.throwIfAborted();
    throw new Error(`The world did not start. Logs: ${logs}`, { cause: error });
  }
}

/** Waits for all before it throws: a part that is still starting must be known before the world is stopped. */
async function allOrFirstFault(tasks: readonly Promise<unknown>[]): Promise<void> {
  for (const result of await Promise.allSettled(tasks)) if (result.status === 'rejected') throw result.reason;
}

async function prepareHub(hub: ApiServer, options: WorldOptions): Promise<void> {
  const { signal } = options;
  await Promise.all(['istio-system', 'kcp-system'].map((name) => createNamespace(hub, name, signal)));
  const kyma = join(projectRoot, 'world/manifests/kyma-crd.yaml');
  await Promise.all([
    readCrds([kyma]).then((crds) => applyCrds(hub.client, crds, signal)),
    options.certManager ? installCertManagerCrds(hub, signal) : undefined,
    options.istio ? installIstioCrds(hub, signal) : undefined,
  ]);
}

async function prepareRuntime(runtime: ApiServer, signal?: AbortSignal): Promise<void> {
  await createNamespace(runtime, 'kyma-system', signal);
  // The API server makes kube-system itself, a moment after it is ready.
  const exists = async () => (await runtime.client.find('/api/v1/namespaces/kube-system', signal)) !== undefined;
  await waitUntil(exists, { everyMs: 100, timeoutMs: 20_000, signal });
}

async function createNamespace({ client }: ApiServer, name: string, signal?: AbortSignal): Promise<void> {
  await client.apply(`/api/v1/namespaces/${name}`, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, signal);
}

function startCertManagerFor(
  hub: ApiServer,
  workspace: Workspace,
  { certManager, signal }: WorldOptions,
): Promise<RunningProcess> {
  const own = typeof certManager === 'object' ? certManager : {};
  return startCertManager(hub, workspace, { ...(signal === undefined ? {} : { signal }), ...own });
}

function gatewayOptions({ gateways, slowGatewayDelayMs, signal }: WorldOptions) {
  return {
    ...(gateways === undefined ? {} : { envoys: gateways }),
    ...(slowGatewayDelayMs === undefined ? {} : { slowDelayMs: slowGatewayDelayMs }),
    ...(signal === undefined ? {} : { signal }),
  };
}
