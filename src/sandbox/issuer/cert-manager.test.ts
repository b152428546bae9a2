import { afterEach, beforeEach, expect, test } from 'vitest';
import { CERTIFICATE } from '../../api/names.ts';
import { askedToIssue, isIssuing } from '../../issuers/issuing-state.ts';
import { createKubeClient, type KubeClient } from '../../kubernetes/client.ts';
import { parseKubeconfig } from '../../kubernetes/kubeconfig.ts';
import { type KubeObject, NAMESPACE, type Resource, SECRET, type SecretObject } from '../../kubernetes/resource.ts';
import { parsePair } from '../../pki/pair.ts';
import { isSelfSigned, isSignedBy } from '../../pki/signed-by.ts';
import { type EmbeddedCluster, startCluster } from '../api-server/start-cluster.ts';
import { type EmbeddedCertManager, startCertManager } from './cert-manager.ts';
import { certManagerCrds } from './cert-manager-crds.ts';
import { CERTIFICATE_REQUEST, type CertificateStatus, conditionOf, ISSUER } from './kinds.ts';
import { leafIn } from './reissue-reason.ts';

const call = { signal: new AbortController().signal };
const owner = { ...call, fieldManager: 'test', force: true };
const namespace = 'istio-system';
let cluster: EmbeddedCluster;
let client: KubeClient;
let certManager: EmbeddedCertManager;
let ending: AbortController;

beforeEach(async () => {
  ending = new AbortController();
  cluster = await startCluster({ name: 'hub', crds: certManagerCrds });
  client = createKubeClient(parseKubeconfig(cluster.kubeconfig));
  await client.create(NAMESPACE, { metadata: { name: namespace } }, call);
  await put(ISSUER, 'root', { spec: { selfSigned: {} } });
  await put(ISSUER, 'ca', { spec: { ca: { secretName: 'klm-watcher' } } });
});
afterEach(async () => {
  await certManager?.stop();
  ending.abort();
  await client.close();
  await cluster.stop();
});

function start(options: Partial<Parameters<typeof startCertManager>[0]> = {}): void {
  const onError = (error: unknown) => {
    throw error;
  };
  certManager = startCertManager({ client, signal: ending.signal, onError, ...options });
}

const put = (resource: Resource, name: string, object: Omit<KubeObject, 'metadata'>) =>
  client.apply(resource, { ...object, metadata: { name, namespace } }, owner);
const rootCertificate = (spec: object = {}) =>
  put(CERTIFICATE, 'klm-watcher-serving', {
    spec: {
      commonName: 'klm-watcher-selfsigned-ca',
      isCA: true,
      dnsNames: ['listener.kyma.local'],
      duration: '2160h',
      renewBefore: '1464h',
      secretName: 'klm-watcher',
      secretTemplate: { labels: { 'operator.kyma-project.io/managed-by': 'lifecycle-manager' } },
      issuerRef: { name: 'root', kind: 'Issuer', group: 'cert-manager.io' },
      ...spec,
    },
  });
const clientCertificate = (spec: object = {}) =>
  put(CERTIFICATE, 'runtime-1-webhook-tls', {
    spec: {
      commonName: 'id-1',
      dnsNames: ['runtime-1.kyma.local'],
      secretName: 'runtime-1-webhook-tls',
      issuerRef: { name: 'ca', kind: 'Issuer', group: 'cert-manager.io' },
      usages: ['digital signature', 'key encipherment'],
      ...spec,
    },
  });
const secret = (name: string) => client.find<SecretObject>(SECRET, { namespace, name }, call);
const certificate = (name: string) => client.get<KubeObject>(CERTIFICATE, { namespace, name }, call);
const statusOf = async (name: string) => ((await certificate(name))['status'] ?? {}) as CertificateStatus;
const eventually = (check: () => Promise<void>) =>
  expect.poll(async () => check().then(() => 'ok', String), { timeout: 30_000, interval: 20 }).toBe('ok');
const leafOf = async (name: string) => {
  const leaf = leafIn(await secret(name));
  if (leaf === undefined) throw new Error(`No certificate in ${name}`);
  return leaf;
};
const issuedAnew = async (secretName: string, before: string, name = secretName) => {
  await eventually(async () => expect((await leafOf(secretName)).digest).not.toBe(before));
  await eventually(async () => expect(isIssuing(await certificate(name))).toBe(false));
};

