import { expect } from 'vitest';
import { CERTIFICATE, CERTIFICATE_REQUEST } from '../../../src/api/names.ts';
import { systemClock } from '../../../src/controller/clock.ts';
import { askedToIssue } from '../../../src/issuers/issuing-state.ts';
import { createKubeClient, type KubeClient } from '../../../src/kubernetes/client.ts';
import { isConflict, isNotFound } from '../../../src/kubernetes/errors.ts';
import { startInformer } from '../../../src/kubernetes/informer.ts';
import { parseKubeconfig } from '../../../src/kubernetes/kubeconfig.ts';
import { type KubeObject, type Resource, SECRET, type SecretObject } from '../../../src/kubernetes/resource.ts';
import type { StoreReader } from '../../../src/kubernetes/store.ts';
import type { Certificate } from '../../../src/pki/certificate.ts';
import type { IssuedPair } from '../../../src/pki/issue.ts';
import { parsePair } from '../../../src/pki/pair.ts';
import {
  type CertificateStatus,
  type Condition,
  conditionOf,
  conditionsOf,
  ISSUER,
  withCondition,
} from '../../../src/sandbox/issuer/kinds.ts';
import type { World } from '../../../world/world.ts';
import { type DifferencesMet, meetDifferences, type Side } from '../differences.ts';
import { eventually } from '../eventually.ts';
import { issuerDifferences } from './issuer-differences.ts';

export const namespace = 'istio-system';
/** The issuers under test wait this long after a first failure. */
export const backoffSeconds = 4;

/** The issuer of one hub, and what a test does with it. Each test has names of its own, since all of them run at once. */
export interface IssuerUnderTest extends Pick<DifferencesMet<typeof issuerDifferences>, 'expected' | 'unmet'> {
  readonly side: Side;
  readonly kube: KubeClient;
  readonly signal: AbortSignal;
  readonly certificates: StoreReader<KubeObject>;
  readonly secrets: StoreReader<SecretObject>;
  /** Creates or changes, under the same field manager each time: what is left out is taken away. */
  put(resource: Resource, name: string, spec: object): Promise<KubeObject>;
  putSecret(name: string, data: Readonly<Record<string, string>>): Promise<SecretObject>;
  /** A Certificate of the P-256 keys that cost nothing, unless the spec says otherwise. */
  want(name: string, spec: object): Promise<KubeObject>;
  certificate(name: string): Promise<KubeObject>;
  status(name: string): Promise<CertificateStatus>;
  condition(name: string, type: string): Promise<Condition | undefined>;
  issuerReady(name: string): Promise<Condition | undefined>;
  secret(name: string): Promise<SecretObject | undefined>;
  text(secretName: string, key: string): Promise<string>;
  leaf(secretName: string): Promise<Certificate>;
  requests(certificate: string): Promise<readonly KubeObject[]>;
  /** How often it began to issue a Certificate so far: when, in epoch milliseconds, and why. */
  begun(name: string): readonly { readonly atMs: number; readonly reason: string }[];
  /** Of each time. */
  reasons(name: string): readonly string[];
  /** Asks for another issuance as our own code does, by the condition Issuing. */
  ask(name: string): Promise<void>;
  /** Waits until this revision stands, and nothing is under way. */
  issued(name: string, revision: number): Promise<void>;
  readonly eventually: typeof eventually;
  /** How requests of a Certificate are judged from now on. At first each is approved. */
  judge(certificate: string, verdict: Verdict): void;
  stop(): Promise<void>;
}

type Verdict = 'approve' | 'deny' | 'leave';

const words = {
  approve: { type: 'Approved', status: 'True', reason: 'Test', message: 'approved by the test' },
  deny: { type: 'Denied', status: 'True', reason: 'Test', message: 'denied by the test' },
} as const;

