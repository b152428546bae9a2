import { afterEach, beforeEach, expect, test } from 'vitest';
import { createKubeClient, type KubeClient } from '../../kubernetes/client.ts';
import { createMemoryTransport } from '../../kubernetes/memory-transport.ts';
import { SECRET, type SecretObject } from '../../kubernetes/resource.ts';
import { type IssuedPair, issueLeaf, issueRoot } from '../../pki/issue.ts';
import { probeEndpoint, probeIdentity } from '../../rotation/gateway/probe.ts';
import type { ForwardedRequest } from './endpoint.ts';
import { type Gateway, startGateway } from './gateway.ts';

const never = new AbortController().signal;
const call = { signal: never };
const host = 'listener.kyma.local';
const dayMs = 86_400_000;
let ending: AbortController;
let client: KubeClient;
let gateway: Gateway;
let requests: ForwardedRequest[];

const rootOf = (): Promise<IssuedPair> =>
  issueRoot({
    subject: { commonName: 'klm-watcher-selfsigned-ca' },
    notBeforeMs: Date.now() - dayMs,
    notAfterMs: Date.now() + dayMs,
    keyAlgorithm: 'P-256',
  });
const leafOf = (root: IssuedPair, dnsNames: readonly string[], commonName = 'leaf', notAfterMs = Date.now() + dayMs) =>
  issueLeaf({
    rootCertificatePem: root.certificatePem,
    rootKeyPem: root.keyPem,
    subject: { commonName },
    dnsNames,
    notBeforeMs: Date.now() - 2 * dayMs,
    notAfterMs,
    keyAlgorithm: 'P-256',
  });
const base64 = (text: string) => Buffer.from(text).toString('base64');
const secretOf = (server: IssuedPair, bundlePem: string): SecretObject => ({
  metadata: { namespace: 'istio-system', name: 'klm-istio-gateway' },
  data: { 'tls.crt': base64(server.certificatePem), 'tls.key': base64(server.keyPem), 'ca.crt': base64(bundlePem) },
});
const ask = async (index: number, pair: IssuedPair, serverName = host, path = '/v2/lifecycle-manager/event') => {
  const { host: address, port } = gateway.endpoints[index] ?? { host: '', port: 0 };
  const answer = await probeEndpoint({ host: address, port, serverName, path }, probeIdentity(pair), 300, never);
  return answer.outcome === 'accepted' ? answer.httpStatus : answer.outcome;
};
const eventually = (check: () => Promise<void>) => expect.poll(async () => check().then(() => 'ok', String)).toBe('ok');
const bundleOf = async (index: number) => (await gateway.configDump(index)).bundle?.pem;

beforeEach(async () => {
  ending = new AbortController();
  requests = [];
  client = createKubeClient(
    { server: 'https://memory', insecureSkipTlsVerify: false },
    { transport: createMemoryTransport() },
  );
  gateway = await startGateway({
    client,
    host,
    gapMs: 0,
    seed: 1,
    publish: false,
    signal: ending.signal,
    backend: (request) => {
      requests.push(request);
      return request.path === '/v2/lifecycle-manager/event' ? 200 : 404;
    },
  });
});
afterEach(async () => {
  await gateway.stop();
  ending.abort();
});

test('a client of any bundled root is answered, and its certificate is passed on', async () => {
  const [a, b, stranger] = await Promise.all([rootOf(), rootOf(), rootOf()]);
  const server = await leafOf(a, [host]);
  const [ofA, ofB, ofStranger] = await Promise.all(
    [a, b, stranger].map((root) => leafOf(root, ['x.example.com'], 'id-1')),
  );
  if (ofA === undefined || ofB === undefined || ofStranger === undefined) throw new Error('unreachable');
  expect(await ask(0, ofA)).toBe('unanswered');
  await client.create(SECRET, secretOf(server, b.certificatePem + a.certificatePem), call);
  await eventually(async () => {
    for (const index of [0, 1]) for (const pair of [ofA, ofB]) expect(await ask(index, pair)).toBe(200);
  });
  expect(await ask(0, ofStranger)).toBe('refused');
  expect(await ask(0, ofA, 'other.example.com')).toBe('unanswered');
  expect(await ask(0, ofA, host, '/other')).toBe(404);
  const forwarded = String(requests.at(-1)?.headers['x-forwarded-client-cert']);
  expect(forwarded).toContain(`Hash=${ofA.certificate.digest};`);
  expect(decodeURIComponent(/Cert="([^"]+)"/.exec(forwarded)?.[1] ?? '')).toBe(ofA.certificatePem);
  expect(forwarded).toContain('Subject="CN=id-1"');
  expect(gateway.counts().refused).toBeGreaterThanOrEqual(1);
});

