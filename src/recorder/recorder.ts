import {
  type Entry,
  type History,
  type HistorySettings,
  historyOf,
  type KnownCause,
  type Mark,
  type SecretRole,
} from '../checker/history.ts';
import { findPrivateKeys, redactPrivateKeys } from '../checker/private-keys.ts';
import { type Clock, systemClock } from '../controller/clock.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import {
  EVENT,
  type KubeObject,
  type Resource,
  SECRET,
  VALIDATING_WEBHOOK_CONFIGURATION,
} from '../kubernetes/resource.ts';
import { type ClusterWatch, startClusterWatch } from './cluster-watch.ts';
import { type EndpointSampler, type RecordedEndpoint, startSampler } from './endpoint-sampler.ts';
import { openHistoryFile } from './history-writer.ts';
import { redactedData, redactedField, redactedTexts } from './redacted.ts';

export interface RecorderOptions {
  readonly hub: KubeClient;
  readonly runtimes?: Readonly<Record<string, KubeClient>>;
  readonly endpoints?: readonly RecordedEndpoint[];
  /** Also written to this JSON-lines file, which `src/checker/main.ts` judges again. */
  readonly file?: string;
  /** Stand in the history, so that judging the file again gives the same. */
  readonly settings?: Partial<HistorySettings>;
  readonly names?: Partial<RecordedNames>;
  /** Kinds on the hub whose every version is searched for private keys. @default Events */
  readonly texts?: readonly Resource[];
  /** Between two looks into an endpoint. @default 150 */
  readonly sampleEveryMs?: number;
  readonly clock?: Clock;
  readonly signal: AbortSignal;
}

/** Where the Secrets of the rotation are. Defaults are Kyma's. */
export interface RecordedNames {
  /** All Secrets of this namespace of the hub are watched. @default istio-system */
  readonly hubNamespace: string;
  /** @default klm-watcher */
  readonly rootSecret: string;
  /** @default klm-istio-gateway */
  readonly gatewaySecret: string;
  /** What follows the runtime's name in the name of its Secret in the hub. @default -webhook-tls */
  readonly clientSecretSuffix: string;
  /** @default kyma-system */
  readonly runtimeNamespace: string;
  /** @default skr-webhook-tls */
  readonly runtimeSecret: string;
  /** @default skr-webhook */
  readonly webhook: string;
}

/** A swap as the kubelet stand-in tells it. */
export interface SwapSeen {
  readonly atMs: number;
  readonly resourceVersion: string | undefined;
  readonly data: ReadonlyMap<string, Buffer>;
}

export interface Recorder {
  /** Resolves when every later version of its Secret and its webhook configuration will be seen. */
  addRuntime(name: string, client: KubeClient): Promise<void>;
  /** Ends its watches and marks that it has left: its Secrets may go now. */
  removeRuntime(name: string): Promise<void>;
  addEndpoint(endpoint: RecordedEndpoint): void;
  /** The endpoint was killed: it uses nothing until it answers again. */
  endpointDown(name: string): void;
  swapped(runtime: string, swap: SwapSeen): void;
  /** The runtime's client reads and presents nothing any more. */
  clientStopped(runtime: string): void;
  /** The client's counts since its start. */
  counted(runtime: string, totals: { readonly requests: number; readonly failed: number }): void;
  mark(mark: Omit<Mark, 'atMs'>): void;
  known(cause: KnownCause): void;
  /** Any other text for S4, such as a line of a log; kept only when a private key stands in it. */
  searched(cluster: string, where: string, text: string): void;
  /** What was seen so far. */
  history(): History;
  /** Makes sure that the watches have shown everything, ends them and closes the file. */
  stop(): Promise<History>;
}

const kymaNames: RecordedNames = {
  hubNamespace: 'istio-system',
  rootSecret: 'klm-watcher',
  gatewaySecret: 'klm-istio-gateway',
  clientSecretSuffix: '-webhook-tls',
  runtimeNamespace: 'kyma-system',
  runtimeSecret: 'skr-webhook-tls',
  webhook: 'skr-webhook',
};
const finishTimeoutMs = 5_000;

