import { beforeAll, expect, test } from 'vitest';
import type { SecretObject } from '../../kubernetes/resource.ts';
import { type IssuedPair, issueLeaf, issueRoot } from '../../pki/issue.ts';
import { asData } from '../observe/secret-data.ts';
import { readGatewaySecret, recordAnnotations } from './observe-gateway-secret.ts';

const nowMs = Date.UTC(2026, 0, 1);
const validity = { notBeforeMs: nowMs, notAfterMs: nowMs + 86_400_000 };
let a: IssuedPair;
let b: IssuedPair;
let leaf: IssuedPair;

beforeAll(async () => {
  const make = () => issueRoot({ subject: { commonName: 'root' }, ...validity, keyAlgorithm: 'P-256' });
  [a, b] = await Promise.all([make(), make()]);
  leaf = await issueLeaf({
    rootCertificatePem: a.certificatePem,
    rootKeyPem: a.keyPem,
    dnsNames: ['*.kyma.local'],
    ...validity,
    keyAlgorithm: 'P-256',
  });
});

const secret = (
  texts: Readonly<Record<string, string>>,
  annotations: Readonly<Record<string, string>> = {},
): SecretObject => ({
  metadata: { name: 'klm-istio-gateway', resourceVersion: '9', annotations },
  data: asData(texts),
});
const pair = () => ({ 'tls.crt': leaf.certificatePem, 'tls.key': leaf.keyPem });

test('bundle, record and server certificate are read as they stand', () => {
  const added = { [a.certificate.digest]: '3', [b.certificate.digest]: '8' };
  const annotations = recordAnnotations(added, [a.certificate.digest]);
  const reading = readGatewaySecret(
    secret({ 'ca.crt': b.certificatePem + a.certificatePem, ...pair() }, annotations),
    [],
  );
  expect(reading).toMatchObject({
    state: 'readable',
    canonical: true,
    secret: {
      resourceVersion: '9',
      bundle: [{ digest: b.certificate.digest }, { digest: a.certificate.digest }],
      added,
      closing: [a.certificate.digest],
      server: {
        digest: leaf.certificate.digest,
        signer: a.certificate.keyId,
        isRoot: false,
        dnsNames: ['*.kyma.local'],
      },
    },
  });
});

test('a root that serves as its own certificate is told, and is its own signer', () => {
  const reading = readGatewaySecret(
    secret({ 'ca.crt': b.certificatePem, 'tls.crt': a.certificatePem, 'tls.key': a.keyPem }),
    [],
  );
  expect(reading).toMatchObject({ secret: { server: { isRoot: true, signer: a.certificate.keyId } } });
});

test('bytes that nobody reads alike void the record, so that they are written anew', () => {
  const annotations = recordAnnotations({ [a.certificate.digest]: '3' }, []);
  const reading = readGatewaySecret(secret({ 'ca.crt': `# ours\n${a.certificatePem}`, ...pair() }, annotations), []);
  expect(reading).toMatchObject({
    canonical: false,
    secret: { added: {}, bundle: [{ digest: a.certificate.digest }] },
  });
});

test('a record that is no record is none', () => {
  for (const text of ['[', '[]', 'null', '{"x":1}']) {
    const reading = readGatewaySecret(
      secret({ 'ca.crt': a.certificatePem }, { 'keyturn.kyma-project.io/added': text }),
      [],
    );
    expect(reading).toMatchObject({ secret: { added: {} } });
  }
});

test('a Secret without a readable root is not taken for an empty bundle', () => {
  expect(readGatewaySecret(undefined, []).state).toBe('missing');
  expect(readGatewaySecret(secret({}), []).state).toBe('unreadable');
  expect(readGatewaySecret({ metadata: { name: 'x' } }, []).state).toBe('unreadable');
});

test('a server key of another pair makes it no server certificate', () => {
  const reading = readGatewaySecret(secret({ 'ca.crt': a.certificatePem, ...pair(), 'tls.key': b.keyPem }), []);
  expect(reading).toMatchObject({ secret: { server: null } });
});
