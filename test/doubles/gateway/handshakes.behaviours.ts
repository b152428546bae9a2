import { createPrivateKey } from 'node:crypto';
import { expect, test } from 'vitest';
import { issueLeaf } from '../../../src/pki/issue.ts';
import { newKey, signCertificate } from '../../../src/sandbox/issuer/sign-certificate.ts';
import { wantedCertificate } from '../../../src/sandbox/issuer/wanted-certificate.ts';
import { material } from '../../pki-material/material.ts';
import type { Question } from './ask.ts';
import type { GatewayUnderTest } from './gateway-under-test.ts';

const { madeMs, dayMs } = material;

/** What the gateway presents, and whose certificate it takes. */
export function handshakes(subject: () => GatewayUnderTest): void {
  test('before there is a Secret no handshake comes about, and nothing is in use', async () => {
    const { ask, gateway } = subject();
    const client = await material.leaf(await material.root('a'), 'id-1');
    expect((await ask(client)).outcome).toBe('no handshake');
    expect(await gateway.configDump(0)).toEqual({ serverCertificate: undefined, bundle: undefined });
  });

  test('it presents the certificate of its Secret, over TLS 1.3, and answers a client of its bundle', async () => {
    const { hold, server, ask } = subject();
    const root = await material.root('a');
    const pair = await server(root);
    await hold(pair, [root]);
    expect(await ask(await material.leaf(root, 'id-1'))).toEqual({
      outcome: 'answered',
      status: 200,
      protocol: 'TLSv1.3',
      alpn: 'http/1.1',
      server: pair.certificate.digest,
      resumed: false,
    });
  });

  test('TLS 1.2, another host and no host get no handshake', async () => {
    const { ask } = subject();
    const client = await material.leaf(await material.root('a'), 'id-1');
    const older: Partial<Question> = { minVersion: 'TLSv1.2', maxVersion: 'TLSv1.2' };
    for (const options of [older, { servername: 'other.kyma.local' }, { servername: '' }]) {
      expect((await ask(client, options)).outcome).toBe('no handshake');
    }
  });

  test('a client that offers HTTP/2 as well', async () => {
    const { ask, expected } = subject();
    const client = await material.leaf(await material.root('a'), 'id-1');
    const asked = await ask(client, { ALPNProtocols: ['h2', 'http/1.1'] });
    expect(asked).toMatchObject({ outcome: 'answered', alpn: expected('HTTP/2 is not spoken') ? 'http/1.1' : 'h2' });
  });

  test.each(['RSA-2048', 'P-384'] as const)(
    'it presents a certificate of %s as well, with its key in any form',
    async (keyAlgorithm) => {
      const { hold, ask, host } = subject();
      const root = await material.root('a');
      const own = await material.leaf(root, 'gateway', { dnsNames: [host], keyAlgorithm });
      const client = await material.leaf(root, 'id-1');
      for (const type of ['pkcs8', keyAlgorithm === 'P-384' ? 'sec1' : 'pkcs1'] as const) {
        await hold({ certificatePem: own.certificatePem, keyPem: material.keyAs(own, type) }, [root]);
        expect(await ask(client)).toMatchObject({ outcome: 'answered', server: own.certificate.digest });
      }
    },
  );

  const refused = (alert: string) => ({
    outcome: 'refused',
    how: subject().expected('a client certificate is refused by hanging up, without an alert') ? 'closed' : alert,
  });

  test('a client of any root of the bundle is answered, and one of another root is refused', async () => {
    const { hold, server, ask } = subject();
    const [a, b, other] = await Promise.all(
      ['a', 'b', 'other'].map((name) => material.root(name, { subject: { commonName: name } })),
    );
    if (a === undefined || b === undefined || other === undefined) throw new Error('unreachable');
    await hold(await server(a), [a, b]);
    for (const root of [a, b]) {
      expect(await ask(await material.leaf(root, 'id-1'))).toMatchObject({ outcome: 'answered', status: 200 });
    }
    expect(await ask(await material.leaf(other, 'id-1'))).toMatchObject(refused('UNKNOWN_CA'));
    expect(await ask(undefined)).toMatchObject(refused('CERTIFICATE_REQUIRED'));
  });

  test('of roots with one subject the key identifiers tell which, in whatever order and number', async () => {
    const { hold, server, ask } = subject();
    const roots = await Promise.all(Array.from({ length: 30 }, (_, index) => material.root(`of-30-${index}`)));
    const stranger = await material.root('stranger');
    const [first] = roots;
    if (first === undefined) throw new Error('unreachable');
    await hold(await server(first), roots);
    for (const root of [first, roots.at(14), roots.at(-1)]) {
      if (root === undefined) throw new Error('unreachable');
      expect(await ask(await material.leaf(root, 'id-1'))).toMatchObject({ outcome: 'answered' });
    }
    expect(await ask(await material.leaf(stranger, 'id-1'))).toMatchObject(refused('UNKNOWN_CA'));
  });

  test('a leaf that names no key is judged by the first root of its name, and so is one behind a root without identifier', async () => {
    const { hold, server, ask } = subject();
    const [a, b] = [await material.root('a'), await material.root('b')];
    const plain = await material.root('plain', { subjectKeyId: false });
    const bare = await material.leaf(b, 'bare', { authorityKeyId: false });
    const pair = await server(a);
    await hold(pair, [b, a]);
    expect(await ask(bare)).toMatchObject({ outcome: 'answered' });
    await hold(pair, [a, b]);
    expect(await ask(bare)).toMatchObject(refused('DECRYPT_ERROR'));
    await hold(pair, [plain, a]);
    expect(await ask(await material.leaf(a, 'id-1'))).toMatchObject(refused('DECRYPT_ERROR'));
    expect(await ask(await material.leaf(plain, 'id-1'))).toMatchObject({ outcome: 'answered' });
  });

  test('a certificate out of its time is refused, whether it is the leaf or its root', async () => {
    const { hold, server, ask } = subject();
    const a = await material.root('a');
    const past = { notBeforeMs: madeMs - 9 * dayMs, notAfterMs: madeMs - dayMs };
    const future = { notBeforeMs: madeMs + dayMs, notAfterMs: madeMs + 2 * dayMs };
    const ended = await material.root('ended', { ...past, subject: { commonName: 'ended' } });
    const coming = await material.root('coming', { ...future, subject: { commonName: 'coming' } });
    await hold(await server(a), [ended, coming, a]);
    expect(await ask(await material.leaf(a, 'expired', past))).toMatchObject(refused('CERTIFICATE_EXPIRED'));
    expect(await ask(await material.leaf(a, 'early', future))).toMatchObject(refused('CERTIFICATE_EXPIRED'));
    const outlives = { notAfterMs: madeMs + dayMs, mayOutliveRoot: true };
    expect(await ask(await material.leaf(ended, 'id-1', outlives))).toMatchObject(refused('CERTIFICATE_EXPIRED'));
    expect(await ask(await material.leaf(coming, 'id-1', outlives))).toMatchObject(refused('CERTIFICATE_EXPIRED'));
  });

  test('usages decide: client authentication where any is named, and a key that may sign', async () => {
    const { hold, server, ask } = subject();
    const a = await material.root('a');
    await hold(await server(a), [a]);
    const leaf = (name: string, usages: readonly ('serverAuth' | 'clientAuth')[]) => material.leaf(a, name, { usages });
    expect(await ask(await leaf('any', []))).toMatchObject({ outcome: 'answered' });
    expect(await ask(await leaf('client', ['clientAuth']))).toMatchObject({ outcome: 'answered' });
    expect(await ask(await leaf('server', ['serverAuth']))).toMatchObject(refused('UNSUPPORTED_CERTIFICATE'));
    expect(await ask(await withUsages(a, ['key encipherment']))).toMatchObject(refused('ILLEGAL_PARAMETER'));
    expect(await ask(await withUsages(a, ['digital signature', 'key encipherment']))).toMatchObject({
      outcome: 'answered',
    });
  });

  test('what the root is for is not asked, so one for servers alone is a signer of clients', async () => {
    const { hold, server, ask } = subject();
    const a = await material.root('a');
    const gardener = await material.root('gardener', { extendedKeyUsage: ['serverAuth'] });
    await hold(await server(a), [gardener]);
    expect(await ask(await material.leaf(gardener, 'id-1'))).toMatchObject({ outcome: 'answered' });
  });

  test('a root may be presented itself', async () => {
    const { hold, server, ask } = subject();
    const a = await material.root('a');
    await hold(await server(a), [a]);
    expect(await ask(a)).toMatchObject({ outcome: 'answered' });
  });

  test('a client certificate under an intermediate that comes along', async () => {
    const { hold, server, ask, expected } = subject();
    const a = await material.root('a');
    const lower = await intermediate(a);
    const leaf = await issueLeaf({
      rootCertificatePem: lower.certificatePem,
      rootKeyPem: lower.keyPem,
      dnsNames: ['x.example.com'],
      notBeforeMs: madeMs,
      notAfterMs: madeMs + dayMs,
      keyAlgorithm: 'P-256',
    });
    await hold(await server(a), [a]);
    const chain = { certificatePem: leaf.certificatePem + lower.certificatePem, keyPem: leaf.keyPem };
    expect((await ask(chain)).outcome).toBe(
      expected('a client certificate with an intermediate is refused') ? 'refused' : 'answered',
    );
  });

  test('a session is resumed at most until something changes', async () => {
    const { hold, server, ask, expected } = subject();
    const [a, b] = [await material.root('a'), await material.root('b')];
    const client = await material.leaf(a, 'id-1');
    const pair = await server(a);
    await hold(pair, [a]);
    const sessionNow = async (): Promise<Buffer> => {
      let session: Buffer | undefined;
      await ask(client, { onSession: (one) => (session = one) });
      return session ?? Buffer.alloc(0);
    };
    const resume = async (session: Buffer) => ask(client, session.length === 0 ? {} : { session });
    const resumed = !expected('no session is resumed');
    expect(await resume(await sessionNow())).toMatchObject({ outcome: 'answered', resumed });
    const before = await sessionNow();
    await hold(pair, [a, b]);
    expect(await resume(before)).toMatchObject({ outcome: 'answered', resumed: false });
    const between = await sessionNow();
    await hold(await server(a, 'another'), [a, b]);
    expect(await resume(between)).toMatchObject({ outcome: 'answered', resumed: false });
  });
}

async function withUsages(root: Awaited<ReturnType<typeof material.root>>, usages: readonly string[]) {
  const wanted = wantedCertificate({ metadata: { name: 'x' }, spec: { commonName: 'id-1', usages } });
  return signedBy(root, wanted);
}

function intermediate(root: Awaited<ReturnType<typeof material.root>>) {
  return signedBy(root, wantedCertificate({ metadata: { name: 'x' }, spec: { commonName: 'lower', isCA: true } }));
}

async function signedBy(
  root: Awaited<ReturnType<typeof material.root>>,
  wanted: ReturnType<typeof wantedCertificate>,
): Promise<{ readonly certificatePem: string; readonly keyPem: string }> {
  const key = await newKey(wanted.key);
  const signer = { certificate: root.certificate, key: createPrivateKey(root.keyPem) };
  const certificate = signCertificate(wanted, key, signer, madeMs);
  if (certificate === null) throw new Error('not signed');
  return { certificatePem: certificate.pem, keyPem: key.export({ type: 'pkcs8', format: 'pem' }).toString() };
}