/** cert-manager's own, written by nobody else: a key that waits for its certificate. */
function isIssuers({ metadata }: KubeObject): boolean {
  return (
    metadata.labels?.['cert-manager.io/next-private-key'] === 'true' &&
    (metadata.managedFields ?? []).every(({ manager = '' }) => manager.startsWith('cert-manager'))
  );
}

/** Records by watch, so that no version passes unseen. Resolves when all watches are in place. */
export async function startRecorder(options: RecorderOptions): Promise<Recorder> {
  const { hub, texts = [EVENT], sampleEveryMs = 150, clock = systemClock, signal } = options;
  const names = { ...kymaNames, ...options.names };
  const entries: Entry[] = [];
  const file = options.file === undefined ? undefined : await openHistoryFile(options.file);
  const record = (entry: Entry) => {
    entries.push(entry);
    file?.write(entry);
  };

  const watches = new Map<string, ClusterWatch[]>();
  const samplers = new Map<string, EndpointSampler>();
  const watch = (
    cluster: string,
    client: KubeClient,
    resource: Resource,
    selection: { readonly namespace?: string; readonly name?: string },
    onVersion: (object: KubeObject, deleted: boolean) => void,
  ): ClusterWatch => {
    const { namespace, name } = selection;
    const started = startClusterWatch({
      client,
      resource,
      selection: {
        ...(namespace === undefined ? {} : { namespace }),
        ...(name === undefined ? {} : { fieldSelector: `metadata.name=${name}` }),
      },
      onVersion,
      onGap: (what, detail) => record({ entry: 'gap', atMs: clock.nowMs(), cluster, what, detail }),
      clock,
      signal,
    });
    watches.set(cluster, [...(watches.get(cluster) ?? []), started]);
    return started;
  };

  const secretSeen = (
    cluster: string,
    role: SecretRole,
    runtime: string | undefined,
    object: KubeObject,
    deleted: boolean,
  ) => {
    const { namespace = '', name, resourceVersion = '', uid = '', annotations } = object.metadata;
    record({
      entry: 'secret',
      atMs: clock.nowMs(),
      role,
      ...(runtime === undefined ? {} : { runtime }),
      cluster,
      namespace,
      name,
      resourceVersion,
      uid,
      data: deleted ? null : redactedData(role, object['data'] as Readonly<Record<string, string>> | undefined),
      ...(annotations === undefined ? {} : { annotations: redactedTexts(annotations) }),
    });
  };
  const hubSecretSeen = (object: KubeObject, deleted: boolean) => {
    const { name } = object.metadata;
    const { clientSecretSuffix: suffix } = names;
    if (name === names.rootSecret) secretSeen('hub', 'root', undefined, object, deleted);
    else if (name === names.gatewaySecret) secretSeen('hub', 'gateway', undefined, object, deleted);
    else if (name.endsWith(suffix)) secretSeen('hub', 'hub-client', name.slice(0, -suffix.length), object, deleted);
    else secretSeen('hub', isIssuers(object) ? 'issuer' : 'other', undefined, object, deleted);
  };
  const webhookSeen = (cluster: string, object: KubeObject, deleted: boolean) => {
    const { name, resourceVersion = '' } = object.metadata;
    const webhooks = (object['webhooks'] ?? []) as readonly {
      readonly clientConfig?: { readonly caBundle?: string };
    }[];
    const caBundles = webhooks.map(({ clientConfig }) =>
      redactPrivateKeys(Buffer.from(clientConfig?.caBundle ?? '', 'base64').toString('utf8')),
    );
    const atMs = clock.nowMs();
    record({ entry: 'webhook', atMs, cluster, name, resourceVersion, caBundles: deleted ? null : caBundles });
  };
  const textSeen = (resource: Resource, object: KubeObject) => {
    const { managedFields: _, ...metadata } = object.metadata;
    const text = redactPrivateKeys(JSON.stringify({ ...object, metadata }));
    const where = `${resource.kind} ${metadata.namespace ?? ''}/${metadata.name}`;
    record({ entry: 'text', atMs: clock.nowMs(), cluster: 'hub', where, text });
  };

  const addRuntime: Recorder['addRuntime'] = async (name, client) => {
    const { runtimeNamespace: namespace, runtimeSecret, webhook } = names;
    const started = [
      watch(name, client, SECRET, { namespace, name: runtimeSecret }, (object, deleted) =>
        secretSeen(name, 'runtime', name, object, deleted),
      ),
      watch(name, client, VALIDATING_WEBHOOK_CONFIGURATION, { name: webhook }, (object, deleted) =>
        webhookSeen(name, object, deleted),
      ),
    ];
    await Promise.all(started.map((one) => one.ready()));
  };
  const addEndpoint: Recorder['addEndpoint'] = (endpoint) => {
    const onSample = (sample: Parameters<Parameters<typeof startSampler>[0]['onSample']>[0]) =>
      record({ entry: 'endpoint', ...sample });
    samplers.set(endpoint.name, startSampler({ endpoint, everyMs: sampleEveryMs, clock, signal, onSample }));
  };

  record({ entry: 'settings', ...options.settings });
  const onHub = [
    watch('hub', hub, SECRET, { namespace: names.hubNamespace }, hubSecretSeen),
    ...texts.map((resource) => watch('hub', hub, resource, {}, (object) => textSeen(resource, object))),
  ];
  options.endpoints?.forEach(addEndpoint);
  const runtimes = Object.entries(options.runtimes ?? {}).map(([name, client]) => addRuntime(name, client));
  await Promise.all([...onHub.map((one) => one.ready()), ...runtimes]);

  return {
    addRuntime,
    async removeRuntime(name) {
      const atMs = clock.nowMs();
      record({ entry: 'mark', atMs, kind: 'leave', runtime: name });
      // Its API servers are gone with it, and one that comes back under this name has another configuration.
      const webhook = entries.findLast((entry) => entry.entry === 'webhook' && entry.cluster === name);
      if (webhook?.entry === 'webhook') record({ ...webhook, atMs, caBundles: null });
      const ended = watches.get(name) ?? [];
      watches.delete(name);
      await Promise.all(ended.map((one) => one.abandon()));
    },
    addEndpoint,
    endpointDown: (name) => samplers.get(name)?.down(),
    swapped(runtime, { atMs, resourceVersion = '', data }) {
      const texts = [...data].map(([field, bytes]) => [field, redactedField(field, bytes.toString('utf8'))]);
      record({ entry: 'swap', atMs, runtime, resourceVersion, data: Object.fromEntries(texts) });
    },
    clientStopped: (runtime) =>
      record({ entry: 'swap', atMs: clock.nowMs(), runtime, resourceVersion: '', data: null }),
    counted: (runtime, { requests, failed }) =>
      record({ entry: 'totals', atMs: clock.nowMs(), runtime, requests, failed }),
    mark: (mark) => record({ entry: 'mark', atMs: clock.nowMs(), ...mark }),
    known: (cause) => record({ entry: 'known', ...cause }),
    searched(cluster, where, text) {
      if (findPrivateKeys(text).length === 0) return;
      record({ entry: 'text', atMs: clock.nowMs(), cluster, where, text: redactPrivateKeys(text) });
    },
    history() {
      for (const sampler of samplers.values()) sampler.flush();
      return historyOf(entries);
    },
    async stop() {
      await Promise.all([...samplers.values()].map((sampler) => sampler.stop()));
      await Promise.all([...watches.values()].flat().map((one) => one.finish(finishTimeoutMs)));
      await file?.close();
      return historyOf(entries);
    },
  };
}
