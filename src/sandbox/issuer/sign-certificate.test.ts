import { expect, test } from 'vitest';
import { signerTakenFrom, whyNotSignedBy } from '../../pki/signed-by.ts';
import { newKey, signCertificate } from './sign-certificate.ts';
import { asksFor, signingRequest } from './signing-request.ts';
import { renewalTimeMs, wantedCertificate } from './wanted-certificate.ts';

const nowMs = Date.UTC(2026, 0, 1, 0, 0, 0, 700);
const dayMs = 86_400_000;
const wanted = (spec: object) => wantedCertificate({ metadata: { name: 'c' }, spec });
const root = wanted({ isCA: true, commonName: 'root', duration: '2160h', renewBefore: '1464h' });
const leaf = wanted({
  commonName: 'id-1',
  dnsNames: ['b.example.com', '', 'a.example.com'],
  subject: { organizations: ['SAP SE', 'second'], provinces: ['Baden-Württemberg'] },
  privateKey: { algorithm: 'RSA', size: 2048 },
  duration: '2400h',
});

test('a leaf is signed as cert-manager signs it: RSA where asked, and longer than its authority if asked', async () => {
  const rootKey = await newKey(root.key);
  const authority = signCertificate(root, rootKey, 'self', nowMs);
  const key = await newKey(leaf.key);
  const signed = authority && signCertificate(leaf, key, { certificate: authority, key: rootKey }, nowMs);
  if (authority === null || signed === null) throw new Error('not signed');
  expect(whyNotSignedBy(authority, authority)).toBeNull();
  expect(authority).toMatchObject({ isCa: true, keyAlgorithm: 'P-256', authorityKeyId: null });
  expect(authority.keyUsage).toEqual(expect.arrayContaining(['digitalSignature', 'keyEncipherment', 'keyCertSign']));
  expect(signerTakenFrom([authority], signed)).toBe(authority);
  expect(signed).toMatchObject({
    keyAlgorithm: 'RSA-2048',
    dnsNames: ['b.example.com', 'a.example.com'],
    notBeforeMs: Date.UTC(2026, 0, 1),
    notAfterMs: Date.UTC(2026, 0, 1) + 100 * dayMs,
    subjectKeyId: null,
    authorityKeyId: authority.subjectKeyId,
    extendedKeyUsage: null,
  });
  expect(signed.notAfterMs).toBeGreaterThan(authority.notAfterMs);
  expect(signed.subjectText).toBe('ST=Baden-Württemberg, O=SAP SE + O=second, CN=id-1');
  expect(renewalTimeMs(authority, root.renewBeforeMs)).toBe(authority.notBeforeMs + 29 * dayMs);
  expect(renewalTimeMs(authority, null)).toBe(authority.notBeforeMs + 60 * dayMs);
}, 60_000);

test('a signing request says what is asked for, whatever the order of the names and the key', async () => {
  const key = await newKey({ kind: 'ec', curve: 'P-256' });
  const request = signingRequest(leaf, key);
  expect(request).toContain('BEGIN CERTIFICATE REQUEST');
  expect(request).not.toContain('PRIVATE');
  const { dnsNames } = leaf;
  expect(asksFor(request, { ...leaf, dnsNames: [...dnsNames].reverse() })).toBe(true);
  expect(asksFor(request, { ...leaf, dnsNames: dnsNames.slice(1) })).toBe(false);
  expect(asksFor(request, { ...leaf, subject: { commonName: 'id-2' } })).toBe(false);
  expect(asksFor(request, { ...leaf, extendedUsages: ['clientAuth'] })).toBe(false);
  expect(asksFor('no request', leaf)).toBe(false);
});
