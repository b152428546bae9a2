import { CoreV1Api, KubeConfig, PatchStrategy, setHeaderOptions } from '@kubernetes/client-node';
import { createKubeClient } from '../../src/kubernetes/client.ts';
import { parseKubeconfig } from '../../src/kubernetes/kubeconfig.ts';
import { NAMESPACE, SECRET } from '../../src/kubernetes/resource.ts';

/** The same two calls by each client, on Secrets of about 3 kB, one a caller. */
export interface MeasuredClient {
  readonly name: string;
  get(caller: number): Promise<unknown>;
  /** Writes a new value each time, so that the server really stores it. */
  apply(caller: number): Promise<unknown>;
  close(): Promise<void>;
}

const namespace = 'bench-transport';
const fieldManager = 'bench';
const filler = Buffer.alloc(2_200, 'x').toString('base64');
const signal = new AbortController().signal;

function secret(caller: number, client: string, turn: number) {
  const value = Buffer.from(String(turn)).toString('base64');
  return {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { namespace, name: `${client}-${caller}` },
    data: { 'tls.crt': filler, turn: value },
  };
}

/** Makes the namespace and the Secrets. */
export async function prepare(kubeconfigYaml: string, clients: readonly MeasuredClient[], callers: number) {
  const client = createKubeClient(parseKubeconfig(kubeconfigYaml));
  await client.apply(NAMESPACE, { metadata: { name: namespace } }, { signal, fieldManager });
  await client.close();
  for (const measured of clients) {
    for (let caller = 0; caller < callers; caller += 1) await measured.apply(caller);
  }
}

export function ourClient(kubeconfigYaml: string): MeasuredClient {
  const client = createKubeClient(parseKubeconfig(kubeconfigYaml));
  let turn = 0;
  return {
    name: 'keyturn',
    get: (caller) => client.get(SECRET, { namespace, name: `keyturn-${caller}` }, { signal }),
    apply: (caller) => client.apply(SECRET, secret(caller, 'keyturn', turn++), { signal, fieldManager, force: true }),
    close: () => client.close(),
  };
}

export function officialClient(kubeconfigYaml: string): MeasuredClient {
  const config = new KubeConfig();
  config.loadFromString(kubeconfigYaml);
  const api = config.makeApiClient(CoreV1Api);
  const asApply = setHeaderOptions('Content-Type', PatchStrategy.ServerSideApply);
  let turn = 0;
  return {
    name: '@kubernetes/client-node',
    get: (caller) => api.readNamespacedSecret({ namespace, name: `official-${caller}` }),
    apply: (caller) =>
      api.patchNamespacedSecret(
        {
          namespace,
          name: `official-${caller}`,
          fieldManager,
          force: true,
          body: secret(caller, 'official', turn++),
        },
        asApply,
      ),
    // It keeps no connections.
    close: async () => undefined,
  };
}
