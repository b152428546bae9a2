import { CERTIFICATE } from '../../api/names.ts';
import { type Clock, systemClock } from '../../controller/clock.ts';
import { startController } from '../../controller/controller.ts';
import { isIssuing } from '../../issuers/issuing-state.ts';
import type { KubeClient } from '../../kubernetes/client.ts';
import { isConflict, isNotFound } from '../../kubernetes/errors.ts';
import { startInformer } from '../../kubernetes/informer.ts';
import {
  type KubeObject,
  keyOf,
  type ObjectRef,
  type Resource,
  refFromKey,
  refOf,
  SECRET,
  type SecretObject,
} from '../../kubernetes/resource.ts';
import { fieldManager } from './certificate-objects.ts';
import { createIssuance, type IssuerFaults } from './issuance.ts';
import {
  ANNOTATION,
  CERTIFICATE_REQUEST,
  CLUSTER_ISSUER,
  conditionOf,
  conditionsOf,
  ISSUER,
  withCondition,
} from './kinds.ts';
import { authoritySecretName, readSigner, type SignerReading } from './read-signer.ts';
import { wantedCertificate } from './wanted-certificate.ts';

export type { IssuerFaults } from './issuance.ts';

export interface CertManagerOptions {
  /** Client of the hub, as its admin. The kinds of cert-manager must be there (`certManagerCrds`). */
  readonly client: KubeClient;
  /** False: somebody else sets the condition Approved or Denied of each CertificateRequest. @default true */
  readonly approve?: boolean;
  /** Wait after a first failure. @default 3600, as in production */
  readonly backoffSeconds?: number;
  /** Where the Secrets of ClusterIssuers are. @default cert-manager */
  readonly clusterResourceNamespace?: string;
  /** @default none */
  readonly faults?: Partial<IssuerFaults>;
  /** Certificates worked on at once. @default 8 */
  readonly concurrency?: number;
  /** Told of each fault of its own, such as a request without an answer. It tries again. */
  readonly onError?: (error: unknown, key: string) => void;
  readonly clock?: Clock;
  readonly signal: AbortSignal;
}

export interface EmbeddedCertManager {
  /** Takes effect at once, also for what waits already. */
  setFaults(faults: Partial<IssuerFaults>): void;
  /** Certificates issued since the start. */
  issued(): number;
  stop(): Promise<void>;
}

const backoff = { baseMs: 50, maxMs: 5_000 };

