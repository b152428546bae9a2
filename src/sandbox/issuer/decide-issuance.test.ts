import { beforeAll, expect, test } from 'vitest';
import type { KubeObject, SecretObject } from '../../kubernetes/resource.ts';
import { issuedSecret, requestObject } from './certificate-objects.ts';
import { decideIssuance, type IssuanceView, issuedStatus } from './decide-issuance.ts';
import { type CertificateStatus, conditionOf, timeText } from './kinds.ts';
import { newKey, signCertificate } from './sign-certificate.ts';
import { signingRequest } from './signing-request.ts';
import { wantedCertificate } from './wanted-certificate.ts';

const issuedMs = Date.UTC(2026, 0, 1);
const hourMs = 3_600_000;
const dayMs = 24 * hourMs;
const spec = {
  commonName: 'root',
  isCA: true,
  secretName: 'root',
  duration: '2160h',
  renewBefore: '1464h',
  issuerRef: { name: 'self', kind: 'Issuer', group: 'cert-manager.io' },
};
const certificate: KubeObject = { metadata: { namespace: 'ns', name: 'root', uid: 'u', generation: 3 }, spec };
const wanted = wantedCertificate(certificate);
let secret: SecretObject;
let request: KubeObject;

beforeAll(async () => {
  const key = await newKey(wanted.key);
  const signed = signCertificate(wanted, key, 'self', issuedMs);
  if (signed === null) throw new Error('not signed');
  const keyPem = key.export({ type: 'pkcs8', format: 'pem' }).toString();
  secret = issuedSecret(certificate, {
    wanted,
    leaf: signed,
    certificatePem: signed.pem,
    keyPem,
    caPem: signed.pem,
    type: undefined,
  });
  request = requestObject(certificate, { wanted, revision: 1, requestPem: signingRequest(wanted, key) });
});

const view = (change: Partial<IssuanceView> = {}): IssuanceView => ({
  certificate,
  certificateName: 'root',
  wanted,
  secret,
  lastRequest: request,
  request: undefined,
  ours: false,
  answer: { kind: 'sign' },
  firstBackOffMs: hourMs,
  nowMs: issuedMs + hourMs,
  ...change,
});
const withStatus = (status: CertificateStatus): KubeObject => ({ ...certificate, status });
/** As it stands after a good issuance. */
const settled = (nowMs = issuedMs + hourMs) => withStatus(issuedStatus(view({ nowMs }), 1));
const issuing = (status: CertificateStatus = {}): KubeObject =>
  withStatus({ ...status, conditions: [...(status.conditions ?? []), { type: 'Issuing', status: 'True' }] });
const begun = (nowMs: number, change: Partial<IssuanceView> = {}) => {
  const step = decideIssuance(view({ certificate: settled(), nowMs, ...change }));
  return step.do === 'writeStatus' ? conditionOf(withStatus(step.status), 'Issuing') : step;
};

test('what is issued rests until its time of renewal, and is renewed then', () => {
  const renewalMs = issuedMs + 29 * dayMs;
  expect(decideIssuance(view({ certificate: settled() }))).toEqual({ do: 'rest', untilMs: renewalMs });
  expect(begun(renewalMs - 1)).toEqual({ do: 'rest', untilMs: renewalMs });
  expect(begun(renewalMs)).toEqual({
    type: 'Issuing',
    status: 'True',
    reason: 'Renewing',
    message: 'Renewing certificate as renewal was scheduled at 2026-01-30 00:00:00 +0000 UTC',
    lastTransitionTime: timeText(renewalMs),
    observedGeneration: 3,
  });
  expect(begun(issuedMs + 91 * dayMs)).toMatchObject({ reason: 'Renewing' });
});

