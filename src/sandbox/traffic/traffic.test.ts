import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKubeClient, type KubeClient } from '../../kubernetes/client.ts';
import { createMemoryTransport } from '../../kubernetes/memory-transport.ts';
import { SECRET, type SecretObject } from '../../kubernetes/resource.ts';
import { type IssuedPair, issueLeaf, issueRoot } from '../../pki/issue.ts';
import { type Gateway, startGateway } from '../gateway/gateway.ts';
import { answerIn } from './connection.ts';
import { startTraffic, type Traffic, type TrafficFailure } from './traffic.ts';

const call = { signal: new AbortController().signal };
const host = 'listener.kyma.local';
const dayMs = 86_400_000;
let ending: AbortController;
let client: KubeClient;
let gateway: Gateway;
let a: IssuedPair;
let b: IssuedPair;
let files: ReadonlyMap<string, Uint8Array> | undefined;
let traffics: Traffic[];

const root = () =>
  issueRoot({
    subject: { commonName: 'klm-watcher-selfsigned-ca' },
    notBeforeMs: Date.now() - dayMs,
    notAfterMs: Date.now() + dayMs,
    keyAlgorithm: 'P-256',
    dnsNames: [host],
  });
const leaf = (of: IssuedPair, dnsNames: readonly string[]) =>
  issueLeaf({
    rootCertificatePem: of.certificatePem,
    rootKeyPem: of.keyPem,
    subject: { commonName: 'id-1' },
    dnsNames,
    notBeforeMs: Date.now() - dayMs,
    notAfterMs: Date.now() + dayMs,
    keyAlgorithm: 'P-256',
  });
const pem = (...roots: readonly IssuedPair[]) => roots.map(({ certificatePem }) => certificatePem).join('');
const mount = (pair: IssuedPair, ...roots: readonly IssuedPair[]) => {
  const texts = { 'tls.crt': pair.certificatePem, 'tls.key': pair.keyPem, 'ca.crt': pem(...roots) };
  files = new Map(Object.entries(texts).map(([name, text]) => [name, Buffer.from(text)]));
};
const serve = async (server: IssuedPair, ...roots: readonly IssuedPair[]) => {
  const texts = { 'tls.crt': server.certificatePem, 'tls.key': server.keyPem, 'ca.crt': pem(...roots) };
  const data = Object.fromEntries(
    Object.entries(texts).map(([name, text]) => [name, Buffer.from(text).toString('base64')]),
  );
  const ref = { namespace: 'istio-system', name: 'klm-istio-gateway' };
  const standing = await client.find<SecretObject>(SECRET, ref, call);
  if (standing === undefined) await client.create(SECRET, { metadata: ref, data }, call);
  else await client.replace(SECRET, { ...standing, data }, call);
  await expect.poll(async () => (await gateway.configDump(0)).serverCertificate?.pem).toBe(server.certificatePem);
  await expect.poll(async () => (await gateway.configDump(0)).bundle?.pem).toBe(pem(...roots));
};
const start = (options: Partial<Parameters<typeof startTraffic>[0]> = {}): Traffic => {
  const traffic = startTraffic({
    runtime: 'runtime-1',
    mounted: () => files,
    endpoints: gateway.endpoints,
    serverName: host,
    ratePerSecond: 20,
    seed: 1,
    signal: ending.signal,
    ...options,
  });
  traffics.push(traffic);
  return traffic;
};
const answered = (traffic: Traffic, more: number) => {
  const from = traffic.counts().ok;
  return expect.poll(() => traffic.counts().ok - from, { timeout: 15_000 }).toBeGreaterThanOrEqual(more);
};

beforeEach(async () => {
  ending = new AbortController();
  traffics = [];
  files = undefined;
  client = createKubeClient(
    { server: 'https://memory', insecureSkipTlsVerify: false },
    { transport: createMemoryTransport() },
  );
  const { signal } = ending;
  gateway = await startGateway({ client, host, endpoints: 1, gapMs: 0, seed: 1, publish: false, signal });
  [a, b] = await Promise.all([root(), root()]);
});
afterEach(async () => {
  ending.abort();
  await Promise.all(traffics.map((traffic) => traffic.stop()));
  await gateway.stop();
});

