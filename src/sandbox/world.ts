import { type Clock, systemClock } from '../controller/clock.ts';
import { createKubeClient, type KubeClient } from '../kubernetes/client.ts';
import type { ClusterConfig } from '../kubernetes/kubeconfig.ts';
import { NAMESPACE } from '../kubernetes/resource.ts';
import { createIdentity } from './api-server/identity.ts';
import { type EmbeddedCluster, startCluster } from './api-server/start-cluster.ts';
import { type Gateway, startGateway } from './gateway/gateway.ts';
import { gatewayCrds } from './gateway/gateway-crd.ts';
import { type CertManagerOptions, type EmbeddedCertManager, startCertManager } from './issuer/cert-manager.ts';
import { certManagerCrds } from './issuer/cert-manager-crds.ts';
import { kymaCrd } from './kyma-crd.ts';

export interface EmbeddedWorldOptions {
  /** Names of the runtimes to begin with. */
  readonly runtimes: readonly string[];
  /** Endpoints of the gateway. @default 2 */
  readonly endpoints?: number;
  /** How much later than the others the last endpoint gets its credential. @default 0 */
  readonly slowEndpointMs?: number;
  /** How the issuer differs from cert-manager in production. */
  readonly certManager?: Pick<CertManagerOptions, 'approve' | 'backoffSeconds'>;
  /** Whether endpoints take the bundle first, always, as Envoy does. @default either half */
  readonly bundleFirst?: boolean;
  /** Of every delay that is drawn. */
  readonly seed: number;
  readonly clock?: Clock;
  /** Ends every part when aborted. */
  readonly signal: AbortSignal;
}

/** A cluster and a client of its admin. */
export interface EmbeddedPlace {
  readonly cluster: EmbeddedCluster;
  readonly client: KubeClient;
}

/** A hub with an issuer and a gateway, and runtimes: all in this process, all on loopback. Nothing of ours is installed yet. */
export interface EmbeddedWorld {
  /** Has the namespaces istio-system and kcp-system and the kinds of Kyma, cert-manager and the gateway. */
  readonly hub: EmbeddedPlace;
  /** By name, in the order of their joining. Each has the namespace kyma-system. */
  readonly runtimes: ReadonlyMap<string, EmbeddedPlace>;
  addRuntime(name: string): Promise<EmbeddedPlace>;
  /** Ends a runtime for good. */
  removeRuntime(name: string): Promise<void>;
  readonly gateway: Gateway;
  readonly issuer: EmbeddedCertManager;
  /** Faults of the issuer that nobody foresaw. */
  problems(): readonly string[];
  stop(): Promise<void>;
}

/** Starts everything; what had been started is ended again when one part does not start. */
export async function startEmbeddedWorld(options: EmbeddedWorldOptions): Promise<EmbeddedWorld> {
  const { endpoints = 2, slowEndpointMs = 0, seed, clock = systemClock } = options;
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  const runtimes = new Map<string, EmbeddedPlace>();
  const problems: string[] = [];
  /** Whatever was started and has not been ended, in order to end it. */
  const places = new Set<EmbeddedPlace>();
  let gateway: Gateway | undefined;
  let issuer: EmbeddedCertManager | undefined;

  const end = async (place: EmbeddedPlace): Promise<void> => {
    places.delete(place);
    await place.client.close();
    await place.cluster.stop();
  };
  const stop = async (): Promise<void> => {
    await Promise.all([gateway?.stop(), issuer?.stop()]);
    await Promise.all([...places].map(end));
    ending.abort(new Error('The embedded world is stopping'));
  };
  try {
    // Nothing here tells clusters apart by their certificates, and twenty authorities take a third of a second.
    const identity = await createIdentity(clock.nowMs());
    const open = async (
      name: string,
      namespaces: readonly string[],
      crds: readonly object[] = [],
    ): Promise<EmbeddedPlace> => {
      const cluster = await startCluster({ name, identity, clock, signal, crds });
      const client = createKubeClient(adminConfig(cluster));
      const place = { cluster, client };
      places.add(place);
      for (const namespace of namespaces) await client.create(NAMESPACE, { metadata: { name: namespace } }, { signal });
      return place;
    };
    const openRuntime = (name: string): Promise<EmbeddedPlace> => open(name, ['kyma-system']);
    const [hub, ...first] = await Promise.all([
      open('hub', ['istio-system', 'kcp-system'], [kymaCrd, ...certManagerCrds, ...gatewayCrds]),
      ...options.runtimes.map(openRuntime),
    ]);
    for (const place of first) runtimes.set(place.cluster.name, place);
    const addRuntime = async (name: string): Promise<EmbeddedPlace> => {
      if (runtimes.has(name)) throw new Error(`Runtime ${name} is there already`);
      const place = await openRuntime(name);
      runtimes.set(name, place);
      return place;
    };
    issuer = startCertManager({
      ...options.certManager,
      client: hub.client,
      clock,
      signal,
      onError: (error) => problems.push(error instanceof Error ? error.message : String(error)),
    });
    gateway = await startGateway({
      client: hub.client,
      endpoints,
      bundleFirst: options.bundleFirst ?? false,
      delaysMs: Array.from({ length: endpoints }, (_, index) =>
        index > 0 && index === endpoints - 1 ? slowEndpointMs : 0,
      ),
      seed,
      clock,
      signal,
    });
    return {
      hub,
      runtimes,
      addRuntime,
      async removeRuntime(name) {
        const place = runtimes.get(name);
        if (place === undefined) throw new Error(`No runtime ${name}: there are ${[...runtimes.keys()].join(', ')}`);
        runtimes.delete(name);
        await end(place);
      },
      gateway,
      issuer,
      problems: () => problems,
      stop,
    };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** How the admin of an embedded cluster reaches it. */
export function adminConfig({ server, caPem, adminToken }: EmbeddedCluster): ClusterConfig {
  const token = { text: adminToken };
  return { server, certificateAuthority: { text: caPem }, insecureSkipTlsVerify: false, token };
}