test('each way in which a Secret does not fit begins an issuance with its reason', () => {
  const nowMs = issuedMs + hourMs;
  const { data = {}, metadata } = secret;
  const change = (object: Partial<SecretObject>) => ({ secret: { ...secret, ...object } });
  const annotated = (name: string) => ({ ...metadata.annotations, 'cert-manager.io/issuer-name': name });
  const another = wantedCertificate({ ...certificate, spec: { ...spec, commonName: 'another' } });
  const larger = wantedCertificate({
    ...certificate,
    spec: { ...spec, privateKey: { algorithm: 'ECDSA', size: 384 } },
  });
  expect(begun(nowMs, { secret: undefined })).toMatchObject({ reason: 'DoesNotExist' });
  expect(begun(nowMs, change({ data: { ...data, 'tls.key': '' } }))).toMatchObject({ reason: 'MissingData' });
  expect(begun(nowMs, change({ data: { ...data, 'tls.crt': 'AAAA' } }))).toMatchObject({
    reason: 'InvalidCertificate',
  });
  expect(begun(nowMs, { wanted: larger })).toMatchObject({ reason: 'SecretMismatch' });
  expect(begun(nowMs, change({ metadata: { ...metadata, annotations: annotated('other') } }))).toMatchObject({
    reason: 'IncorrectIssuer',
  });
  expect(begun(nowMs, { wanted: another })).toMatchObject({ reason: 'RequestChanged' });
  expect(begun(nowMs, { lastRequest: undefined })).toMatchObject({ do: 'rest' });
});

test('after a failure it waits an hour, doubled with each, unless something else is asked for', () => {
  const failedMs = issuedMs;
  const failed = (attempts: number) =>
    withStatus({ lastFailureTime: timeText(failedMs), failedIssuanceAttempts: attempts });
  const next = (attempts: number, nowMs: number, change: Partial<IssuanceView> = {}) => {
    let one = view({
      certificate: failed(attempts),
      secret: undefined,
      lastRequest: undefined,
      request,
      nowMs,
      ...change,
    });
    const first = decideIssuance(one);
    // The condition Ready is brought up to date first.
    if (first.do === 'writeStatus' && conditionOf(withStatus(first.status), 'Issuing') === undefined) {
      one = { ...one, certificate: withStatus(first.status) };
    }
    const step = decideIssuance(one);
    return step.do === 'rest' ? step.untilMs : step.do;
  };
  expect(next(1, failedMs + hourMs - 1)).toBe(failedMs + hourMs);
  expect(next(1, failedMs + hourMs)).toBe('writeStatus');
  expect(next(3, failedMs + hourMs)).toBe(failedMs + 4 * hourMs);
  expect(next(9, failedMs + hourMs)).toBe(failedMs + 32 * hourMs);
  const another = wantedCertificate({ ...certificate, spec: { ...spec, commonName: 'another' } });
  expect(next(3, failedMs + hourMs, { wanted: another })).toBe('writeStatus');
});

test('a request whose key is lost, or that asks for something else, is made anew', () => {
  const of = (change: Partial<IssuanceView>) =>
    decideIssuance(view({ certificate: issuing({ revision: 4 }), ...change }));
  expect(of({})).toEqual({ do: 'request', revision: 5 });
  expect(of({ request, ours: false })).toEqual({ do: 'request', revision: 5 });
  expect(of({ request, ours: true })).toEqual({ do: 'sign' });
  const another = wantedCertificate({ ...certificate, spec: { ...spec, commonName: 'another' } });
  expect(of({ request, ours: true, wanted: another })).toEqual({ do: 'request', revision: 5 });
  const kept = { ...wanted, reuseKey: true, key: { kind: 'rsa', bits: 2048 } } as const;
  expect(of({ wanted: kept })).toEqual({ do: 'rest', untilMs: null });
});

test('a failed request is counted and ends the attempt; what stood in the status stays', () => {
  const status = { conditions: [{ type: 'Ready', status: 'False', reason: 'Failed', message: 'no' }] };
  const step = decideIssuance(
    view({
      certificate: issuing({ revision: 1, failedIssuanceAttempts: 1 }),
      request: { ...request, status },
      ours: true,
    }),
  );
  expect(step).toMatchObject({
    do: 'giveUp',
    status: {
      revision: 1,
      failedIssuanceAttempts: 2,
      lastFailureTime: timeText(issuedMs + hourMs),
      conditions: [{ type: 'Issuing', status: 'False', reason: 'Failed' }],
    },
  });
});

test('a request that has to wait says so once', () => {
  const answer = { kind: 'wait', reason: 'Pending', message: 'not yet' } as const;
  const waiting = issuing(settled()['status'] as CertificateStatus);
  const first = decideIssuance(view({ certificate: waiting, request, ours: true, answer }));
  expect(first).toMatchObject({ do: 'markRequest', failed: false });
  const conditions = first.do === 'markRequest' ? first.conditions : [];
  const again = { ...request, status: { conditions } };
  expect(decideIssuance(view({ certificate: waiting, request: again, ours: true, answer }))).toEqual({
    do: 'rest',
    untilMs: null,
  });
});