test('it begins with its first credential, follows the mount, and loses nothing while roots move', async () => {
  const traffic = start();
  await serve(await leaf(a, [host]), b, a);
  expect(traffic.counts().sent).toBe(0);
  mount(await leaf(a, []), b, a);
  await answered(traffic, 10);
  const second = await leaf(b, []);
  mount(second, b, a);
  const server = await leaf(b, [host]);
  await serve(server, b, a);
  await answered(traffic, 10);
  await expect.poll(() => traffic.latest()?.clientSerial, { timeout: 5_000 }).toBe(second.certificate.serial);
  expect(traffic.latest()).toMatchObject({
    clientIssuerKeyId: b.certificate.subjectKeyId,
    caCount: 2,
    caKeyIds: [b.certificate.subjectKeyId, a.certificate.subjectKeyId],
  });
  await expect.poll(() => traffic.latest()?.serverLeafSha256, { timeout: 5_000 }).toBe(server.certificate.digest);
  await expect.poll(() => traffic.latest()?.keptDials, { timeout: 5_000 }).toBe(1);
  const counts = await traffic.stop();
  expect(counts).toMatchObject({ failed: 0, unfinished: 0, ok: counts.sent });
  expect(traffic.hasFailed()).toBe(false);
}, 30_000);

test('a root as server certificate behind a namesake is taken as Go takes it, and refused as OpenSSL does', async () => {
  await serve(b, a, b);
  mount(await leaf(a, []), a, b);
  const go = start();
  await answered(go, 3);
  const openssl = start({ verifier: 'openssl', seed: 2 });
  await expect.poll(() => openssl.counts().retried, { timeout: 15_000 }).toBeGreaterThanOrEqual(3);
  expect(openssl.counts().ok).toBe(0);
}, 30_000);

test('a request that meets only refusals has failed in the end, with its errors and no byte of a key', async () => {
  const failures: TrafficFailure[] = [];
  await serve(await leaf(a, [host]), a);
  const stranger = await leaf(b, []);
  mount(stranger, a);
  const traffic = start({ ratePerSecond: 1, requestTimeoutMs: 1_200, onFailure: (failure) => failures.push(failure) });
  await expect.poll(() => traffic.counts().failed, { timeout: 25_000 }).toBeGreaterThanOrEqual(1);
  expect(failures[0]).toMatchObject({ clientSerial: stranger.certificate.serial });
  expect(failures[0]?.errors.join()).toMatch(/refuses|hung up/);
  expect(JSON.stringify(failures)).not.toContain(stranger.keyPem.split('\n')[1]);
  const counts = await traffic.stop();
  expect(counts.failed).toBe(counts.sent);
}, 60_000);

test('a server certificate of a root that is not mounted, or for another host, is refused', async () => {
  await serve(await leaf(a, [host]), a);
  mount(await leaf(a, []), b);
  const traffic = start();
  await expect.poll(() => traffic.counts().retried, { timeout: 15_000 }).toBeGreaterThanOrEqual(1);
  await serve(await leaf(a, ['other.example.com']), a);
  mount(await leaf(a, []), a);
  const retried = traffic.counts().retried;
  await expect.poll(() => traffic.counts().retried, { timeout: 15_000 }).toBeGreaterThan(retried + 5);
  expect(traffic.counts().ok).toBe(0);
  await serve(await leaf(a, [host]), a);
  await answered(traffic, 5);
}, 45_000);

test('an answer counts when all of it is there', () => {
  expect(answerIn('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nok')).toBeNull();
  expect(answerIn('HTTP/1.1 200 OK\r\ncontent-length: 3\r\n\r\nok\n')).toBe(200);
  expect(answerIn('HTTP/1.1 503 Unavailable\r\nTransfer-Encoding: chunked\r\n\r\n0\r\n\r\n')).toBe(503);
  expect(answerIn('HTTP/1.1 200 OK\r\n')).toBeNull();
});
