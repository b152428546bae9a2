import { describe, expect, test } from 'vitest';
import { material } from '../../test/pki-material/material.ts';
import { isValidAt } from './certificate.ts';
import { coversHost } from './covers-host.ts';
import { parsePair } from './pair.ts';
import { rootDefects } from './root-defects.ts';
import { effectiveEndMs, isSelfSigned, isSignedBy, signerOf, whyNotSignedBy } from './signed-by.ts';

const { madeMs, dayMs } = material;
const reasons = (found: readonly { readonly reason: string }[]): readonly string[] =>
  found.map((defect) => defect.reason);
const defectsOf = (result: ReturnType<typeof parsePair>): readonly string[] =>
  result.ok ? [] : reasons(result.defects);

describe('a pair', () => {
  test('is read with its leaf first and says nothing of its key (S4)', async () => {
    const root = await material.root('a');
    const leaf = await material.leaf(root, 'runtime-1');
    const result = parsePair({
      certificatePem: Buffer.from(leaf.certificatePem + root.certificatePem),
      keyPem: leaf.keyPem,
    });
    expect(result).toMatchObject({ ok: true, pair: { chain: [root.certificate], notes: ['RootIncluded'] } });
    expect(result.ok && result.pair.leaf.digest).toBe(leaf.certificate.digest);
    expect(JSON.stringify(result)).not.toContain(leaf.keyPem.split('\n')[1]);
  });

  test('may have its key in any form', async () => {
    const leaf = await material.leaf(await material.root('a'), 'rsa', { keyAlgorithm: 'RSA-2048' });
    const curve = await material.leaf(await material.root('a'), 'runtime-1');
    expect(parsePair({ ...leaf, keyPem: material.keyAs(leaf, 'pkcs1') }).ok).toBe(true);
    expect(parsePair({ ...curve, keyPem: material.keyAs(curve, 'sec1') }).ok).toBe(true);
    expect(parsePair({ ...curve, keyPem: `# key\r\n${curve.keyPem.replaceAll('\n', '\r\n')}\r\n` }).ok).toBe(true);
  });

  test('that is a root itself is told, as the lifecycle-manager presents it', async () => {
    const result = parsePair(await material.root('a'));
    expect(result).toMatchObject({ ok: true, pair: { chain: [], notes: ['LeafIsRoot'] } });
  });

  test('with the leaf last is no pair: servers take the first certificate', async () => {
    const root = await material.root('a');
    const leaf = await material.leaf(root, 'runtime-1');
    const result = parsePair({ certificatePem: root.certificatePem + leaf.certificatePem, keyPem: leaf.keyPem });
    expect(result).toEqual({
      ok: false,
      defects: [{ reason: 'LeafNotFirst', detail: 'the key belongs to certificate 2, servers take the first' }],
    });
  });

  test('with the key of another pair is no pair, however often it is asked (B51)', async () => {
    const root = await material.root('a');
    const [one, two] = await Promise.all([material.leaf(root, 'runtime-1'), material.leaf(root, 'runtime-2')]);
    const mixed = { certificatePem: one.certificatePem, keyPem: two.keyPem };
    expect(defectsOf(parsePair(mixed))).toEqual(['KeyDoesNotMatch']);
    expect(parsePair(two).ok).toBe(true);
    expect(defectsOf(parsePair(mixed))).toEqual(['KeyDoesNotMatch']);
  });

  test.each([
    ['an empty certificate', { certificatePem: '' }, ['NoCertificate']],
    ['an empty key', { keyPem: ' \n' }, ['NoKey']],
    [
      'a key that is none',
      { keyPem: '-----BEGIN PRIVATE KEY-----\nAAAA\n-----END PRIVATE KEY-----\n' },
      ['KeyUnreadable'],
    ],
    ['nothing at all', { certificatePem: new Uint8Array(), keyPem: new Uint8Array() }, ['NoCertificate', 'NoKey']],
    ['a certificate that is cut off', { certificatePem: '-----BEGIN CERTIFICATE-----\nMIIB' }, ['Unterminated']],
  ])('with %s names what is missing', async (_, change, expected) => {
    const leaf = await material.leaf(await material.root('a'), 'runtime-1');
    expect(defectsOf(parsePair({ ...leaf, ...change }))).toEqual(expected);
  });
});

