import { expect, test } from 'vitest';
import { CERTIFICATE_REQUEST } from '../../../src/api/names.ts';
import { backOffUntilMs, failedIssuances } from '../../../src/issuers/issuing-state.ts';
import { refOf } from '../../../src/kubernetes/resource.ts';
import { conditionOf, ISSUER } from '../../../src/sandbox/issuer/kinds.ts';
import { backoffSeconds, type IssuerUnderTest } from './issuer-under-test.ts';

/** Requests that are denied, and when it tries again. */
export function failures(subject: () => IssuerUnderTest): void {
  const failed = (name: string, attempts: number): Promise<void> => {
    const { eventually, certificate, status } = subject();
    return eventually(async () => {
      expect((await status(name)).failedIssuanceAttempts).toBe(attempts);
      expect(conditionOf(await certificate(name), 'Issuing')?.status).toBe('False');
    }, 40_000);
  };
  const denied = async (name: string, spec: object = {}): Promise<void> => {
    const { put, want, judge } = subject();
    judge(name, 'deny');
    await put(ISSUER, name, { selfSigned: {} });
    await want(name, { issuerRef: { name }, ...spec });
    await failed(name, 1);
  };
  const uidOf = async (name: string): Promise<string | undefined> => {
    const [request] = await subject().requests(name);
    return request?.metadata.uid;
  };

  test('a denied request is a failure, which the Certificate tells of', async () => {
    const { certificate, condition, requests, eventually, secret } = subject();
    await denied('denied');
    const standing = await certificate('denied');
    expect(conditionOf(standing, 'Issuing')).toMatchObject({
      reason: 'Test',
      message: 'The certificate request has failed to complete and will be retried: denied by the test',
    });
    expect(await condition('denied', 'Ready')).toMatchObject({ status: 'False', reason: 'DoesNotExist' });
    expect(failedIssuances(standing)).toBe(1);
    const { lastFailureTime } = standing['status'] as { readonly lastFailureTime: string };
    expect(Math.abs(Date.now() - Date.parse(lastFailureTime))).toBeLessThan(backoffSeconds * 1000);
    await eventually(async () => {
      const [request] = await requests('denied');
      expect(conditionOf(request, 'Ready')).toMatchObject({
        status: 'False',
        reason: 'Denied',
        message: 'The CertificateRequest was denied by an approval controller',
      });
      expect(request?.['status']).toHaveProperty('failureTime');
    });
    expect(await secret('denied')).toBeUndefined();
  });

  test('it tries again by itself, after a wait that doubles, and forgets its failures when one is good', async () => {
    const { judge, issued, status, certificate, begun } = subject();
    await denied('again');
    const firstMs = Date.parse((await status('again')).lastFailureTime ?? '');
    expect(backOffUntilMs(await certificate('again'), backoffSeconds * 1000)).toBe(firstMs + backoffSeconds * 1000);
    await failed('again', 2);
    const secondMs = Date.parse((await status('again')).lastFailureTime ?? '');
    judge('again', 'approve');
    await issued('again', 1);
    const [, second, third] = begun('again');
    for (const [begin, failureMs, seconds] of [
      [second, firstMs, backoffSeconds],
      [third, secondMs, 2 * backoffSeconds],
    ] as const) {
      expect(begin?.reason).toBe('DoesNotExist');
      const waitedMs = (begin?.atMs ?? 0) - failureMs;
      expect(waitedMs).toBeGreaterThanOrEqual(seconds * 1000);
      expect(waitedMs).toBeLessThan(seconds * 1000 + 4_000);
    }
    const standing = await status('again');
    expect(standing).not.toHaveProperty('lastFailureTime');
    expect(standing).not.toHaveProperty('failedIssuanceAttempts');
  });

  test('it waits as long where the failed request is taken away', async () => {
    const { kube, signal, judge, issued, status, requests } = subject();
    await denied('taken');
    const failedMs = Date.parse((await status('taken')).lastFailureTime ?? '');
    judge('taken', 'approve');
    for (const request of await requests('taken')) await kube.delete(CERTIFICATE_REQUEST, refOf(request), { signal });
    await issued('taken', 1);
    expect(Date.now() - failedMs).toBeGreaterThanOrEqual(backoffSeconds * 1000);
  });

  test('a certificate that is not renewed in time is no longer ready, once something has it looked at', async () => {
    const { put, want, judge, issued, condition, status, eventually } = subject();
    await put(ISSUER, 'expires', { selfSigned: {} });
    judge('expires', 'approve');
    const spec = { issuerRef: { name: 'expires' }, duration: '10s' };
    await want('expires', { ...spec, renewBefore: '4s' });
    await issued('expires', 1);
    judge('expires', 'leave');
    await eventually(async () =>
      expect(await condition('expires', 'Issuing')).toMatchObject({ status: 'True', reason: 'Renewing' }),
    );
    const endMs = Date.parse((await status('expires')).notAfter ?? '');
    await new Promise((resolve) => setTimeout(resolve, Math.max(0, endMs + 1_500 - Date.now())));
    expect(await condition('expires', 'Ready')).toMatchObject({ status: 'True' });
    await want('expires', { ...spec, renewBefore: '5s' });
    await eventually(async () =>
      expect(await condition('expires', 'Ready')).toMatchObject({
        status: 'False',
        reason: 'Expired',
        message: expect.stringMatching(/^Certificate expired on \w{3}, \d\d \w{3} \d{4} \d\d:\d\d:\d\d UTC$/),
      }),
    );
    await want('expires', { issuerRef: { name: 'expires' } });
    judge('expires', 'approve');
    await issued('expires', 2);
  });

  test('asking by hand cuts the wait short', async () => {
    const { judge, ask, issued, reasons } = subject();
    await denied('by-hand');
    await failed('by-hand', 2);
    judge('by-hand', 'approve');
    await ask('by-hand');
    await issued('by-hand', 1);
    // Where the denied request is still met, that attempt fails as well, and another follows.
    expect(reasons('by-hand').slice(0, 3)).toEqual(['DoesNotExist', 'DoesNotExist', 'ManuallyTriggered']);
  });

  test('another spec cuts the wait short', async () => {
    const { judge, want, issued, status, begun } = subject();
    await denied('other-spec');
    await failed('other-spec', 2);
    const failedMs = Date.parse((await status('other-spec')).lastFailureTime ?? '');
    judge('other-spec', 'approve');
    await want('other-spec', { commonName: 'other', issuerRef: { name: 'other-spec' } });
    await issued('other-spec', 1);
    expect((begun('other-spec').at(2)?.atMs ?? Number.NaN) - failedMs).toBeLessThan(2 * backoffSeconds * 1000);
  });

  test('each attempt has a request of its own under the same name', async () => {
    const { requests } = subject();
    await denied('own-request');
    const before = await uidOf('own-request');
    await failed('own-request', 2);
    expect(await uidOf('own-request')).not.toBe(before);
    expect((await requests('own-request')).map(({ metadata }) => metadata.name)).toEqual(['own-request-1']);
  });

  test('where a re-issue is denied, what stood there stands and is ready', async () => {
    const { put, want, judge, issued, leaf, ask, condition, status } = subject();
    await put(ISSUER, 'stands', { selfSigned: {} });
    await want('stands', { issuerRef: { name: 'stands' } });
    await issued('stands', 1);
    const before = await leaf('stands');
    judge('stands', 'deny');
    await ask('stands');
    await failed('stands', 1);
    expect(await condition('stands', 'Ready')).toMatchObject({ status: 'True', reason: 'Ready' });
    expect((await leaf('stands')).digest).toBe(before.digest);
    expect((await status('stands')).revision).toBe(1);
  });
}
