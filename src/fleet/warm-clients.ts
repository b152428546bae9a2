import { createKubeClient, type KubeClient } from '../kubernetes/client.ts';
import { parseKubeconfig } from '../kubernetes/kubeconfig.ts';
import type { RequestRecord } from '../kubernetes/transport.ts';

export interface WarmClients {
  /**
   * A client for these credentials. Others for the same runtime are closed: a changed kubeconfig Secret takes effect at
   * once, and what it replaced is not used for another request (B42).
   *
   * @param version names the credentials: uid and resourceVersion of their Secret
   * @throws {import('../kubernetes/kubeconfig.ts').KubeconfigError} when the kubeconfig cannot be used
   */
  use(runtime: string, version: string, kubeconfig: string): WarmClient;
  /** Closes what there is for the runtime: it was refused, or the runtime is gone (B45). */
  drop(runtime: string): void;
  size(): number;
  close(): Promise<void>;
}

export interface WarmClient {
  readonly client: KubeClient;
  readonly version: string;
  /** uid of the namespace kube-system, once it was read with these credentials. */
  clusterUid: string | undefined;
}

export interface WarmClientsOptions {
  /** Clients kept; the one used longest ago goes first. No connection is held to every runtime of a large fleet. @default 100 */
  readonly most?: number;
  /** For one request. @default 10000 */
  readonly timeoutMs?: number;
  readonly connectTimeoutMs?: number;
  readonly onRequest?: (record: RequestRecord) => void;
}

export function warmClients(options: WarmClientsOptions = {}): WarmClients {
  const { most = 100, timeoutMs = 10_000, connectTimeoutMs = 5_000, onRequest } = options;
  const clients = new Map<string, WarmClient>();
  const closing = new Set<Promise<void>>();

  const close = ({ client }: WarmClient): void => {
    const done = client
      .close()
      .catch(() => undefined)
      .then(() => void closing.delete(done));
    closing.add(done);
  };
  const drop = (runtime: string): void => {
    const warm = clients.get(runtime);
    if (warm === undefined) return;
    clients.delete(runtime);
    close(warm);
  };

  return {
    use(runtime, version, kubeconfig) {
      const known = clients.get(runtime);
      if (known?.version === version) {
        // To the end: the order of the map is the order of use.
        clients.delete(runtime);
        clients.set(runtime, known);
        return known;
      }
      drop(runtime);
      const client = createKubeClient(parseKubeconfig(kubeconfig), {
        connections: 2,
        timeoutMs,
        connectTimeoutMs,
        ...(onRequest === undefined ? {} : { onRequest }),
      });
      const warm: WarmClient = { client, version, clusterUid: undefined };
      clients.set(runtime, warm);
      const [oldest] = clients.keys();
      if (clients.size > most && oldest !== undefined) drop(oldest);
      return warm;
    },
    drop,
    size: () => clients.size,
    async close() {
      for (const runtime of [...clients.keys()]) drop(runtime);
      await Promise.all(closing);
    },
  };
}
