import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseCertificate } from './certificate.ts';
import { type IssuedPair, IssuingError, issueLeaf, issueRoot, type RootRequest } from './issue.ts';
import { parsePair } from './pair.ts';
import { splitPem } from './pem.ts';
import { isSelfSigned, isSignedBy, whyNotSignedBy } from './signed-by.ts';

const run = promisify(execFile);
const dayMs = 86_400_000;
const startMs = Math.floor(Date.now() / 1000) * 1000 - 60_000;
const subject = {
  commonName: 'klm-watcher-selfsigned-ca',
  organization: 'SAP SE',
  locality: 'Walldorf',
  province: 'Baden-Württemberg',
  country: 'DE',
};

let folder = '';
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), 'keyturn-issue-'));
});
afterAll(() => rm(folder, { recursive: true }));

function makeRoot(over: Partial<RootRequest> = {}): Promise<IssuedPair> {
  return issueRoot({ subject, notBeforeMs: startMs, notAfterMs: startMs + 90 * dayMs, keyAlgorithm: 'P-256', ...over });
}

function makeLeaf(root: IssuedPair, over: Partial<Parameters<typeof issueLeaf>[0]> = {}): Promise<IssuedPair> {
  return issueLeaf({
    rootCertificatePem: root.certificatePem,
    rootKeyPem: root.keyPem,
    dnsNames: ['skr-webhook.kyma-system.svc'],
    notBeforeMs: startMs,
    notAfterMs: startMs + 30 * dayMs,
    keyAlgorithm: 'P-256',
    ...over,
  });
}

async function opensslVerifies(
  roots: readonly IssuedPair[],
  leaf: IssuedPair,
  purpose: string,
  strict = true,
): Promise<string> {
  const [rootFile, leafFile] = [join(folder, 'roots.pem'), join(folder, 'leaf.pem')];
  await writeFile(rootFile, roots.map((root) => root.certificatePem).join(''));
  await writeFile(leafFile, leaf.certificatePem);
  const args = ['verify', ...(strict ? ['-x509_strict'] : []), '-purpose', purpose, '-CAfile', rootFile, leafFile];
  return run('openssl', args).then(
    ({ stdout }) => stdout.trim(),
    (error: { stderr: string }) => error.stderr,
  );
}

describe('a leaf that is issued', () => {
  test.each([
    { keyAlgorithm: 'P-256', keyEncoding: 'PKCS8' },
    { keyAlgorithm: 'P-256', keyEncoding: 'SEC1' },
    { keyAlgorithm: 'P-384', keyEncoding: 'SEC1' },
    { keyAlgorithm: 'RSA-2048', keyEncoding: 'PKCS1' },
    { keyAlgorithm: 'RSA-4096', keyEncoding: 'PKCS8' },
  ] as const)(
    'is accepted by OpenSSL for either end from a root of $keyAlgorithm with a key in $keyEncoding',
    async (kind) => {
      const root = await makeRoot(kind);
      const leaf = await makeLeaf(root, { keyEncoding: 'PKCS8', subject: { commonName: 'a1b2' } });
      expect(await opensslVerifies([root], leaf, 'sslclient')).toMatch(/OK$/);
      expect(await opensslVerifies([root], leaf, 'sslserver')).toMatch(/OK$/);
      expect(isSignedBy(leaf.certificate, root.certificate)).toBe(true);
    },
  );

  test.each(['P-256', 'P-384', 'RSA-2048'] as const)('has a key of %s that is its own', async (keyAlgorithm) => {
    const leaf = await makeLeaf(await makeRoot(), { keyAlgorithm });
    expect(leaf.certificate.keyAlgorithm).toBe(keyAlgorithm);
    expect(parsePair(leaf)).toMatchObject({ ok: true });
    const usage = keyAlgorithm === 'RSA-2048' ? ['digitalSignature', 'keyEncipherment'] : ['digitalSignature'];
    expect(leaf.certificate.keyUsage).toEqual(usage);
    expect(leaf.certificate.extendedKeyUsage).toEqual(['serverAuth', 'clientAuth']);
  });

  test('names the key of its root, and the very bytes of its name', async () => {
    const root = await makeRoot();
    const leaf = await makeLeaf(root);
    expect(leaf.certificate.authorityKeyId).toBe(root.certificate.subjectKeyId);
    expect(leaf.certificate.issuer).toBe(root.certificate.subject);
  });

  test('is told from the leaves of namesakes by OpenSSL even when its own root has no key identifier', async () => {
    const [plain, other] = await Promise.all([makeRoot({ subjectKeyId: false }), makeRoot()]);
    const leaf = await makeLeaf(plain);
    expect(leaf.certificate.authorityKeyId).toMatch(/^[0-9a-f]{40}$/);
    expect(await opensslVerifies([other, plain], leaf, 'sslclient', false)).toMatch(/OK$/);
    expect(await opensslVerifies([plain, other], leaf, 'sslclient', false)).toMatch(/OK$/);
    expect(await opensslVerifies([other], leaf, 'sslclient', false)).not.toMatch(/OK$/);
  });

  test('is still signed by its root when that is renewed, and by no re-keyed one', async () => {
    const root = await makeRoot();
    const leaf = await makeLeaf(root);
    const renewed = await makeRoot({ keyPem: root.keyPem, notAfterMs: startMs + 200 * dayMs });
    const rekeyed = await makeRoot();
    expect(renewed.certificate.keyId).toBe(root.certificate.keyId);
    expect(isSignedBy(leaf.certificate, renewed.certificate)).toBe(true);
    expect(await opensslVerifies([renewed], leaf, 'sslclient')).toMatch(/OK$/);
    expect(isSignedBy(leaf.certificate, rekeyed.certificate)).toBe(false);
  });

  test('does not outlive its root unless asked to', async () => {
    const root = await makeRoot({ notAfterMs: startMs + dayMs });
    expect((await makeLeaf(root)).certificate.notAfterMs).toBe(startMs + dayMs);
    expect((await makeLeaf(root, { mayOutliveRoot: true })).certificate.notAfterMs).toBe(startMs + 30 * dayMs);
  });

  test('carries hosts, addresses and no subject if none is given', async () => {
    const root = await makeRoot();
    const leaf = await makeLeaf(root, { dnsNames: ['a.example.com', '*.b.example.com'], ipAddresses: ['127.0.0.1'] });
    expect(leaf.certificate).toMatchObject({
      dnsNames: ['a.example.com', '*.b.example.com'],
      ipAddresses: ['127.0.0.1'],
      subjectText: '',
    });
    expect(await opensslVerifies([root], leaf, 'sslserver')).toMatch(/OK$/);
  });

  test('ends in a year of four digits where the root does', async () => {
    const farMs = Date.UTC(2099, 11, 31);
    const root = await makeRoot({ notAfterMs: farMs });
    const leaf = await makeLeaf(root, { notAfterMs: farMs });
    expect(leaf.certificate.notAfterMs).toBe(farMs);
    expect(await opensslVerifies([root], leaf, 'sslclient')).toMatch(/OK$/);
  });

  test('is not made with a key that is not the root’s, and the error holds nothing of the key', async () => {
    const [root, other] = await Promise.all([makeRoot(), makeRoot()]);
    const wrong = makeLeaf(root, { rootKeyPem: other.keyPem });
    await expect(wrong).rejects.toThrow(IssuingError);
    await expect(makeLeaf(root, { rootKeyPem: 'no key' })).rejects.toThrow(/cannot be read/);
    const error = await wrong.catch((reason: Error) => reason);
    for (const line of other.keyPem.split('\n').slice(1, -2)) expect(String(error)).not.toContain(line);
  });
});