test('an expired client certificate is refused, and one behind a namesake without identifiers as Envoy does it', async () => {
  const [a, b] = await Promise.all([rootOf(), rootOf()]);
  const server = await leafOf(a, [host]);
  const expired = await leafOf(a, [], 'id', Date.now() - 60_000);
  const bare = await issueLeaf({
    rootCertificatePem: b.certificatePem,
    rootKeyPem: b.keyPem,
    dnsNames: ['x.example.com'],
    notBeforeMs: Date.now() - 1_000,
    notAfterMs: Date.now() + dayMs,
    keyAlgorithm: 'P-256',
    authorityKeyId: false,
  });
  await client.create(SECRET, secretOf(server, a.certificatePem + b.certificatePem), call);
  const ofB = await leafOf(b, []);
  await eventually(async () => expect(await ask(0, ofB)).toBe(200));
  expect(await ask(0, expired)).toBe('refused');
  expect(await ask(0, bare)).toBe('refused');
});

test('a Secret that is deleted or spoilt leaves what was loaded, and a restart forgets it', async () => {
  const a = await rootOf();
  const server = await leafOf(a, [host]);
  const pair = await leafOf(a, []);
  const created = await client.create(SECRET, secretOf(server, a.certificatePem), call);
  await eventually(async () => expect(await ask(0, pair)).toBe(200));
  const spoilt = await client.replace(
    SECRET,
    {
      ...secretOf(server, `${a.certificatePem}-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n`),
      metadata: created.metadata,
    },
    call,
  );
  await eventually(async () => expect(await bundleOf(0)).toContain('AAAA'));
  expect(await ask(0, pair)).toBe(200);
  await client.delete(SECRET, { namespace: 'istio-system', name: spoilt.metadata.name }, call);
  await new Promise((resolve) => setTimeout(resolve, 50));
  expect(await ask(0, pair)).toBe(200);
  await gateway.restart(0);
  expect(await gateway.configDump(0)).toEqual({ serverCertificate: undefined, bundle: undefined });
  expect(await ask(0, pair)).toBe('unanswered');
  expect(await ask(1, pair)).toBe(200);
  await client.create(SECRET, secretOf(server, a.certificatePem), call);
  await eventually(async () => expect(await ask(0, pair)).toBe(200));
});

test('each endpoint has its own delay, and one that is paused neither answers nor takes anything', async () => {
  const [a, b] = await Promise.all([rootOf(), rootOf()]);
  const server = await leafOf(a, [host]);
  const pair = await leafOf(a, []);
  const created = await client.create(SECRET, secretOf(server, a.certificatePem), call);
  await eventually(async () => expect(await ask(1, pair)).toBe(200));
  gateway.setDelayMs(1, 400);
  gateway.pause(0);
  await expect(gateway.configDump(0)).rejects.toThrow('paused');
  expect(await ask(0, pair)).toBe('unanswered');
  const both = a.certificatePem + b.certificatePem;
  const startedMs = performance.now();
  await client.replace(SECRET, { ...secretOf(server, both), metadata: created.metadata }, call);
  await eventually(async () => expect(await bundleOf(1)).toBe(both));
  expect(performance.now() - startedMs).toBeGreaterThanOrEqual(395);
  gateway.resume(0);
  await eventually(async () => expect(await bundleOf(0)).toBe(both));
  expect(await ask(0, pair)).toBe(200);
});
