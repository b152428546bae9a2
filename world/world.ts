import type { IncomingHttpHeaders } from 'node:http';
import type { Traffic, TrafficCounts } from '../src/sandbox/traffic/traffic.ts';
import type { ClusterClient } from './cluster-client.ts';
import type { EnvoyCredentials } from './real/envoy-credentials.ts';
import type { Kubelet, KubeletOptions } from './real/kubelet.ts';
import type { TrafficOptions } from './real/traffic.ts';
import type { Workspace } from './workspace.ts';

/** A Kubernetes cluster, whoever answers for it. */
export interface Cluster {
  readonly name: string;
  /** https://127.0.0.1:PORT */
  readonly server: string;
  readonly caPem: string;
  readonly adminToken: string;
  /** Kubeconfig (YAML) of a user in system:masters. */
  readonly kubeconfig: string;
  /** Client of the admin user. */
  readonly client: ClusterClient;
}

/** The gateway of a hub: its endpoints take their credential from the gateway Secret. */
export interface WorldGateway {
  /** SNI and Host header. */
  readonly host: string;
  /** For `TrustDomain.spec.probe.addresses` and the traffic client. */
  readonly endpoints: readonly { readonly name: string; readonly host: string; readonly port: number }[];
  /** What an endpoint uses now. */
  configDump(index: number, signal?: AbortSignal): Promise<EnvoyCredentials>;
  /** Headers of the latest request that came through, as the service behind the gateway got them. */
  forwarded(): IncomingHttpHeaders | undefined;
  /** How much later one endpoint gets its configuration, from now on. */
  setDelayMs(index: number, delayMs: number): void;
  /** Ends an endpoint at once and starts it anew on the same port; it has nothing until it has been told. */
  restartEndpoint(index: number): Promise<void>;
}

export interface WatcherOptions
  extends Pick<KubeletOptions, 'delay' | 'onDeletion' | 'onSwap'>,
    Pick<TrafficOptions, 'onSecond' | 'onFailure' | 'ratePerSecond'> {
  readonly seed: number;
  readonly signal?: AbortSignal;
}

/** What stands in for today's watcher in one runtime: the mounted Secret and the client that uses it. */
export interface WatcherStandIn {
  readonly runtime: string;
  readonly kubelet: Pick<Kubelet, 'mounted'>;
  readonly traffic: Pick<Traffic, 'counts' | 'hasFailed' | 'stop'>;
  /** Traffic first, so that the last requests still have their files. @returns the final count. */
  stop(): Promise<TrafficCounts>;
}

/** A hub, runtimes, an issuer and a gateway, all on loopback: made of the real parts, or embedded in this process. */
export interface World {
  /** Has the namespaces istio-system and kcp-system and the CRDs of Kyma, the issuer and the gateway. */
  readonly hub: Cluster;
  /** In the order of their joining. Each has the namespaces kube-system and kyma-system. */
  runtimes(): readonly Cluster[];
  /** @throws when there is none of this name. */
  runtime(name: string): Cluster;
  /** Adds an empty cluster; a name that was removed before makes a new cluster (another kube-system uid). */
  addRuntime(name: string, signal?: AbortSignal): Promise<Cluster>;
  /** Ends a runtime for good. */
  removeRuntime(name: string): Promise<void>;
  /** Lets a runtime's API server fall silent: connections stand, and nothing is answered. @returns lets it go on */
  silence(name: string): Promise<() => Promise<void>>;
  readonly gateway: WorldGateway;
  /** Call `stop` of what it gives before the runtime is removed. */
  startWatcher(runtime: string, options: WatcherOptions): Promise<WatcherStandIn>;
  /** Folder for what a run writes. */
  readonly workspace: Workspace;
  /** Parts that ended without having been asked to. */
  failures(): string[];
  /** Ends all parts. Logs are kept when `failed` or when a part had ended by itself. @returns their folder if kept. */
  stop(outcome?: { readonly failed?: boolean }): Promise<string | undefined>;
}