/** Works on Certificates, CertificateRequests, Issuers and ClusterIssuers of a hub as cert-manager does. */
export function startCertManager(options: CertManagerOptions): EmbeddedCertManager {
  const { client, approve = true, clusterResourceNamespace = 'cert-manager', concurrency = 8, onError } = options;
  const { backoffSeconds = 3_600 } = options;
  const clock = options.clock ?? systemClock;
  const ending = new AbortController();
  const signal = AbortSignal.any([options.signal, ending.signal]);
  let faults: IssuerFaults = { delayMs: 0, answer: () => 'sign', down: false, ...options.faults };
  let issued = 0;

  const follow = <T extends KubeObject>(resource: Resource) =>
    startInformer<T>({ client, clock, signal, selection: {}, resource });
  const certificates = follow(CERTIFICATE);
  const requests = follow(CERTIFICATE_REQUEST);
  const issuers = follow(ISSUER);
  const clusterIssuers = follow(CLUSTER_ISSUER);
  const secrets = follow<SecretObject>(SECRET);
  const informers = [certificates, requests, issuers, clusterIssuers, secrets];

  const readIssuer = async (issuer: KubeObject): Promise<SignerReading> => {
    const name = authoritySecretName(issuer);
    const namespace = issuer.metadata.namespace ?? clusterResourceNamespace;
    const secret =
      name === undefined ? undefined : await client.find<SecretObject>(SECRET, { namespace, name }, { signal });
    return readSigner(issuer, secret);
  };
  const issuance = createIssuance({
    client,
    seen: {
      certificate: async (ref) => certificates.store.get(ref),
      request: async (ref) => requests.store.get(ref),
      secret: async (ref) => secrets.store.get(ref),
    },
    approve,
    firstBackOffMs: backoffSeconds * 1000,
    faults: () => faults,
    async signer(namespace, { kind, name }) {
      const issuer =
        kind === CLUSTER_ISSUER.kind ? clusterIssuers.store.get({ name }) : issuers.store.get({ namespace, name });
      return issuer === undefined ? undefined : readIssuer(issuer);
    },
    onIssued: () => {
      issued += 1;
    },
    clock,
    signal,
  });
  const onRun = ({ outcome, error, key }: { outcome: string; error?: unknown; key: string }): void => {
    if (outcome === 'failed' && !signal.aborted) onError?.(error, key);
  };
  const shared = { backoff, clock, onRun };
  const certificateWork = startController({
    ...shared,
    name: 'certificates',
    concurrency,
    reconcile: (key) => issuance.reconcile(refFromKey(key)),
  });
  const issuerWork = startController({
    ...shared,
    name: 'issuers',
    reconcile: async (key) => {
      if (!faults.down) await judgeIssuer(refFromKey(key));
    },
  });

  /** Condition Ready of an issuer. Those of a cluster have no namespace. */
  const judgeIssuer = async (ref: ObjectRef): Promise<void> => {
    const resource = ref.namespace === undefined ? CLUSTER_ISSUER : ISSUER;
    const issuer = await client.find<KubeObject>(resource, ref, { signal });
    if (issuer === undefined) return;
    const reading = await readIssuer(issuer);
    const verified = { reason: 'KeyPairVerified', message: 'Signing CA verified' };
    const { reason, message } =
      reading.ok === false
        ? reading
        : reading.ok === true && reading.signer === 'self'
          ? { reason: 'IsReady', message: '' }
          : verified;
    const { generation } = issuer.metadata;
    const ready = {
      type: 'Ready',
      status: reading.ok === false ? 'False' : 'True',
      reason,
      message,
      ...(generation === undefined ? {} : { observedGeneration: generation }),
    };
    const conditions = withCondition(conditionsOf(issuer), ready, clock.nowMs());
    const standing = conditionOf(issuer, 'Ready');
    if (standing?.status === ready.status && standing.message === message && standing.observedGeneration === generation)
      return;
    try {
      await client.replaceStatus(
        resource,
        { ...issuer, status: { ...(issuer['status'] as object), conditions } },
        { signal, fieldManager },
      );
    } catch (error) {
      if (isNotFound(error)) return;
      if (isConflict(error)) return judgeIssuer(ref);
      throw error;
    }
  };

  /** By Secret: which Certificates fill it. */
  const filling = new Map<string, Set<string>>();
  certificates.store.subscribe(({ key, kind, object, previous }) => {
    const [before, now] = [previous ?? object, object].map(secretKeyOf) as [string, string];
    filling.get(before)?.delete(key);
    if (filling.get(before)?.size === 0) filling.delete(before);
    if (kind === 'removed') removeRequests(object);
    else filling.set(now, (filling.get(now) ?? new Set()).add(key));
    certificateWork.add(key);
  });
  requests.store.subscribe(({ object }) => {
    const { namespace = '', annotations } = object.metadata;
    const name = annotations?.[ANNOTATION.certificateName];
    if (name !== undefined) certificateWork.add(keyOf({ namespace, name }));
  });
  /** Whatever waits for this issuer may go on. */
  const wakeIssuing = ({ metadata: { name, namespace } }: KubeObject): void => {
    const kind = namespace === undefined ? CLUSTER_ISSUER.kind : ISSUER.kind;
    for (const certificate of certificates.store.list(namespace)) {
      const { issuerRef } = wantedCertificate(certificate);
      const waits = issuerRef.name === name && issuerRef.kind === kind && isIssuing(certificate);
      if (waits) certificateWork.add(keyOf(refOf(certificate)));
    }
  };
  secrets.store.subscribe(({ key, object }) => {
    for (const certificate of filling.get(key) ?? []) certificateWork.add(certificate);
    const { name, namespace } = object.metadata;
    const concerned = [...issuers.store.list(namespace), ...clusterIssuers.store.list()].filter(
      (issuer) => authoritySecretName(issuer) === name,
    );
    for (const issuer of concerned) {
      issuerWork.add(keyOf(refOf(issuer)));
      wakeIssuing(issuer);
    }
  });
  for (const { store } of [issuers, clusterIssuers]) {
    store.subscribe(({ key, object }) => {
      issuerWork.add(key);
      wakeIssuing(object);
    });
  }
  /** An API server with a garbage collector does it too. */
  const removeRequests = ({ metadata }: KubeObject): void => {
    const orphans = requests.store
      .list(metadata.namespace)
      .filter(({ metadata: { ownerReferences = [] } }) => ownerReferences.some(({ uid }) => uid === metadata.uid));
    for (const orphan of orphans) {
      client
        .delete(CERTIFICATE_REQUEST, refOf(orphan), { signal })
        .catch((error: unknown) => onRun({ outcome: 'failed', error, key: keyOf(refOf(orphan)) }));
    }
  };

  return {
    setFaults(changed) {
      faults = { ...faults, ...changed };
      for (const { metadata } of certificates.store.list()) certificateWork.add(keyOf(metadata));
      for (const { store } of [issuers, clusterIssuers]) {
        for (const { metadata } of store.list()) issuerWork.add(keyOf(metadata));
      }
    },
    issued: () => issued,
    async stop() {
      ending.abort();
      await Promise.all([certificateWork.stop(), issuerWork.stop(), ...informers.map(({ ended }) => ended)]);
    },
  };
}

function secretKeyOf(certificate: KubeObject): string {
  const { namespace = '' } = certificate.metadata;
  return keyOf({ namespace, name: wantedCertificate(certificate).secretName });
}
