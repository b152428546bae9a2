import { crds } from '../api/manifests.ts';
import { KYMA, RUNTIME_TRUST, TRUST_DOMAIN } from '../api/names.ts';
import type { RuntimeTrust } from '../api/runtime-trust.ts';
import type { TrustDomain, TrustDomainSpecWritten } from '../api/trust-domain.ts';
import { parseKubeconfig } from '../kubernetes/kubeconfig.ts';
import {
  CUSTOM_RESOURCE_DEFINITION,
  type KubeObject,
  type Resource,
  SECRET,
  VALIDATING_WEBHOOK_CONFIGURATION,
} from '../kubernetes/resource.ts';
import { runOperator } from '../operator.ts';
import { applyRootCertificate } from '../sandbox/issued-root.ts';
import { ISSUER } from '../sandbox/issuer/kinds.ts';
import { type EmbeddedWorld, startEmbeddedWorld } from '../sandbox/world.ts';
import { createLog } from '../telemetry/log.ts';
import type { Hub } from './command-world.ts';
import { isTrue } from './hub/conditions.ts';
import { type ProgramParts, runProgram } from './program.ts';
import { textTerminal } from './terminal.ts';

/** For tests of the commands: an embedded hub with an issuer, a gateway, runtimes and an operator at work. */
export interface StagedHub {
  readonly world: EmbeddedWorld;
  /** Runs a command line against the hub. */
  run(args: readonly string[], more?: RunMore): Promise<Ran>;
  /** The same, and what it has written so far. */
  begin(args: readonly string[], more?: RunMore): { readonly end: Promise<Ran>; sofar(): Omit<Ran, 'code'> };
  domain(): Promise<TrustDomain>;
  record(runtime: string): Promise<RuntimeTrust | undefined>;
  /** Waits until it holds; looks every few milliseconds. */
  until(what: string, holds: () => Promise<boolean>): Promise<void>;
  settled(): Promise<void>;
  stopOperator(): Promise<void>;
  stop(): Promise<void>;
}

export interface RunMore {
  /** `null`: the person ends the input. */
  readonly answer?: string | null | 'interrupted';
  readonly signal?: AbortSignal;
}

export interface Ran {
  readonly code: number;
  readonly text: string;
  readonly errors: string;
}

const istio = 'istio-system';
const kcp = 'kcp-system';
const patienceMs = 60_000;

/** Short delays: what is tested is what the commands say, not how long a fleet takes. */
const spec: TrustDomainSpecWritten = {
  probe: { delay: '200ms', timeout: '1s', interval: '50ms' },
  proof: { propagationDelay: '300ms', unprovableAfter: '1h' },
  issuer: { privateKey: { algorithm: 'ECDSA', size: 256, encoding: 'PKCS8' } },
  waves: { concurrentIssuances: 2 },
  skewMargin: '0s',
};

export async function stageHub(runtimes: readonly string[]): Promise<StagedHub> {
  const ending = new AbortController();
  const call = { signal: ending.signal };
  const world = await startEmbeddedWorld({ runtimes, seed: 1, signal: ending.signal });
  const { client, cluster } = world.hub;
  const write = { ...call, fieldManager: 'test', force: true };
  const put = (resource: Resource, namespace: string, name: string, rest: object): Promise<KubeObject> =>
    client.apply(
      resource,
      { ...rest, metadata: { name, namespace, ...(rest as Partial<KubeObject>).metadata } },
      write,
    );
  for (const crd of crds()) await client.apply(CUSTOM_RESOURCE_DEFINITION, crd, write);
  await put(ISSUER, istio, 'klm-watcher-selfsigned', { spec: { ca: { secretName: 'klm-watcher' } } });
  await applyRootCertificate(client, call);
  for (const [name, runtime] of world.runtimes) {
    await runtime.client.apply(VALIDATING_WEBHOOK_CONFIGURATION, webhook, write);
    await put(SECRET, kcp, `kubeconfig-${name}`, {
      metadata: { labels: { 'operator.kyma-project.io/kyma-name': name } },
      data: { config: Buffer.from(runtime.cluster.kubeconfig).toString('base64') },
    });
    await put(KYMA, kcp, name, {
      metadata: {
        labels: { 'kyma-project.io/runtime-id': `id-${name}` },
        annotations: { 'skr-domain': `${name}.example` },
      },
    });
  }
  await put(TRUST_DOMAIN, kcp, 'klm-watcher', { spec });

  const operating = new AbortController();
  const operator = runOperator(
    {
      hub: parseKubeconfig(cluster.kubeconfig),
      identity: 'test',
      log: createLog({ destination: { write: () => undefined } }),
    },
    AbortSignal.any([operating.signal, ending.signal]),
  );
  const stopOperator = async (): Promise<void> => {
    operating.abort();
    await operator;
  };
  const domain = () => client.get<TrustDomain>(TRUST_DOMAIN, { namespace: kcp, name: 'klm-watcher' }, call);
  const until = async (what: string, holds: () => Promise<boolean>): Promise<void> => {
    const endMs = performance.now() + patienceMs;
    while (!(await holds())) {
      if (performance.now() > endMs) {
        throw new Error(`Not in ${patienceMs} ms: ${what}; ${JSON.stringify((await domain()).status, null, 1)}`);
      }
      await new Promise((resolve) => setTimeout(resolve, 25));
    }
  };
  const begin: StagedHub['begin'] = (args, { answer, signal } = {}) => {
    const output = { text: '', errors: '' };
    const write = (text: string): void => {
      output.text += text;
    };
    const writeError = (text: string): void => {
      output.errors += text;
    };
    const hub: Hub = { client, namespace: kcp, close: () => Promise.resolve() };
    const interrupted = new AbortController();
    const signals = [interrupted.signal, ...(signal === undefined ? [] : [signal])];
    const ask = (): Promise<string | null> => {
      if (answer !== 'interrupted') return Promise.resolve(answer ?? null);
      interrupted.abort(new Error('Interrupted'));
      return Promise.reject(interrupted.signal.reason);
    };
    const parts: ProgramParts = {
      loadOperator: () => Promise.reject(new Error('no operator is asked for here')),
      write,
      writeError,
      terminal: textTerminal(write, writeError, answer === undefined ? undefined : ask),
      signal: AbortSignal.any(signals),
      openHub: ({ namespace }) => Promise.resolve({ ...hub, namespace: namespace ?? kcp }),
    };
    const end = runProgram(args, parts).then((code): Ran => ({ code, ...output }));
    return { end, sofar: () => ({ ...output }) };
  };
  return {
    world,
    domain,
    begin,
    run: (args, more) => begin(args, more).end,
    record: (name) => client.find<RuntimeTrust>(RUNTIME_TRUST, { namespace: kcp, name }, call),
    until,
    settled: () => until('settled', async () => isTrue((await domain()).status?.conditions, 'Ready')),
    stopOperator,
    async stop() {
      await stopOperator();
      await world.stop();
      ending.abort();
    },
  };
}

const webhook: KubeObject = {
  metadata: { name: 'skr-webhook' },
  webhooks: [
    {
      name: 'watcher.example.com',
      admissionReviewVersions: ['v1'],
      sideEffects: 'None',
      failurePolicy: 'Ignore',
      clientConfig: { url: 'https://localhost:9443/validate' },
      rules: [
        { apiGroups: ['nothing.example.com'], apiVersions: ['*'], resources: ['nothings'], operations: ['CREATE'] },
      ],
    },
  ],
};
