import { beforeAll, expect, test } from 'vitest';
import type { SecretObject } from '../../kubernetes/resource.ts';
import { type IssuedPair, issueLeaf, issueRoot } from '../../pki/issue.ts';
import { asData } from '../observe/secret-data.ts';
import { readRootSecret } from './observe-root.ts';

const nowMs = Date.UTC(2026, 0, 1);
const dayMs = 86_400_000;
const validity = { notBeforeMs: nowMs - dayMs, notAfterMs: nowMs + dayMs };
let root: IssuedPair;
let other: IssuedPair;
let leaf: IssuedPair;

beforeAll(async () => {
  const make = () => issueRoot({ subject: { commonName: 'root' }, ...validity, keyAlgorithm: 'P-256' });
  [root, other] = await Promise.all([make(), make()]);
  leaf = await issueLeaf({
    rootCertificatePem: root.certificatePem,
    rootKeyPem: root.keyPem,
    dnsNames: ['leaf'],
    ...validity,
    keyAlgorithm: 'P-256',
  });
});

const secret = (certificatePem: string, keyPem: string): SecretObject => ({
  metadata: { name: 'klm-watcher' },
  data: asData({ 'tls.crt': certificatePem, 'tls.key': keyPem }),
});
const reading = (certificatePem: string, keyPem: string) =>
  readRootSecret(secret(certificatePem, keyPem), nowMs).observation;

test('a sound root has no defects', () => {
  expect(reading(root.certificatePem, root.keyPem)).toMatchObject({
    state: 'readable',
    defects: [],
    root: { digest: root.certificate.digest, keyId: root.certificate.keyId },
  });
});

test('a missing Secret and an unreadable one are told apart', () => {
  expect(readRootSecret(undefined, nowMs).observation).toEqual({ state: 'unreadable', reason: 'RootSecretMissing' });
  expect(reading('', root.keyPem)).toEqual({ state: 'unreadable', reason: 'RootUnreadable' });
  expect(reading('-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----\n', root.keyPem)).toEqual({
    state: 'unreadable',
    reason: 'RootUnreadable',
  });
});

test('a key of another root is a defect of a root that can be read', () => {
  expect(reading(root.certificatePem, other.keyPem)).toMatchObject({
    state: 'readable',
    defects: ['RootKeyDoesNotMatch'],
  });
});

test('a leaf is neither a CA nor signed by itself', () => {
  const { defects } = reading(leaf.certificatePem, leaf.keyPem) as { defects: readonly string[] };
  expect(defects).toContain('RootIsNoCa');
});

test('whether it is valid now is decided later, from the time of the decision', () => {
  const late = readRootSecret(secret(root.certificatePem, root.keyPem), nowMs + 10 * dayMs);
  expect(late.observation).toMatchObject({ state: 'readable', defects: [] });
  expect(late.details.join()).toContain('Expired');
});

test('no detail holds a byte of the key', () => {
  const { details } = readRootSecret(secret(root.certificatePem, other.keyPem), nowMs);
  const body = other.keyPem.split('\n')[1] ?? '';
  expect(details.join()).not.toContain(body.slice(0, 16));
});