describe('who signed a certificate', () => {
  test('is decided by key and signature, not by the name that all roots share', async () => {
    const [a, b] = await Promise.all([material.root('a'), material.root('b')]);
    const leaf = await material.leaf(a, 'runtime-1');
    expect(whyNotSignedBy(leaf.certificate, b.certificate)).toBe('AnotherKeyId');
    expect(signerOf(leaf.certificate, material.bundle(b, a))?.digest).toBe(a.certificate.digest);
    expect(signerOf(leaf.certificate, material.bundle(b))).toBeNull();
  });

  test('is decided by the signature where no key identifier tells', async () => {
    const [a, b] = await Promise.all([material.root('a'), material.root('b')]);
    const leaf = await material.leaf(a, 'bare', { authorityKeyId: false });
    expect(isSignedBy(leaf.certificate, a.certificate)).toBe(true);
    expect(whyNotSignedBy(leaf.certificate, b.certificate)).toBe('SignatureDoesNotVerify');
  });

  test('is no root that forged the key identifier', async () => {
    const a = await material.root('a');
    const forged = await material.root('forged', {
      subjectKeyId: Buffer.from(a.certificate.subjectKeyId ?? '', 'hex'),
    });
    const leaf = await material.leaf(a, 'runtime-1');
    expect(forged.certificate.subjectKeyId).toBe(a.certificate.subjectKeyId);
    expect(whyNotSignedBy(leaf.certificate, forged.certificate)).toBe('SignatureDoesNotVerify');
  });

  test.each([
    ['AnotherIssuerName', { subject: { commonName: 'another' } }],
    ['AnotherKeyId', { subjectKeyId: Buffer.alloc(20, 7) }],
    ['SignerIsNoCa', { isCa: false }],
    ['SignerMayNotSign', { keyUsage: ['digitalSignature'] }],
  ] as const)('is not one with the same key but %s', async (reason, change) => {
    const a = await material.root('a');
    const other = await material.root('a', { ...change, renews: a });
    const leaf = await material.leaf(a, 'runtime-1');
    expect(whyNotSignedBy(leaf.certificate, other.certificate)).toBe(reason);
  });

  test('is every generation of a renewed root, and the earlier end counts', async () => {
    const a = await material.root('a');
    const renewed = await material.root('a', { renews: a, notAfterMs: madeMs + dayMs });
    const leaf = await material.leaf(a, 'runtime-1');
    expect(isSignedBy(leaf.certificate, renewed.certificate)).toBe(true);
    expect(effectiveEndMs(leaf.certificate, renewed.certificate)).toBe(madeMs + dayMs);
    expect(effectiveEndMs(leaf.certificate, a.certificate)).toBe(madeMs + 30 * dayMs);
    expect(isSelfSigned(renewed.certificate)).toBe(true);
    expect(isSelfSigned(leaf.certificate)).toBe(false);
  });
});

describe('the root of a root Secret', () => {
  test('is free of defects when it is a valid self-signed authority, as is a renewal of it', async () => {
    const a = await material.root('a');
    const renewed = await material.root('a', { renews: a, notAfterMs: madeMs + 99 * dayMs });
    expect(rootDefects(parsePair(a), madeMs)).toEqual([]);
    expect(rootDefects(parsePair(renewed), madeMs)).toEqual([]);
  });

  test.each([
    ['NotCa', { isCa: false }],
    ['MayNotSign', { keyUsage: ['digitalSignature'] }],
    ['NotYetValid', { notBeforeMs: madeMs + dayMs }],
    ['Expired', { notBeforeMs: madeMs - 2 * dayMs, notAfterMs: madeMs - dayMs }],
  ] as const)('is kept out as %s', async (reason, wishes) => {
    const odd = await material.root('odd', wishes);
    expect(reasons(rootDefects(parsePair(odd), madeMs))).toEqual([reason]);
  });

  test('is kept out when it is a leaf, or its key is another’s', async () => {
    const [a, b] = await Promise.all([material.root('a'), material.root('b')]);
    expect(reasons(rootDefects(parsePair(await material.leaf(a, 'runtime-1')), madeMs))).toEqual(['NotCa']);
    expect(reasons(rootDefects(parsePair({ ...a, keyPem: b.keyPem }), madeMs))).toEqual(['KeyDoesNotMatch']);
  });
});

describe('what a certificate is good for', () => {
  test('is its validity with both ends counted in', async () => {
    const { certificate } = await material.root('a');
    const at = (timeMs: number): boolean => isValidAt(certificate, timeMs);
    expect([madeMs - 1, madeMs, certificate.notAfterMs + 999, certificate.notAfterMs + 1000].map(at)).toEqual([
      false,
      true,
      true,
      false,
    ]);
  });

  test.each([
    ['listener.example.com', ['listener.example.com'], true],
    ['LISTENER.example.com.', ['listener.Example.com'], true],
    ['listener.example.com', ['*.example.com'], true],
    ['a.listener.example.com', ['*.example.com'], false],
    ['example.com', ['*.example.com'], false],
    ['*.example.com', ['*.example.com'], true],
    ['*.example.com', ['a.example.com'], false],
    ['listener.example.com', ['listener.example.org', 'example.com'], false],
    ['', [''], false],
  ])('is for host %j with names %j: %s', (host, dnsNames, covered) => {
    expect(coversHost({ dnsNames }, host)).toBe(covered);
  });
});
