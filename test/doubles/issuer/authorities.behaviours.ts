import { expect, test } from 'vitest';
import { SECRET } from '../../../src/kubernetes/resource.ts';
import { isSignedBy } from '../../../src/pki/signed-by.ts';
import { conditionOf, ISSUER } from '../../../src/sandbox/issuer/kinds.ts';
import { material } from '../../pki-material/material.ts';
import { type IssuerUnderTest, namespace, tlsData } from './issuer-under-test.ts';

/** Who signs, and what happens when they cannot. */
export function authorities(subject: () => IssuerUnderTest): void {
  const pending = async (certificate: string, message: string | RegExp): Promise<void> => {
    const { eventually, requests, condition, status } = subject();
    await eventually(async () => {
      const [request] = await requests(certificate);
      expect(conditionOf(request, 'Ready')).toMatchObject({
        status: 'False',
        reason: 'Pending',
        message: expect.stringMatching(message),
      });
    });
    expect(await condition(certificate, 'Issuing')).toMatchObject({ status: 'True', reason: 'DoesNotExist' });
    expect(await condition(certificate, 'Ready')).toMatchObject({ status: 'False', reason: 'DoesNotExist' });
    expect(await status(certificate)).not.toHaveProperty('lastFailureTime');
  };

  test('an issuer that is not there yet is waited for', async () => {
    const { put, want, issued } = subject();
    await want('no-issuer', { issuerRef: { name: 'no-issuer', kind: 'Issuer', group: 'cert-manager.io' } });
    await pending('no-issuer', /^Referenced "Issuer" not found: /);
    await put(ISSUER, 'no-issuer', { selfSigned: {} });
    await issued('no-issuer', 1);
  });

  test("an authority's Secret that is not there yet is waited for, and the issuer says so", async () => {
    const { put, putSecret, want, issued, issuerReady, eventually } = subject();
    await put(ISSUER, 'no-secret', { ca: { secretName: 'no-secret-root' } });
    await eventually(async () =>
      expect(await issuerReady('no-secret')).toMatchObject({
        status: 'False',
        reason: 'ErrGetKeyPair',
        message: 'Error getting keypair for CA issuer: secrets "no-secret-root" not found',
      }),
    );
    await want('no-secret', { issuerRef: { name: 'no-secret' } });
    await pending('no-secret', /^Referenced issuer does not have a Ready status condition/);
    await putSecret('no-secret-root', tlsData(await material.root('no-secret')));
    await issued('no-secret', 1);
    await eventually(async () =>
      expect(await issuerReady('no-secret')).toMatchObject({
        status: 'True',
        reason: 'KeyPairVerified',
        message: 'Signing CA verified',
      }),
    );
  });

  test('a self-signed issuer is ready without a word', async () => {
    const { put, issuerReady, eventually } = subject();
    await put(ISSUER, 'ready', { selfSigned: {} });
    await eventually(async () => {
      const ready = await issuerReady('ready');
      expect([ready?.status, ready?.reason, ready?.message ?? '', ready?.observedGeneration]).toEqual([
        'True',
        'IsReady',
        '',
        1,
      ]);
    });
  });

  test('another root in the Secret has nothing issued again, and signs from then on', async () => {
    const { put, putSecret, want, issued, leaf, text, status, eventually } = subject();
    const [before, after] = [await material.root('before'), await material.root('after')];
    await putSecret('changed-root', tlsData(before));
    await put(ISSUER, 'changed-root', { ca: { secretName: 'changed-root' } });
    await want('old-leaf', { issuerRef: { name: 'changed-root' } });
    await issued('old-leaf', 1);
    await putSecret('changed-root', tlsData(after));
    await want('new-leaf', { issuerRef: { name: 'changed-root' } });
    await issued('new-leaf', 1);
    await eventually(async () => expect(isSignedBy(await leaf('new-leaf'), after.certificate)).toBe(true));
    expect(await text('new-leaf', 'ca.crt')).toBe(after.certificatePem);
    await new Promise((resolve) => setTimeout(resolve, 1_000));
    expect((await status('old-leaf')).revision).toBe(1);
    expect(isSignedBy(await leaf('old-leaf'), before.certificate)).toBe(true);
    expect(await text('old-leaf', 'ca.crt')).toBe(before.certificatePem);
    await want('old-leaf', { issuerRef: { name: 'changed-root' }, dnsNames: ['a.example.com'] });
    await issued('old-leaf', 2);
    expect(isSignedBy(await leaf('old-leaf'), after.certificate)).toBe(true);
    expect(await text('old-leaf', 'ca.crt')).toBe(after.certificatePem);
  });

  /** A request fails although its issuer calls itself ready; once the Secret is good, the next attempt goes well. */
  const failsUntilMended = async (
    name: string,
    bad: Readonly<Record<string, string>>,
    good: Readonly<Record<string, string>>,
    why: string,
  ): Promise<void> => {
    const { put, putSecret, want, issued, issuerReady, condition, eventually, status, secret } = subject();
    await putSecret(`${name}-root`, bad);
    await put(ISSUER, name, { ca: { secretName: `${name}-root` } });
    await want(name, { issuerRef: { name } });
    await eventually(async () =>
      expect(await condition(name, 'Issuing')).toMatchObject({
        status: 'False',
        reason: 'Failed',
        message: `The certificate request has failed to complete and will be retried: Error signing certificate: ${why}`,
      }),
    );
    expect(await issuerReady(name)).toMatchObject({ status: 'True', reason: 'KeyPairVerified' });
    expect((await status(name)).failedIssuanceAttempts).toBe(1);
    expect(await secret(name)).toBeUndefined();
    await putSecret(`${name}-root`, good);
    await issued(name, 1);
  };

  test("with a key that is not the authority's each request fails, though the issuer is ready", async () => {
    const [root, other] = [await material.root('mismatched'), await material.root('another')];
    await failsUntilMended(
      'mismatched',
      { ...tlsData(root), 'tls.key': other.keyPem },
      tlsData(root),
      "error creating x509 certificate: x509: provided PrivateKey doesn't match parent's PublicKey",
    );
    expect(isSignedBy(await subject().leaf('mismatched'), root.certificate)).toBe(true);
  });

  test('with a ca.crt that is of another root each request fails, though the issuer is ready', async () => {
    const [root, other] = [await material.root('stale'), await material.root('other')];
    await failsUntilMended(
      'stale',
      { ...tlsData(root), 'ca.crt': other.certificatePem },
      { ...tlsData(root), 'ca.crt': root.certificatePem },
      'certificate chain is malformed or broken',
    );
    expect(await subject().text('stale', 'ca.crt')).toBe(root.certificatePem);
  });

  test('a certificate that is no authority signs nothing', async () => {
    const { put, putSecret, want, issuerReady, eventually, secret } = subject();
    const root = await material.root('no-ca');
    await putSecret('no-ca', tlsData(await material.leaf(root, 'no-ca')));
    await put(ISSUER, 'no-ca', { ca: { secretName: 'no-ca' } });
    await eventually(async () =>
      expect(await issuerReady('no-ca')).toMatchObject({
        status: 'False',
        reason: 'ErrInvalidKeyPair',
        message: 'Error getting keypair for CA issuer: certificate is not a CA',
      }),
    );
    await want('of-no-ca', { issuerRef: { name: 'no-ca' } });
    await pending('of-no-ca', /^Referenced issuer does not have a Ready status condition/);
    expect(await secret('of-no-ca')).toBeUndefined();
  });

  test("an authority's Secret that goes away stops it, and what was issued stays", async () => {
    const { kube, signal, put, putSecret, want, issued, issuerReady, eventually, leaf } = subject();
    await putSecret('gone-root', tlsData(await material.root('gone')));
    await put(ISSUER, 'gone', { ca: { secretName: 'gone-root' } });
    await want('of-gone', { issuerRef: { name: 'gone' } });
    await issued('of-gone', 1);
    const before = await leaf('of-gone');
    await kube.delete(SECRET, { namespace, name: 'gone-root' }, { signal });
    await eventually(async () =>
      expect(await issuerReady('gone')).toMatchObject({ status: 'False', reason: 'ErrGetKeyPair' }),
    );
    expect((await leaf('of-gone')).digest).toBe(before.digest);
  });
}