export async function openIssuer(side: Side, world: World): Promise<IssuerUnderTest> {
  const ending = new AbortController();
  const { signal } = ending;
  const kube = createKubeClient(parseKubeconfig(world.hub.kubeconfig));
  const follow = <T extends KubeObject>(resource: Resource) =>
    startInformer<T>({ client: kube, resource, selection: {}, clock: systemClock, signal });
  const certificates = follow<KubeObject>(CERTIFICATE);
  const requests = follow<KubeObject>(CERTIFICATE_REQUEST);
  const secrets = follow<SecretObject>(SECRET);
  const verdicts = new Map<string, Verdict>();
  const begun = new Map<string, { atMs: number; reason: string }[]>();
  const call = { signal };
  const owner = { ...call, fieldManager: 'test', force: true };

  const judge = async (request: KubeObject): Promise<void> => {
    const of = request.metadata.annotations?.['cert-manager.io/certificate-name'] ?? '';
    const verdict = verdicts.get(of) ?? 'approve';
    const judged = conditionsOf(request).some(({ type }) => type === 'Approved' || type === 'Denied');
    if (verdict === 'leave' || judged) return;
    const conditions = withCondition(conditionsOf(request), words[verdict], Date.now());
    try {
      const status = { ...(request['status'] as object), conditions };
      await kube.replaceStatus(CERTIFICATE_REQUEST, { ...request, status }, call);
    } catch (error) {
      // It has changed or gone, and the watch will show it.
      if (!isConflict(error) && !isNotFound(error) && !signal.aborted) throw error;
    }
  };
  requests.store.subscribe(({ kind, object }) => {
    if (kind !== 'removed') void judge(object);
  });
  certificates.store.subscribe(({ kind, object, previous }) => {
    const issuing = conditionOf(object, 'Issuing');
    const before = conditionOf(previous, 'Issuing');
    if (kind === 'removed' || issuing?.status !== 'True' || before?.status === 'True') return;
    const { name } = object.metadata;
    const { lastTransitionTime = '', reason = '' } = issuing;
    begun.set(name, [...(begun.get(name) ?? []), { atMs: Date.parse(lastTransitionTime), reason }]);
  });
  await Promise.all([certificates, requests, secrets].map(({ store }) => store.whenSynced(signal)));

  const put: IssuerUnderTest['put'] = (resource, name, spec) =>
    kube.apply(resource, { metadata: { name, ...(resource.namespaced ? { namespace } : {}) }, spec }, owner);
  const certificate = (name: string) => kube.get<KubeObject>(CERTIFICATE, { namespace, name }, call);
  const status = async (name: string) => ((await certificate(name))['status'] ?? {}) as CertificateStatus;
  const secret = (name: string) => kube.find<SecretObject>(SECRET, { namespace, name }, call);
  const text = async (name: string, key: string) =>
    Buffer.from((await secret(name))?.data?.[key] ?? '', 'base64').toString();
  return {
    side,
    kube,
    signal,
    certificates: certificates.store,
    secrets: secrets.store,
    ...meetDifferences(side, issuerDifferences),
    put,
    putSecret: (name, data) =>
      kube.apply(SECRET, { metadata: { name, namespace }, type: 'kubernetes.io/tls', data: base64Values(data) }, owner),
    want: (name, spec) =>
      put(CERTIFICATE, name, {
        secretName: name,
        commonName: name,
        privateKey: { algorithm: 'ECDSA', size: 256 },
        ...spec,
      }),
    certificate,
    status,
    condition: async (name, type) => conditionOf(await certificate(name), type),
    issuerReady: async (name) => conditionOf(await kube.get<KubeObject>(ISSUER, { namespace, name }, call), 'Ready'),
    secret,
    text,
    async leaf(name) {
      const [certificatePem, keyPem] = await Promise.all([text(name, 'tls.crt'), text(name, 'tls.key')]);
      const pair = parsePair({ certificatePem, keyPem });
      if (!pair.ok) throw new Error(`No good pair in ${name}: ${pair.defects.map(({ detail }) => detail).join()}`);
      return pair.pair.leaf;
    },
    async requests(of) {
      const { items } = await kube.list<KubeObject>(CERTIFICATE_REQUEST, { namespace }, call);
      return items.filter(({ metadata }) => metadata.annotations?.['cert-manager.io/certificate-name'] === of);
    },
    begun: (name) => begun.get(name) ?? [],
    reasons: (name) => (begun.get(name) ?? []).map(({ reason }) => reason),
    ask: (name) =>
      eventually(async () => {
        // Whoever else writes the status at the same time makes this a conflict.
        await kube.replaceStatus(CERTIFICATE, askedToIssue(await certificate(name), Date.now()), call);
      }),
    issued: (name, revision) =>
      eventually(async () => {
        const standing = await certificate(name);
        const found = (standing['status'] ?? {}) as CertificateStatus;
        expect({
          revision: found.revision,
          issuing: conditionOf(standing, 'Issuing')?.status,
          ready: conditionOf(standing, 'Ready')?.status,
        }).toEqual({ revision, issuing: undefined, ready: 'True' });
      }, 60_000),
    eventually,
    judge(of, verdict) {
      verdicts.set(of, verdict);
      for (const request of requests.store.list(namespace)) void judge(request);
    },
    async stop() {
      ending.abort();
      await Promise.all([certificates, requests, secrets].map(({ ended }) => ended));
      await kube.close();
    },
  };
}

/** Certificate and key as a Secret of type kubernetes.io/tls has them. */
export function tlsData(pair: Pick<IssuedPair, 'certificatePem' | 'keyPem'>): Readonly<Record<string, string>> {
  return { 'tls.crt': pair.certificatePem, 'tls.key': pair.keyPem };
}

export function base64Values(data: Readonly<Record<string, string>>): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(data).map(([key, text]) => [key, Buffer.from(text).toString('base64')]));
}
