import { connect } from 'node:tls';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { createTestClock, type TestClock } from '../../controller/test-clock.ts';
import { type IssuedPair, issueLeaf, issueRoot } from '../../pki/issue.ts';
import type { GatewayCredential } from './credential-feed.ts';
import { type GatewayEndpoint, startEndpoint } from './endpoint.ts';

const host = 'listener.kyma.local';
const hourMs = 3_600_000;
let clock: TestClock;
let endpoint: GatewayEndpoint;
let root: IssuedPair;
let server: IssuedPair;

beforeEach(async () => {
  clock = createTestClock();
  const validity = {
    notBeforeMs: clock.nowMs() - hourMs,
    notAfterMs: clock.nowMs() + hourMs,
    keyAlgorithm: 'P-256',
  } as const;
  root = await issueRoot({ subject: { commonName: 'root' }, ...validity });
  server = await issueLeaf({
    rootCertificatePem: root.certificatePem,
    rootKeyPem: root.keyPem,
    dnsNames: [host],
    ...validity,
  });
  endpoint = await startEndpoint({
    name: 'igw-0',
    serverName: host,
    minVersion: 'TLSv1.2',
    maxVersion: 'TLSv1.3',
    delayMs: 100,
    bundleFirst: false,
    gapMs: 1_000,
    backend: () => 200,
    onRefused: () => undefined,
    clock,
    // Below a half: the bundle first, and the pair 400 ms later.
    random: () => 0.4,
  });
});
afterEach(() => endpoint.stop());

const credential = (version: string, bundlePem = root.certificatePem): GatewayCredential => ({
  pair: { certificatePem: server.certificatePem, keyPem: server.keyPem },
  bundlePem,
  version,
});
const versions = async () => {
  const { serverCertificate, bundle } = await endpoint.inUse();
  return [serverCertificate?.version, bundle?.version];
};

test('the halves of a version are taken one after the other, and a version that is on its way not before an earlier one', async () => {
  endpoint.push(credential('1'));
  await clock.advance(99);
  expect(await versions()).toEqual([undefined, undefined]);
  await clock.advance(1);
  expect(await versions()).toEqual([undefined, '1']);
  await clock.advance(400);
  expect(await versions()).toEqual(['1', '1']);
  endpoint.setDelayMs(5_000);
  endpoint.push(credential('2', server.certificatePem + root.certificatePem));
  endpoint.setDelayMs(0);
  endpoint.push(credential('3'));
  await clock.advance(4_000);
  expect(await versions()).toEqual(['1', '1']);
  await clock.advance(1_000);
  // Bytes that stay the same are no new resource.
  expect(await versions()).toEqual(['1', '2']);
  await clock.advance(400);
  expect(await versions()).toEqual(['1', '3']);
});

test('while it is paused it takes nothing, and a restart forgets what was taken and what was on its way', async () => {
  endpoint.push(credential('1'));
  endpoint.pause();
  await clock.advance(2_000);
  endpoint.resume();
  await clock.advance(2_000);
  expect(await versions()).toEqual(['1', '1']);
  endpoint.push(credential('2', server.certificatePem + root.certificatePem));
  const { port } = endpoint;
  let up = false;
  const { signal } = new AbortController();
  const restarting = endpoint
    .restart(1_000, () => credential('3'), signal)
    .then(() => {
      up = true;
    });
  await expect(endpoint.inUse()).rejects.toThrow('down');
  while (!up) await clock.advance(10);
  await restarting;
  expect(endpoint.port).toBe(port);
  expect(await versions()).toEqual([undefined, undefined]);
  await clock.advance(500);
  expect(await versions()).toEqual(['3', '3']);
});

test('TLS 1.2 is spoken where it is allowed', async () => {
  endpoint.push(credential('1'));
  await clock.advance(1_000);
  const protocol = await new Promise((resolve, reject) => {
    const { certificatePem: cert, keyPem: key } = server;
    const options = { host: '127.0.0.1', port: endpoint.port, servername: host, cert, key, rejectUnauthorized: false };
    const socket = connect({ ...options, maxVersion: 'TLSv1.2' });
    socket.on('error', reject);
    socket.on('secureConnect', () => socket.write(`GET / HTTP/1.1\r\nHost: ${host}\r\nConnection: close\r\n\r\n`));
    socket.on('data', (chunk: Buffer) => {
      resolve(`${socket.getProtocol()} ${chunk.toString().slice(0, 12)}`);
      socket.destroy();
    });
  });
  expect(protocol).toBe('TLSv1.2 HTTP/1.1 200');
});
