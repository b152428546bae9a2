import { randomBytes } from 'node:crypto';
import { type Clock, systemClock } from '../../controller/clock.ts';
import { onAbort } from '../../kubernetes/on-abort.ts';
import { createTokens } from './access/tokens.ts';
import { createWebhooks } from './admission/webhooks.ts';
import { storeFirstObjects } from './background/first-objects.ts';
import { followCrds } from './background/follow-crds.ts';
import { collectGarbage } from './background/garbage.ts';
import type { Cluster } from './cluster.ts';
import { createFaults, type Faults } from './faults.ts';
import { type Listener, startListener } from './http/listener.ts';
import { serve } from './http/serve.ts';
import { type ClusterIdentity, createIdentity, kubeconfigOf } from './identity.ts';
import type { JsonObject } from './json.ts';
import { BUILT_IN_KINDS } from './kinds/built-in/catalogue.ts';
import { createRegistry } from './kinds/registry.ts';
import { createStorage } from './storage/storage.ts';

export { kubeconfigOf } from './identity.ts';

/** A Kubernetes API server in this process, in memory, behind real HTTPS on loopback. */
export interface EmbeddedCluster {
  readonly name: string;
  /** `https://127.0.0.1:PORT` */
  readonly server: string;
  readonly caPem: string;
  /** Token of a user in `system:masters`. */
  readonly adminToken: string;
  /** YAML, of the same user. */
  readonly kubeconfig: string;
  /** Takes the cluster off the network: open connections are cut, data stay. */
  unplug(): Promise<void>;
  /** Back on the same port. */
  plugIn(): Promise<void>;
  readonly faults: Faults;
  /** A certificate and key (PEM) by which the cluster knows the user. */
  clientCertificate(
    username: string,
    group?: string,
  ): Promise<{ readonly certificatePem: string; readonly keyPem: string }>;
  stop(): Promise<void>;
}

export interface ClusterOptions {
  readonly name: string;
  /** @default the system's clock */
  readonly clock?: Clock;
  /** Stops the cluster. */
  readonly signal?: AbortSignal;
  /** @default one of its own */
  readonly identity?: ClusterIdentity;
  /** CustomResourceDefinitions that are served from the start. */
  readonly crds?: readonly object[];
}

/** Starts an empty cluster with the namespaces and roles that every cluster has. */
export async function startCluster(options: ClusterOptions): Promise<EmbeddedCluster> {
  const { name, clock = systemClock, signal, crds = [] } = options;
  signal?.throwIfAborted();
  const identity = options.identity ?? (await createIdentity(clock.nowMs()));
  const { caPem } = identity;
  const adminToken = randomBytes(24).toString('hex');
  const ending = new AbortController();
  const storage = createStorage();
  const registry = createRegistry(BUILT_IN_KINDS);
  for (const { collection } of BUILT_IN_KINDS) storage.collection(collection);
  const webhooks = createWebhooks({ storage, signal: ending.signal });
  const cluster: Cluster = { name, clock, storage, registry, signal: ending.signal, admit: webhooks.admit };
  followCrds(cluster);
  collectGarbage(cluster);
  storeFirstObjects(cluster, crds as readonly JsonObject[]);

  const faults = createFaults(() => storage.forgetHistory());
  const tokens = createTokens(adminToken, storage, clock);
  let server = '';
  const listener: Listener = await startListener({
    certificatePem: identity.servingCertificatePem,
    keyPem: identity.servingKeyPem,
    clientCaPem: caPem,
    onRequest: (request, response) => {
      // A connection that breaks in the middle of a request needs no answer.
      serve({ cluster, server, tokens, faults }, request, response).catch(() => request.socket.destroy());
    },
  });
  server = `https://127.0.0.1:${listener.port}`;

  let stopping: Promise<void> | undefined;
  const stop = (): Promise<void> => {
    stopping ??= (async () => {
      ending.abort();
      faults.clear();
      await listener.unplug();
      await webhooks.close();
    })();
    return stopping;
  };
  if (signal !== undefined) onAbort(signal, () => void stop());
  return {
    name,
    server,
    caPem,
    adminToken,
    kubeconfig: kubeconfigOf({ name, server, caPem, token: adminToken }),
    unplug: () => listener.unplug(),
    plugIn: async () => {
      if (stopping === undefined) await listener.plugIn();
    },
    faults,
    clientCertificate: (username, group) => identity.clientCertificate(username, group),
    stop,
  };
}
