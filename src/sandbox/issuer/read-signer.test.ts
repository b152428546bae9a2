import { beforeAll, expect, test } from 'vitest';
import type { KubeObject, SecretObject } from '../../kubernetes/resource.ts';
import { type IssuedPair, issueLeaf, issueRoot } from '../../pki/issue.ts';
import { readSigner } from './read-signer.ts';

const nowMs = Date.now();
const validity = { notBeforeMs: nowMs - 1_000, notAfterMs: nowMs + 3_600_000, keyAlgorithm: 'P-256' } as const;
const issuer: KubeObject = { metadata: { name: 'ca', namespace: 'ns' }, spec: { ca: { secretName: 'root' } } };
let a: IssuedPair;
let b: IssuedPair;

beforeAll(async () => {
  [a, b] = (await Promise.all(['a', 'b'].map((commonName) => issueRoot({ subject: { commonName }, ...validity })))) as [
    IssuedPair,
    IssuedPair,
  ];
});
const secret = (certificatePem: string, keyPem: string, caPem = ''): SecretObject => ({
  metadata: { name: 'root', namespace: 'ns' },
  data: Object.fromEntries(
    Object.entries({ 'tls.crt': certificatePem, 'tls.key': keyPem, 'ca.crt': caPem }).map(([key, text]) => [
      key,
      Buffer.from(text).toString('base64'),
    ]),
  ),
});

test('the first certificate of the Secret signs, and its root goes out as ca.crt', () => {
  const reading = readSigner(issuer, secret(a.certificatePem, a.keyPem, a.certificatePem));
  expect(reading).toMatchObject({ ok: true, chain: [], signer: { certificate: a.certificate }, root: a.certificate });
  const bundled = readSigner(issuer, secret(a.certificatePem + b.certificatePem, a.keyPem));
  expect(bundled).toEqual({
    ok: 'fails',
    message: 'Error signing certificate: certificate chain is malformed or broken',
  });
});

test('an authority that cannot sign says why, and holds no byte of a key', async () => {
  const leaf = await issueLeaf({
    rootCertificatePem: a.certificatePem,
    rootKeyPem: a.keyPem,
    dnsNames: ['x.example.com'],
    ...validity,
  });
  const readings = [
    readSigner(issuer, undefined),
    readSigner(issuer, secret(a.certificatePem, b.keyPem)),
    // The key of the second: the order is not mended, as cert-manager does not.
    readSigner(issuer, secret(b.certificatePem + a.certificatePem, a.keyPem)),
    readSigner(issuer, secret(leaf.certificatePem, leaf.keyPem)),
    readSigner({ metadata: { name: 'acme' }, spec: { acme: {} } }, undefined),
  ];
  expect(readings.map((reading) => reading.ok)).toEqual([false, 'fails', 'fails', false, false]);
  expect(readings[0]).toMatchObject({ reason: 'ErrGetKeyPair', message: expect.stringContaining('"root" not found') });
  expect(JSON.stringify(readings)).not.toContain(a.keyPem.split('\n')[1]);
});

test('an issuer of the kind selfSigned signs with the key of the request', () => {
  const self = { metadata: { name: 'self' }, spec: { selfSigned: {} } };
  expect(readSigner(self, undefined)).toMatchObject({ ok: true, signer: 'self', root: null });
});
