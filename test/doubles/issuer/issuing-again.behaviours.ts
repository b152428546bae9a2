import { expect, test } from 'vitest';
import { trustDomainDefaults } from '../../../src/api/trust-domain.ts';
import { systemClock } from '../../../src/controller/clock.ts';
import { certManager } from '../../../src/issuers/cert-manager.ts';
import { SECRET } from '../../../src/kubernetes/resource.ts';
import { isSelfSigned } from '../../../src/pki/signed-by.ts';
import { ISSUER } from '../../../src/sandbox/issuer/kinds.ts';
import { material } from '../../pki-material/material.ts';
import { base64Values, type IssuerUnderTest, namespace, tlsData } from './issuer-under-test.ts';

/** What makes it issue once more, and what does not. */
export function issuingAgain(subject: () => IssuerUnderTest): void {
  /** A self-signed certificate at its first revision. */
  const first = async (name: string, spec: object = {}): Promise<void> => {
    const { put, want, issued } = subject();
    await put(ISSUER, name, { selfSigned: {} });
    await want(name, { issuerRef: { name }, ...spec });
    await issued(name, 1);
  };
  const spoil = async (name: string, data: Readonly<Record<string, string | null>>): Promise<void> => {
    const { kube, signal } = subject();
    const encoded = Object.fromEntries(
      Object.entries(data).map(([key, text]) => [key, text === null ? null : Buffer.from(text).toString('base64')]),
    );
    await kube.mergePatch(SECRET, { namespace, name }, { data: encoded }, { signal });
  };

  test('our own issuer code has a client certificate made, and made again, once per issuance', async () => {
    const { kube, signal, certificates, secrets, put, putSecret, issued, eventually, judge, leaf, reasons } = subject();
    const spec = trustDomainDefaults({
      issuer: { ref: { name: 'ours' }, privateKey: { algorithm: 'ECDSA', size: 256 } },
    }).issuer;
    const code = certManager({ client: kube, issuer: () => spec, certificates, secrets, clock: systemClock });
    const wanted = { runtime: 'ours', commonName: 'id', dnsNames: ['ours.example.com'] };
    const name = 'ours-webhook-tls';
    await putSecret('ours-root', tlsData(await material.root('ours')));
    await put(ISSUER, 'ours', { ca: { secretName: 'ours-root' } });
    expect(code.read(wanted).exists).toBe(false);
    expect(await code.apply(wanted, signal)).toBe('done');
    await issued(name, 1);
    await eventually(() =>
      expect(code.read(wanted)).toMatchObject({ asSpecified: true, issuing: false, backOffUntilMs: 0, failures: 0 }),
    );
    const before = await leaf(name);
    expect(await code.apply(wanted, signal)).toBe('done');
    judge(name, 'leave');
    await eventually(async () => expect(await code.renew('ours', signal)).toBe('done'));
    expect(code.read(wanted).issuing).toBe(true);
    expect(await code.renew('ours', signal)).toBe('again');
    judge(name, 'approve');
    await issued(name, 2);
    const after = await leaf(name);
    expect(after.keyId).not.toBe(before.keyId);
    expect(after.serial).not.toBe(before.serial);
    await eventually(() => expect(code.read(wanted).issuing).toBe(false));
    expect(reasons(name)).toEqual(['DoesNotExist', 'ManuallyTriggered']);
  });

  test('each issuance has a key of its own where the policy does not say otherwise', async () => {
    const { issued, leaf, ask } = subject();
    await first('fresh-key');
    const before = await leaf('fresh-key');
    await ask('fresh-key');
    await issued('fresh-key', 2);
    expect((await leaf('fresh-key')).keyId).not.toBe(before.keyId);
  });

  test('with the policy Never the key stays, and the root is renewed', async () => {
    const { issued, leaf, ask } = subject();
    await first('kept-key', { isCA: true, privateKey: { algorithm: 'ECDSA', size: 256, rotationPolicy: 'Never' } });
    const before = await leaf('kept-key');
    await ask('kept-key');
    await issued('kept-key', 2);
    const after = await leaf('kept-key');
    expect(after.keyId).toBe(before.keyId);
    expect(after.subjectKeyId).toBe(before.subjectKeyId);
    expect(after.digest).not.toBe(before.digest);
    expect(isSelfSigned(after)).toBe(true);
  });

  test('only the request of the last revision is kept', async () => {
    const { issued, requests, eventually, ask } = subject();
    await first('one-request');
    await ask('one-request');
    await issued('one-request', 2);
    await eventually(async () => {
      const names = (await requests('one-request')).map(({ metadata }) => metadata.name);
      expect(names).toEqual(['one-request-2']);
    });
  });

  test.each([
    ['names', { dnsNames: ['other.example.com'] }, 'RequestChanged'],
    ['common-name', { commonName: 'other' }, 'RequestChanged'],
    ['duration', { duration: '240h' }, 'RequestChanged'],
    ['usages', { usages: ['client auth'] }, 'RequestChanged'],
    ['subject', { subject: { organizations: ['SAP SE'] } }, 'RequestChanged'],
    ['ca', { isCA: true }, 'RequestChanged'],
    ['key', { privateKey: { algorithm: 'ECDSA', size: 384 } }, 'SecretMismatch'],
  ])('another spec is another certificate: %s', async (what, change, reason) => {
    const { want, issued, leaf, reasons } = subject();
    const name = `changed-${what}`;
    await first(name, { dnsNames: ['one.example.com'], duration: '100h' });
    const before = await leaf(name);
    await want(name, { dnsNames: ['one.example.com'], duration: '100h', issuerRef: { name }, ...change });
    await issued(name, 2);
    expect((await leaf(name)).digest).not.toBe(before.digest);
    expect(reasons(name)).toEqual(['DoesNotExist', reason]);
  });

  test('a duration where none was asked for waits for the next issuance', async () => {
    const { want, status, certificate, eventually, ask, issued, leaf, reasons } = subject();
    await first('no-duration');
    await want('no-duration', { issuerRef: { name: 'no-duration' }, duration: '240h' });
    await eventually(async () => {
      const { metadata } = await certificate('no-duration');
      expect((await subject().condition('no-duration', 'Ready'))?.observedGeneration).toBe(metadata.generation);
    });
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await status('no-duration')).revision).toBe(1);
    await ask('no-duration');
    await issued('no-duration', 2);
    const { notBeforeMs, notAfterMs } = await leaf('no-duration');
    expect(notAfterMs - notBeforeMs).toBe(240 * 3_600_000);
    expect(reasons('no-duration')).toEqual(['DoesNotExist', 'ManuallyTriggered']);
  });

  test('another issuer is another certificate', async () => {
    const { put, want, issued, reasons, secret } = subject();
    await first('moved');
    await put(ISSUER, 'moved-to', { selfSigned: {} });
    await want('moved', { issuerRef: { name: 'moved-to' } });
    await issued('moved', 2);
    expect(reasons('moved')).toEqual(['DoesNotExist', 'IncorrectIssuer']);
    expect((await secret('moved'))?.metadata.annotations?.['cert-manager.io/issuer-name']).toBe('moved-to');
  });

  test('another time of renewal, another order of names or another label is no other certificate', async () => {
    const { want, leaf, status, secret, eventually, reasons } = subject();
    const spec = { dnsNames: ['b.example.com', 'a.example.com'], duration: '100h' };
    await first('same', spec);
    const before = await leaf('same');
    await want('same', {
      ...spec,
      dnsNames: [...spec.dnsNames].reverse(),
      renewBefore: '10h',
      secretTemplate: { labels: { 'example.com/a': 'b' } },
      issuerRef: { name: 'same' },
    });
    await eventually(async () => {
      expect(Date.parse((await status('same')).renewalTime ?? '')).toBe(before.notAfterMs - 10 * 3_600_000);
      expect((await secret('same'))?.metadata.labels).toMatchObject({ 'example.com/a': 'b' });
    });
    expect((await leaf('same')).digest).toBe(before.digest);
    expect((await status('same')).revision).toBe(1);
    expect(reasons('same')).toEqual(['DoesNotExist']);
  });

  test('labels of the template that somebody takes away come back, and those that leave it go', async () => {
    const { kube, signal, want, secret, status, eventually } = subject();
    await first('labels', { secretTemplate: { labels: { 'example.com/a': 'b', 'example.com/c': 'd' } } });
    await kube.mergePatch(
      SECRET,
      { namespace, name: 'labels' },
      { metadata: { labels: { 'example.com/a': null, 'example.com/theirs': 'x' } } },
      { signal },
    );
    const labels = async () => (await secret('labels'))?.metadata.labels;
    await eventually(async () => expect(await labels()).toMatchObject({ 'example.com/a': 'b', 'example.com/c': 'd' }));
    await want('labels', { issuerRef: { name: 'labels' }, secretTemplate: { labels: { 'example.com/a': 'b' } } });
    await eventually(async () =>
      expect(await labels()).toEqual({
        'example.com/a': 'b',
        'example.com/theirs': 'x',
        'controller.cert-manager.io/fao': 'true',
      }),
    );
    expect((await status('labels')).revision).toBe(1);
  });

  test('a Secret that is deleted is made anew, with another key', async () => {
    const { kube, signal, issued, leaf, reasons } = subject();
    await first('deleted');
    const before = await leaf('deleted');
    await kube.delete(SECRET, { namespace, name: 'deleted' }, { signal });
    await issued('deleted', 2);
    expect((await leaf('deleted')).keyId).not.toBe(before.keyId);
    expect(reasons('deleted')).toEqual(['DoesNotExist', 'DoesNotExist']);
  });

  test.each([
    ['an-empty-certificate', { 'tls.crt': '' }, 'MissingData'],
    ['an-empty-key', { 'tls.key': '' }, 'MissingData'],
    ['a-certificate-of-rubbish', { 'tls.crt': 'rubbish' }, 'InvalidCertificate'],
    ['a-key-of-rubbish', { 'tls.key': 'rubbish' }, 'InvalidKeyPair'],
  ])('a Secret with %s is filled anew', async (what, data, reason) => {
    const { issued, leaf, reasons } = subject();
    const name = `spoilt-${what}`;
    await first(name);
    await spoil(name, data);
    await issued(name, 2);
    await leaf(name);
    expect(reasons(name)).toEqual(['DoesNotExist', reason]);
  });

  test("a Secret with somebody else's key is filled anew", async () => {
    const { issued, leaf, reasons } = subject();
    await first('foreign-key');
    await spoil('foreign-key', { 'tls.key': (await material.root('foreign')).keyPem });
    await issued('foreign-key', 2);
    await leaf('foreign-key');
    expect(reasons('foreign-key')).toEqual(['DoesNotExist', 'InvalidKeyPair']);
  });

  test("a Secret with somebody else's pair is filled anew", async () => {
    const { issued, leaf, reasons } = subject();
    await first('foreign-pair');
    const foreign = await material.root('foreign', { subject: { commonName: 'foreign-pair' } });
    await spoil('foreign-pair', tlsData(foreign));
    await issued('foreign-pair', 2);
    expect((await leaf('foreign-pair')).digest).not.toBe(foreign.certificate.digest);
    expect(reasons('foreign-pair')).toEqual(['DoesNotExist', 'SecretMismatch']);
  });

  test('another ca.crt in the Secret is nothing to it', async () => {
    const { text, status, eventually } = subject();
    await first('foreign-ca');
    // What it does at the end of an issuance may still come, and writes all keys once more.
    await eventually(async () => {
      await spoil('foreign-ca', { 'ca.crt': 'rubbish' });
      await new Promise((resolve) => setTimeout(resolve, 1_500));
      expect(await text('foreign-ca', 'ca.crt')).toBe('rubbish');
    });
    expect((await status('foreign-ca')).revision).toBe(1);
  });

  test('a Secret that stood there before keeps its type, and what else is in it', async () => {
    const { kube, signal, put, want, issued, secret, leaf } = subject();
    await kube.create(
      SECRET,
      { metadata: { name: 'stood', namespace }, type: 'Opaque', data: base64Values({ more: 'x' }) },
      { signal },
    );
    await put(ISSUER, 'stood', { selfSigned: {} });
    await want('stood', { issuerRef: { name: 'stood' } });
    await issued('stood', 1);
    await leaf('stood');
    expect(await secret('stood')).toMatchObject({ type: 'Opaque', data: base64Values({ more: 'x' }) });
  });

  test('it is issued again by itself when its time of renewal has come', async () => {
    const { put, want, issued, status, reasons, leaf, eventually } = subject();
    await put(ISSUER, 'renewed', { selfSigned: {} });
    await want('renewed', { issuerRef: { name: 'renewed' }, duration: '600s', renewBefore: '596s' });
    await issued('renewed', 1);
    const before = await leaf('renewed');
    await issued('renewed', 2);
    expect(reasons('renewed').slice(0, 2)).toEqual(['DoesNotExist', 'Renewing']);
    const after = await leaf('renewed');
    expect(after.notBeforeMs - before.notBeforeMs).toBeGreaterThanOrEqual(4_000);
    // Revision and times are written by two parts of it, one after the other.
    await eventually(async () =>
      expect(Date.parse((await status('renewed')).renewalTime ?? '')).toBeGreaterThan(before.notBeforeMs + 4_000),
    );
    await want('renewed', { issuerRef: { name: 'renewed' } });
  });
}