describe('a root that OpenSSL made', () => {
  test.each([
    ['RSA', ['-newkey', 'rsa:2048'], 'RSA-2048'],
    ['P-384', ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-384'], 'P-384'],
  ])('with a key of %s is read, signs for us, and is found again as signer', async (_, key, keyAlgorithm) => {
    const [keyFile, rootFile] = [join(folder, 'foreign.key'), join(folder, 'foreign.crt')];
    const args = ['req', '-x509', '-nodes', ...key, '-subj', '/C=DE/O=SAP SE/CN=foreign', '-days', '30'];
    await run('openssl', [...args, '-keyout', keyFile, '-out', rootFile]);
    const pair = { certificatePem: await readFile(rootFile, 'utf8'), keyPem: await readFile(keyFile, 'utf8') };
    const parsed = parsePair(pair);
    if (!parsed.ok) throw new Error(parsed.defects.map((defect) => defect.reason).join());
    const root = parsed.pair.leaf;
    expect(root).toMatchObject({ isCa: true, keyAlgorithm, subjectText: 'C=DE, O=SAP SE, CN=foreign' });
    expect(root.authorityKeyId).toBe(root.subjectKeyId);
    const leaf = await makeLeaf({ ...pair, certificate: root });
    expect(isSignedBy(leaf.certificate, root)).toBe(true);
    expect(await opensslVerifies([{ ...pair, certificate: root }], leaf, 'sslclient', false)).toMatch(/OK$/);
  });
});

describe('a root that is made', () => {
  test('signed itself, and another of its name did not', async () => {
    const [root, other] = await Promise.all([makeRoot(), makeRoot()]);
    expect(isSelfSigned(root.certificate)).toBe(true);
    expect(isSignedBy(root.certificate, other.certificate)).toBe(false);
    expect(await opensslVerifies([root], root, 'any')).toMatch(/OK$|Missing Authority Key/);
  });

  test('can lack what a root should have', async () => {
    const root = await makeRoot({ isCa: false, subjectKeyId: false, extendedKeyUsage: ['serverAuth'], keyUsage: null });
    expect(root.certificate).toMatchObject({
      isCa: false,
      subjectKeyId: null,
      extendedKeyUsage: ['serverAuth'],
      keyUsage: null,
    });
    expect(whyNotSignedBy(root.certificate, root.certificate)).toBe('SignerIsNoCa');
  });

  test('reads the same from its text', async () => {
    const root = await makeRoot({ dnsNames: ['listener.example.com'], authorityKeyId: true, pathLen: 0 });
    const [block] = splitPem(root.certificatePem);
    const again = block?.kind === 'certificate' ? parseCertificate(block.der) : null;
    expect(again).toEqual({ ok: true, certificate: root.certificate });
    expect(root.certificate.pathLen).toBe(0);
    expect(root.certificate.subjectText).toContain('ST=Baden-Württemberg');
  });
});