test('a root and a client certificate are issued, with all that cert-manager writes beside them', async () => {
  start();
  await rootCertificate();
  await clientCertificate();
  await eventually(async () => {
    for (const name of ['klm-watcher-serving', 'runtime-1-webhook-tls']) {
      expect(conditionOf(await certificate(name), 'Ready')).toMatchObject({ status: 'True', reason: 'Ready' });
    }
  });
  const [root, leaf] = [await leafOf('klm-watcher'), await leafOf('runtime-1-webhook-tls')];
  expect(isSelfSigned(root)).toBe(true);
  expect(isSignedBy(leaf, root)).toBe(true);
  expect(leaf).toMatchObject({ dnsNames: ['runtime-1.kyma.local'], keyAlgorithm: 'P-256', extendedKeyUsage: null });
  const text = async (name: string, key: string) =>
    Buffer.from((await secret(name))?.data?.[key] ?? '', 'base64').toString();
  expect(await text('klm-watcher', 'ca.crt')).toBe(root.pem);
  expect(await text('runtime-1-webhook-tls', 'ca.crt')).toBe(root.pem);
  expect((await secret('klm-watcher'))?.type).toBe('kubernetes.io/tls');
  expect((await secret('klm-watcher'))?.metadata).toMatchObject({
    labels: { 'operator.kyma-project.io/managed-by': 'lifecycle-manager', 'controller.cert-manager.io/fao': 'true' },
    annotations: { 'cert-manager.io/certificate-name': 'klm-watcher-serving', 'cert-manager.io/issuer-name': 'root' },
  });
  const status = await statusOf('klm-watcher-serving');
  expect(status.revision).toBe(1);
  expect(Date.parse(status.notAfter ?? '') - Date.parse(status.notBefore ?? '')).toBe(90 * 86_400_000);
  expect(Date.parse(status.renewalTime ?? '') - Date.parse(status.notBefore ?? '')).toBe(29 * 86_400_000);
  const { metadata } = await certificate('klm-watcher-serving');
  expect(conditionOf(await certificate('klm-watcher-serving'), 'Ready')?.observedGeneration).toBe(metadata.generation);
  const request = await client.get(CERTIFICATE_REQUEST, { namespace, name: 'runtime-1-webhook-tls-1' }, call);
  expect(conditionOf(request, 'Ready')).toMatchObject({ status: 'True', reason: 'Issued' });
  await eventually(async () => {
    const issuer = await client.get<KubeObject>(ISSUER, { namespace, name: 'ca' }, call);
    expect(conditionOf(issuer, 'Ready')).toMatchObject({ status: 'True', reason: 'KeyPairVerified' });
  });
  expect(JSON.stringify(request)).not.toContain('PRIVATE KEY');
});

test('it is issued again when asked by the condition, when the spec changes, and when the Secret is lost or spoilt', async () => {
  start();
  await rootCertificate();
  await clientCertificate();
  const name = 'runtime-1-webhook-tls';
  await eventually(async () => expect((await statusOf(name)).revision).toBe(1));
  let { digest } = await leafOf(name);
  await client.replaceStatus(CERTIFICATE, askedToIssue(await certificate(name), Date.now()), call);
  await issuedAnew(name, digest);
  expect((await statusOf(name)).revision).toBe(2);
  ({ digest } = await leafOf(name));
  await clientCertificate({ dnsNames: ['other.kyma.local'] });
  await issuedAnew(name, digest);
  expect((await leafOf(name)).dnsNames).toEqual(['other.kyma.local']);
  ({ digest } = await leafOf(name));
  await client.delete(SECRET, { namespace, name }, call);
  await issuedAnew(name, digest);
  const standing = await secret(name);
  const rootKey = (await secret('klm-watcher'))?.data?.['tls.key'] ?? '';
  await client.replace(
    SECRET,
    { ...standing, metadata: standing?.metadata ?? { name }, data: { ...standing?.data, 'tls.key': rootKey } },
    call,
  );
  await eventually(async () => {
    const { data = {} } = (await secret(name)) ?? {};
    const pair = parsePair({
      certificatePem: Buffer.from(data['tls.crt'] ?? '', 'base64'),
      keyPem: Buffer.from(data['tls.key'] ?? '', 'base64'),
    });
    expect(pair.ok).toBe(true);
  });
  await eventually(async () => expect((await statusOf(name)).revision).toBe(5));
  const { items } = await client.list(CERTIFICATE_REQUEST, { namespace }, call);
  expect(items.map(({ metadata }) => metadata.name).sort()).toEqual(['klm-watcher-serving-1', `${name}-5`]);
});

