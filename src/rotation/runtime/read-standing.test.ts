import { beforeAll, expect, test } from 'vitest';
import { DELIVERY_ANNOTATION } from '../../api/names.ts';
import type { KubeObject, SecretObject } from '../../kubernetes/resource.ts';
import { type IssuedPair, issueLeaf, issueRoot } from '../../pki/issue.ts';
import { asData } from '../observe/secret-data.ts';
import { readStandingSecret, readWebhook, withCaBundle } from './read-standing.ts';

const nowMs = Date.UTC(2026, 0, 1);
const dayMs = 86_400_000;
let a: IssuedPair;
let b: IssuedPair;
let leaf: IssuedPair;

beforeAll(async () => {
  const validity = { notBeforeMs: nowMs, notAfterMs: nowMs + dayMs };
  [a, b] = (await Promise.all(
    [1, 2].map(() => issueRoot({ subject: { commonName: 'root' }, ...validity, keyAlgorithm: 'P-256' })),
  )) as [IssuedPair, IssuedPair];
  leaf = await issueLeaf({
    rootCertificatePem: a.certificatePem,
    rootKeyPem: a.keyPem,
    dnsNames: ['leaf'],
    ...validity,
    keyAlgorithm: 'P-256',
  });
});

const secret = (texts: Readonly<Record<string, string>>, serial?: string): SecretObject => ({
  metadata: {
    name: 's',
    resourceVersion: '7',
    ...(serial === undefined ? {} : { annotations: { [DELIVERY_ANNOTATION]: serial } }),
  },
  data: asData(texts),
});
const pair = () => ({ 'tls.crt': leaf.certificatePem, 'tls.key': leaf.keyPem });

test('a Secret is told by its roots, its leaf and the serial of its delivery', () => {
  const read = readStandingSecret(secret({ 'ca.crt': b.certificatePem + a.certificatePem, ...pair() }, 'x1'), []);
  expect(read).toEqual({
    resourceVersion: '7',
    serial: 'x1',
    bundle: [b.certificate.digest, a.certificate.digest],
    client: { digest: leaf.certificate.digest, signer: a.certificate.keyId, notAfterMs: leaf.certificate.notAfterMs },
  });
});

test('a bundle in bytes that verifiers read in different ways counts as holding nothing', () => {
  const glued = `${b.certificatePem.trimEnd()}${a.certificatePem}`;
  expect(readStandingSecret(secret({ 'ca.crt': glued, ...pair() }), []).bundle).toEqual([]);
});

test('a key of another pair makes it no pair', () => {
  const read = readStandingSecret(secret({ 'ca.crt': a.certificatePem, ...pair(), 'tls.key': b.keyPem }), []);
  expect(read.client).toBeNull();
});

test('a signer that no bundle at hand holds is not known', () => {
  expect(readStandingSecret(secret({ 'ca.crt': b.certificatePem, ...pair() }), []).client?.signer).toBeNull();
  expect(readStandingSecret(secret({ 'ca.crt': b.certificatePem, ...pair() }), [a.certificate]).client?.signer).toBe(
    a.certificate.keyId,
  );
});

const configuration = (...bundles: readonly string[]): KubeObject => ({
  metadata: { name: 'w', resourceVersion: '3', annotations: { [DELIVERY_ANNOTATION]: 'x1' } },
  webhooks: bundles.map((text) => ({
    name: 'one',
    clientConfig: { url: 'https://localhost', caBundle: Buffer.from(text).toString('base64') },
  })),
});

test('what each webhook trusts may serve all of them; what any of them trusts may still be needed', () => {
  const reading = readWebhook(configuration(b.certificatePem + a.certificatePem, a.certificatePem));
  expect(reading?.all).toEqual([a.certificate]);
  expect(reading?.any).toEqual([b.certificate, a.certificate]);
  expect(reading?.serial).toBe('');
});

test('webhooks that trust the same carry the serial of their delivery, and none at all is no reading', () => {
  expect(readWebhook(configuration(a.certificatePem, a.certificatePem))?.serial).toBe('x1');
  expect(readWebhook(configuration())).toBeNull();
});

test('a new caBundle goes into every webhook and leaves the rest as it was', () => {
  const changed = withCaBundle(configuration(a.certificatePem, ''), b.certificatePem, 'x2');
  const reading = readWebhook(changed);
  expect(reading).toMatchObject({ all: [b.certificate], any: [b.certificate], serial: 'x2', resourceVersion: '3' });
  expect((changed['webhooks'] as { clientConfig: { url: string } }[])[1]?.clientConfig.url).toBe('https://localhost');
});
