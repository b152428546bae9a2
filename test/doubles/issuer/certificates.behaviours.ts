import { expect, test } from 'vitest';
import { CERTIFICATE, CLIENT_SECRET_LABELS } from '../../../src/api/names.ts';
import { trustDomainDefaults } from '../../../src/api/trust-domain.ts';
import { certificateResource } from '../../../src/issuers/certificate-resource.ts';
import { isSelfSigned, isSignedBy } from '../../../src/pki/signed-by.ts';
import { conditionsOf, ISSUER } from '../../../src/sandbox/issuer/kinds.ts';
import { material } from '../../pki-material/material.ts';
import { type IssuerUnderTest, namespace, tlsData } from './issuer-under-test.ts';

/** What is issued, and where it is written. */
export function certificates(subject: () => IssuerUnderTest): void {
  const selfSigned = async (name: string) => {
    await subject().put(ISSUER, name, { selfSigned: {} });
    return { name, kind: 'Issuer', group: 'cert-manager.io' };
  };

  test('a root signs itself, and stands in its Secret with its key and once more as ca.crt', async () => {
    const { want, issued, secret, leaf, text } = subject();
    const issuerRef = await selfSigned('root-1');
    const labels = { 'operator.kyma-project.io/managed-by': 'lifecycle-manager' };
    await want('root-1', {
      isCA: true,
      dnsNames: ['listener.kyma.local'],
      secretTemplate: { labels, annotations: { 'example.com/a': 'b' } },
      issuerRef,
    });
    await issued('root-1', 1);
    const root = await leaf('root-1');
    expect(isSelfSigned(root)).toBe(true);
    expect(root).toMatchObject({
      isCa: true,
      keyAlgorithm: 'P-256',
      keyUsage: ['digitalSignature', 'keyCertSign', 'keyEncipherment'],
      extendedKeyUsage: null,
      dnsNames: ['listener.kyma.local'],
      authorityKeyId: null,
    });
    expect(root.subjectKeyId).toMatch(/^[0-9a-f]{40}$/);
    const { type, data, metadata } = (await secret('root-1')) ?? {};
    expect(type).toBe('kubernetes.io/tls');
    expect(Object.keys(data ?? {}).sort()).toEqual(['ca.crt', 'tls.crt', 'tls.key']);
    expect(await text('root-1', 'tls.crt')).toBe(root.pem);
    expect(await text('root-1', 'ca.crt')).toBe(root.pem);
    expect(metadata?.labels).toEqual({ ...labels, 'controller.cert-manager.io/fao': 'true' });
    expect(metadata?.annotations).toEqual({
      'example.com/a': 'b',
      'cert-manager.io/certificate-name': 'root-1',
      'cert-manager.io/issuer-name': 'root-1',
      'cert-manager.io/issuer-kind': 'Issuer',
      'cert-manager.io/issuer-group': 'cert-manager.io',
      'cert-manager.io/common-name': 'root-1',
      'cert-manager.io/alt-names': 'listener.kyma.local',
      'cert-manager.io/ip-sans': '',
      'cert-manager.io/uri-sans': '',
    });
    expect(metadata).not.toHaveProperty('ownerReferences');
  });

  test('the status tells revision and times of what stands, and one condition: Ready', async () => {
    const { want, issued, certificate, leaf, eventually } = subject();
    await want('status-1', {
      isCA: true,
      duration: '48h',
      renewBefore: '12h',
      issuerRef: await selfSigned('status-1'),
    });
    await issued('status-1', 1);
    const { notBeforeMs, notAfterMs } = await leaf('status-1');
    const time = (ms: number) => new Date(ms).toISOString().replace('.000Z', 'Z');
    expect(notAfterMs - notBeforeMs).toBe(48 * 3_600_000);
    // The name of the key's Secret leaves the status a moment later.
    await eventually(async () => {
      const standing = await certificate('status-1');
      expect(standing['status']).toEqual({
        revision: 1,
        notBefore: time(notBeforeMs),
        notAfter: time(notAfterMs),
        renewalTime: time(notAfterMs - 12 * 3_600_000),
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            reason: 'Ready',
            message: 'Certificate is up to date and has not expired',
            observedGeneration: standing.metadata.generation,
            lastTransitionTime: expect.any(String),
          },
        ],
      });
    });
    expect(Math.abs(Date.now() - notBeforeMs)).toBeLessThan(60_000);
  });

  test('the client certificate of a runtime is what our own code asks for', async () => {
    const { kube, signal, put, putSecret, issued, leaf, secret, text } = subject();
    const root = await material.root('client', { subject: { commonName: 'client-root' } });
    await putSecret('client-root', tlsData(root));
    await put(ISSUER, 'klm-watcher-selfsigned', { ca: { secretName: 'client-root' } });
    // A larger key is made below, and costs seconds.
    const { issuer } = trustDomainDefaults({ issuer: { privateKey: { size: 2048 } } });
    const wanted = { runtime: 'kyma-1', commonName: 'id-1', dnsNames: ['kyma-1.example.com', 'skr.svc'] };
    const resource = certificateResource(issuer, wanted);
    await kube.apply(CERTIFICATE, resource, { signal, fieldManager: 'test', force: true });
    await issued('kyma-1-webhook-tls', 1);
    const client = await leaf('kyma-1-webhook-tls');
    expect(isSignedBy(client, root.certificate)).toBe(true);
    expect(client).toMatchObject({
      isCa: false,
      keyAlgorithm: 'RSA-2048',
      keyUsage: ['digitalSignature', 'keyEncipherment'],
      extendedKeyUsage: null,
      dnsNames: ['kyma-1.example.com', 'skr.svc'],
      subjectKeyId: null,
      authorityKeyId: root.certificate.subjectKeyId,
      authoritySerial: null,
      pathLen: null,
      strangeCriticalExtensions: [],
      subjectText: 'C=DE, ST=Baden-Württemberg, L=Walldorf, O=SAP SE, OU=BTP Kyma Runtime, CN=id-1',
    });
    expect(client.notAfterMs - client.notBeforeMs).toBe(1440 * 3_600_000);
    expect(await text('kyma-1-webhook-tls', 'tls.crt')).toBe(client.pem);
    expect(await text('kyma-1-webhook-tls', 'ca.crt')).toBe(root.certificatePem);
    expect(await text('kyma-1-webhook-tls', 'tls.key')).toMatch(/^-----BEGIN RSA PRIVATE KEY-----\n/);
    expect((await secret('kyma-1-webhook-tls'))?.metadata.labels).toMatchObject(CLIENT_SECRET_LABELS);
  });

  test.each([
    [{ algorithm: 'ECDSA' }, 'P-256', 'EC PRIVATE KEY'],
    [{ algorithm: 'ECDSA', size: 384 }, 'P-384', 'EC PRIVATE KEY'],
    [{ algorithm: 'ECDSA', size: 521, encoding: 'PKCS8' }, 'P-521', 'PRIVATE KEY'],
    [{ algorithm: 'RSA', encoding: 'PKCS8' }, 'RSA-2048', 'PRIVATE KEY'],
    [{ algorithm: 'RSA', size: 4096 }, 'RSA-4096', 'RSA PRIVATE KEY'],
  ])('a self-signed root gets a key as asked for: %j', async (privateKey, algorithm, label) => {
    const { want, issued, leaf, text } = subject();
    const name = `key-${algorithm.toLowerCase()}`;
    await want(name, { isCA: true, privateKey, issuerRef: await selfSigned(name) });
    await issued(name, 1);
    const root = await leaf(name);
    expect(root.keyAlgorithm).toBe(algorithm);
    expect(isSelfSigned(root)).toBe(true);
    expect(await text(name, 'tls.key')).toMatch(
      new RegExp(`^-----BEGIN ${label}-----\n[^-]+-----END ${label}-----\n$`),
    );
  });

  test('where no key is asked for there is one all the same', async () => {
    const { want, issued, leaf, expected } = subject();
    await want('any-key', { privateKey: undefined, issuerRef: await selfSigned('any-key') });
    await issued('any-key', 1);
    expect((await leaf('any-key')).keyAlgorithm).toBe(expected('a key of P-256 where a Certificate names none'));
  });

  test.each([
    { asked: ['server auth', 'client auth'], keyUsage: null, extendedKeyUsage: ['serverAuth', 'clientAuth'] },
    { asked: ['client auth', 'signing'], keyUsage: ['digitalSignature'], extendedKeyUsage: ['clientAuth'] },
    { asked: ['cert sign', 'crl sign'], keyUsage: ['crlSign', 'keyCertSign'], extendedKeyUsage: null },
  ])('the usages $asked are written as such and no others', async ({ asked, keyUsage, extendedKeyUsage }) => {
    const { want, issued, leaf } = subject();
    const name = `usages-${asked[0]?.replace(' ', '-')}`;
    await want(name, { usages: asked, issuerRef: await selfSigned(name) });
    await issued(name, 1);
    expect(await leaf(name)).toMatchObject({ keyUsage, extendedKeyUsage });
  });

  test('a subject is written whole, in its order, and each letter of it', async () => {
    const { want, issued, leaf } = subject();
    await want('subject', {
      commonName: 'Größe, "x"',
      dnsNames: ['b.example.com', 'a.example.com'],
      ipAddresses: ['10.0.0.1'],
      subject: {
        countries: ['DE'],
        organizations: ['SAP SE'],
        organizationalUnits: ['BTP'],
        localities: ['Walldorf'],
        provinces: ['Baden-Württemberg'],
      },
      issuerRef: await selfSigned('subject'),
    });
    await issued('subject', 1);
    const { subject: hex, dnsNames, ipAddresses } = await leaf('subject');
    expect(dnsNames).toEqual(['b.example.com', 'a.example.com']);
    expect(ipAddresses).toEqual(['10.0.0.1']);
    const attribute = (type: number, tag: number, text: string) => {
      const value = Buffer.from(text);
      const pair = Buffer.concat([Buffer.from([6, 3, 0x55, 4, type, tag, value.length]), value]);
      return Buffer.concat([Buffer.from([0x31, pair.length + 2, 0x30, pair.length]), pair]).toString('hex');
    };
    const [printable, utf8] = [0x13, 0x0c];
    const attributes = [
      attribute(6, printable, 'DE'),
      attribute(8, utf8, 'Baden-Württemberg'),
      attribute(7, printable, 'Walldorf'),
      attribute(10, printable, 'SAP SE'),
      attribute(11, printable, 'BTP'),
      attribute(3, utf8, 'Größe, "x"'),
    ].join('');
    expect(hex.slice(4)).toBe(attributes);
  });

  test('several values of one attribute are written as one set', async () => {
    const { want, issued, leaf } = subject();
    await want('values', {
      commonName: 'values',
      subject: { organizations: ['SAP SE', 'Kyma'] },
      issuerRef: await selfSigned('values'),
    });
    await issued('values', 1);
    // DER orders a set by its bytes: the shorter name first.
    expect((await leaf('values')).subjectText).toBe('O=Kyma + O=SAP SE, CN=values');
  });

  test('without a duration it is 90 days, of which the last third is for the renewal', async () => {
    const { want, issued, leaf, status } = subject();
    await want('ninety', { issuerRef: await selfSigned('ninety') });
    await issued('ninety', 1);
    const { notBeforeMs, notAfterMs } = await leaf('ninety');
    expect(notAfterMs - notBeforeMs).toBe(90 * 86_400_000);
    expect(Date.parse((await status('ninety')).renewalTime ?? '')).toBe(notBeforeMs + 60 * 86_400_000);
  });

  test('a leaf may outlive its authority', async () => {
    const { put, putSecret, want, issued, leaf } = subject();
    const root = await material.root('short', { notAfterMs: material.madeMs + material.dayMs });
    await putSecret('short-root', tlsData(root));
    await put(ISSUER, 'short', { ca: { secretName: 'short-root' } });
    await want('short', { duration: '48h', issuerRef: { name: 'short' } });
    await issued('short', 1);
    const { notAfterMs } = await leaf('short');
    expect(notAfterMs).toBeGreaterThan(root.certificate.notAfterMs);
  });

  test('of an authority that has one of its own, the leaf comes with the chain and ca.crt is the root', async () => {
    const { put, want, issued, leaf, text } = subject();
    await put(ISSUER, 'chain-root', { selfSigned: {} });
    await want('chain-root', { isCA: true, issuerRef: { name: 'chain-root' } });
    await put(ISSUER, 'chain-upper', { ca: { secretName: 'chain-root' } });
    await want('chain-lower', { isCA: true, issuerRef: { name: 'chain-upper' } });
    await put(ISSUER, 'chain-lower', { ca: { secretName: 'chain-lower' } });
    await want('chain-leaf', { issuerRef: { name: 'chain-lower' } });
    await issued('chain-leaf', 1);
    const [root, lower, end] = [await leaf('chain-root'), await leaf('chain-lower'), await leaf('chain-leaf')];
    expect(isSignedBy(lower, root)).toBe(true);
    expect(isSignedBy(end, lower)).toBe(true);
    expect(await text('chain-leaf', 'tls.crt')).toBe(end.pem + lower.pem);
    expect(await text('chain-leaf', 'ca.crt')).toBe(root.pem);
    expect(end.authorityKeyId).toBe(lower.subjectKeyId);
  });

  test('of an authority without key identifier the leaf names none', async () => {
    const { put, putSecret, want, issued, leaf } = subject();
    const root = await material.root('nameless', { subjectKeyId: false });
    await putSecret('nameless-root', tlsData(root));
    await put(ISSUER, 'nameless', { ca: { secretName: 'nameless-root' } });
    await want('nameless', { issuerRef: { name: 'nameless' } });
    await issued('nameless', 1);
    expect((await leaf('nameless')).authorityKeyId).toBeNull();
  });

  test('the request of the revision tells when it was made and when it was answered, and no key', async () => {
    const { want, issued, requests, certificate } = subject();
    await want('request', { duration: '48h', usages: ['client auth'], issuerRef: await selfSigned('request') });
    await issued('request', 1);
    const [request, ...others] = await requests('request');
    expect(others).toEqual([]);
    expect(request?.metadata.name).toBe('request-1');
    expect(request?.metadata.ownerReferences).toEqual([
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'Certificate',
        name: 'request',
        uid: (await certificate('request')).metadata.uid,
        controller: true,
        blockOwnerDeletion: true,
      },
    ]);
    expect(request?.metadata.annotations).toMatchObject({
      'cert-manager.io/certificate-name': 'request',
      'cert-manager.io/certificate-revision': '1',
    });
    expect(request?.['spec']).toMatchObject({
      duration: '48h0m0s',
      usages: ['client auth'],
      issuerRef: { name: 'request', kind: 'Issuer', group: 'cert-manager.io' },
    });
    expect(conditionsOf(request)).toContainEqual({
      type: 'Ready',
      status: 'True',
      reason: 'Issued',
      message: 'Certificate fetched from issuer successfully',
      lastTransitionTime: expect.any(String),
    });
    expect(JSON.stringify(request)).not.toContain(Buffer.from('PRIVATE KEY').toString('base64').slice(0, 12));
  });

  test('the key of an issuance under way, before there is a certificate', async () => {
    const { want, judge, requests, secrets, eventually, expected, issued } = subject();
    judge('under-way', 'leave');
    await want('under-way', { issuerRef: await selfSigned('under-way') });
    await eventually(async () => expect(await requests('under-way')).toHaveLength(1));
    const keys = secrets
      .list(namespace)
      .filter(
        ({ metadata: { name, labels } }) =>
          name.startsWith('under-way') && labels?.['cert-manager.io/next-private-key'] === 'true',
      );
    expect(keys.length > 0).toBe(expected('the key of an issuance under way is in no Secret'));
    judge('under-way', 'approve');
    await issued('under-way', 1);
  });
}