test('a change of nothing that matters issues nothing', async () => {
  start();
  await rootCertificate({ dnsNames: ['a.example.com', 'b.example.com'] });
  const name = 'klm-watcher-serving';
  await eventually(async () => expect((await statusOf(name)).revision).toBe(1));
  await rootCertificate({ dnsNames: ['b.example.com', 'a.example.com'], renewBefore: '1000h' });
  const { notAfter = '' } = await statusOf(name);
  await eventually(async () =>
    expect(Date.parse((await statusOf(name)).renewalTime ?? '')).toBe(Date.parse(notAfter) - 1000 * 3_600_000),
  );
  expect((await statusOf(name)).revision).toBe(1);
  expect(certManager.issued()).toBe(1);
});

test('a denied request is a failure with a growing wait, which asking by hand or another spec cuts short', async () => {
  start({ faults: { answer: () => 'deny' } });
  await rootCertificate();
  const name = 'klm-watcher-serving';
  await eventually(async () => expect((await statusOf(name)).failedIssuanceAttempts).toBe(1));
  expect(conditionOf(await certificate(name), 'Issuing')).toMatchObject({ status: 'False', reason: 'Denied' });
  await client.replaceStatus(CERTIFICATE, askedToIssue(await certificate(name), Date.now()), call);
  await eventually(async () => expect((await statusOf(name)).failedIssuanceAttempts).toBe(2));
  certManager.setFaults({ answer: () => 'sign' });
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await secret('klm-watcher')).toBeUndefined();
  await rootCertificate({ commonName: 'another' });
  await eventually(async () => expect(conditionOf(await certificate(name), 'Ready')?.status).toBe('True'));
  expect(await statusOf(name)).not.toHaveProperty('lastFailureTime');
  expect(await statusOf(name)).not.toHaveProperty('failedIssuanceAttempts');
});

test('a request waits for the Secret of its authority, for somebody to approve it, and for a slow issuer', async () => {
  start({ approve: false, faults: { delayMs: 300 } });
  await clientCertificate();
  const name = 'runtime-1-webhook-tls';
  const request = async (of: string) =>
    client.find<KubeObject>(CERTIFICATE_REQUEST, { namespace, name: `${of}-1` }, call);
  const approve = async (of: string) => {
    await eventually(async () => expect(await request(of)).toBeDefined());
    const approved = { type: 'Approved', status: 'True', reason: 'Test', message: 'approved' };
    const ref = { namespace, name: `${of}-1` };
    await client.mergePatch(
      CERTIFICATE_REQUEST,
      ref,
      { status: { conditions: [approved] } },
      { ...call, subresource: 'status' },
    );
  };
  await eventually(async () => expect(await request(name)).toBeDefined());
  expect(conditionOf(await request(name), 'Ready')).toBeUndefined();
  await approve(name);
  await eventually(async () =>
    expect(conditionOf(await request(name), 'Ready')?.message).toContain('Ready status condition'),
  );
  await rootCertificate();
  const startedMs = performance.now();
  await approve('klm-watcher-serving');
  await eventually(async () => expect(conditionOf(await certificate(name), 'Ready')?.status).toBe('True'));
  expect(performance.now() - startedMs).toBeGreaterThan(250);
});

test('while it is down nothing happens, and all of it when it comes back', async () => {
  start({ faults: { down: true } });
  await rootCertificate();
  await new Promise((resolve) => setTimeout(resolve, 100));
  expect(await certificate('klm-watcher-serving')).not.toHaveProperty('status');
  certManager.setFaults({ down: false });
  await eventually(async () => expect((await statusOf('klm-watcher-serving')).revision).toBe(1));
});

test('a key is kept where the policy says so', async () => {
  start();
  await rootCertificate({ privateKey: { rotationPolicy: 'Never', algorithm: 'ECDSA', size: 384, encoding: 'PKCS8' } });
  const name = 'klm-watcher-serving';
  await eventually(async () => expect((await statusOf(name)).revision).toBe(1));
  const before = await leafOf('klm-watcher');
  expect(before.keyAlgorithm).toBe('P-384');
  const keyText = Buffer.from((await secret('klm-watcher'))?.data?.['tls.key'] ?? '', 'base64').toString();
  expect(keyText).toContain('BEGIN PRIVATE KEY');
  await client.replaceStatus(CERTIFICATE, askedToIssue(await certificate(name), Date.now()), call);
  await issuedAnew('klm-watcher', before.digest, name);
  expect((await leafOf('klm-watcher')).keyId).toBe(before.keyId);
});
