import { createServer, type Server } from 'node:https';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { createKubeClient, type KubeClient } from '../../../kubernetes/client.ts';
import { parseKubeconfig } from '../../../kubernetes/kubeconfig.ts';
import { SECRET, VALIDATING_WEBHOOK_CONFIGURATION } from '../../../kubernetes/resource.ts';
import { issueLeaf, issueRoot } from '../../../pki/issue.ts';
import { type EmbeddedCluster, startCluster } from '../start-cluster.ts';

let cluster: EmbeddedCluster;
let client: KubeClient;
let webhook: Server;
let caBundle = '';
let otherBundle = '';
let url = '';
let reviews: { request: { uid: string; operation: string; name: string; userInfo: { username: string } } }[] = [];
let delayMs = 0;
const ending = new AbortController();
const call = { signal: ending.signal };
const namespace = 'default';

async function root() {
  const nowMs = Date.now();
  const validity = { notBeforeMs: nowMs - 60_000, notAfterMs: nowMs + 3_600_000, keyAlgorithm: 'P-256' } as const;
  const ca = await issueRoot({ subject: { commonName: 'webhook-ca' }, ...validity });
  const pair = { rootCertificatePem: ca.certificatePem, rootKeyPem: ca.keyPem, dnsNames: ['localhost'], ...validity };
  return { bundle: Buffer.from(ca.certificatePem).toString('base64'), leaf: await issueLeaf(pair) };
}

beforeAll(async () => {
  const [own, other] = await Promise.all([root(), root()]);
  caBundle = own.bundle;
  otherBundle = other.bundle;
  webhook = createServer({ cert: own.leaf.certificatePem, key: own.leaf.keyPem }, (request, response) => {
    let text = '';
    request.on('data', (chunk) => {
      text += String(chunk);
    });
    request.on('end', () => {
      const review = JSON.parse(text) as (typeof reviews)[number];
      reviews.push(review);
      const { uid, name } = review.request;
      const verdict = name === 'bad' ? { allowed: false, status: { message: 'it is bad' } } : { allowed: true };
      const body = { apiVersion: 'admission.k8s.io/v1', kind: 'AdmissionReview', response: { uid, ...verdict } };
      setTimeout(() => response.end(JSON.stringify(body)), delayMs);
    });
  });
  await new Promise<void>((resolve) => webhook.listen(0, '127.0.0.1', resolve));
  url = `https://localhost:${(webhook.address() as AddressInfo).port}/validate`;
  cluster = await startCluster({ name: 'runtime' });
  client = createKubeClient(parseKubeconfig(cluster.kubeconfig));
});
afterAll(async () => {
  ending.abort();
  await client?.close();
  await cluster?.stop();
  webhook?.closeAllConnections();
  webhook?.close();
});
beforeEach(async () => {
  reviews = [];
  delayMs = 0;
  await client.delete(VALIDATING_WEBHOOK_CONFIGURATION, { name: 'hook' }, call);
});

async function install(more: object, clientConfig: object = { url, caBundle }): Promise<void> {
  const rules = [{ operations: ['CREATE', 'DELETE'], apiGroups: [''], apiVersions: ['v1'], resources: ['secrets'] }];
  const one = {
    name: 'secrets.example.com',
    sideEffects: 'None',
    admissionReviewVersions: ['v1'],
    clientConfig,
    rules,
  };
  await client.create(
    VALIDATING_WEBHOOK_CONFIGURATION,
    { metadata: { name: 'hook' }, webhooks: [{ ...one, ...more }] } as never,
    call,
  );
}
const create = (name: string, labels: Record<string, string> = {}) =>
  client.create(SECRET, { metadata: { namespace, name, labels } }, call);

describe('a validating webhook', () => {
  test('is asked about what its rules name, and forbids', async () => {
    await install({});
    await expect(create('bad')).rejects.toMatchObject({
      status: 400,
      message: expect.stringContaining('admission webhook "secrets.example.com" denied the request: it is bad'),
    });
    expect(await client.find(SECRET, { namespace, name: 'bad' }, call)).toBeUndefined();
    await create('good');
    await client.mergePatch(SECRET, { namespace, name: 'good' }, { data: { a: '' } }, call);
    await client.delete(SECRET, { namespace, name: 'good' }, call);
    expect(reviews.map(({ request }) => request.operation)).toEqual(['CREATE', 'CREATE', 'DELETE']);
    expect(reviews[0]?.request.userInfo.username).toBe('admin');
  });

  test('is not asked about objects that its selector leaves out', async () => {
    await install({ objectSelector: { matchLabels: { watched: 'yes' } } });
    await create('bad', { watched: 'no' });
    expect(reviews).toEqual([]);
    await client.delete(SECRET, { namespace, name: 'bad' }, call);
  });

  test('whose certificate its bundle does not accept blocks writes, or none, as it says itself', async () => {
    await install({}, { url, caBundle: otherBundle });
    await expect(create('blocked')).rejects.toMatchObject({
      status: 500,
      message: expect.stringMatching(/failed calling webhook "secrets.example.com".*failed to verify certificate/),
    });
    await client.delete(VALIDATING_WEBHOOK_CONFIGURATION, { name: 'hook' }, call);
    await install({ failurePolicy: 'Ignore' }, { url, caBundle: otherBundle });
    await create('let-through');
  });

  test('that takes too long is not waited for', async () => {
    delayMs = 3_000;
    await install({ timeoutSeconds: 1 });
    await expect(create('slow')).rejects.toMatchObject({
      message: expect.stringContaining('context deadline exceeded'),
    });
  });
});
