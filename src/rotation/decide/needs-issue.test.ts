import { describe, expect, test } from 'vitest';
import {
  certificate,
  gatewaySecret,
  hubPair,
  nowMs,
  renewBeforeMs,
  root,
  serverLeaf,
} from '../../../test/decisions/build.ts';
import { type IssueSituation, issueStep } from './needs-issue.ts';

const a = root('a');
const b = root('b');

const step = (wishes: Partial<IssueSituation> = {}): ReturnType<typeof issueStep> =>
  issueStep({
    certificate: certificate(hubPair('c1', 'b')),
    gateway: gatewaySecret([b, a], serverLeaf('la', 'a')),
    current: b,
    paused: false,
    mayRenew: true,
    taintedAhead: false,
    comesFirst: false,
    tainted: [],
    revoked: [],
    nowMs,
    renewBeforeMs,
    ...wishes,
  });
const ofOlderRoot = certificate(hubPair('c1', 'a'));

test('a runtime with a certificate of the current root needs none', () => {
  expect(step()).toEqual({ step: 'none' });
});

describe('nobody is asked for a certificate', () => {
  const none = certificate(null, { exists: false });

  test('before there is a valid gateway Secret, whatever else is missing', () => {
    const wait = { step: 'wait', reason: 'GatewaySecretMissing' };
    expect(step({ gateway: null, certificate: none })).toEqual(wait);
    expect(step({ gateway: null, current: null })).toEqual(wait);
  });

  test('while no root is admitted', () => {
    expect(step({ current: null, certificate: none })).toEqual({ step: 'wait', reason: 'RootNotAdmitted' });
  });

  test("of a root that is not in the gateway's bundle yet", () => {
    const gateway = gatewaySecret([a], null);
    expect(step({ gateway, certificate: none })).toEqual({ step: 'wait', reason: 'RootNotBundled' });
  });

  test('twice: not while an issuance runs', () => {
    const issuing = certificate(hubPair('c1', 'a'), { issuing: true });
    expect(step({ certificate: issuing })).toEqual({ step: 'wait', reason: 'Issuing' });
  });

  test('for the first pair of a Certificate that is there: its issuer works on it by itself', () => {
    expect(step({ certificate: certificate(null) })).toEqual({ step: 'none' });
  });

  test('again while the trust domain is paused', () => {
    expect(step({ certificate: ofOlderRoot, paused: true })).toEqual({ step: 'wait', reason: 'Paused' });
  });

  test('again while the issuer waits after it failed twice for the current root', () => {
    const backOff = (untilMs: number): IssueSituation['certificate'] =>
      certificate(hubPair('c1', 'a'), { backOffUntilMs: untilMs, failures: 2, askedFor: 'b' });
    expect(step({ certificate: backOff(nowMs + 1) })).toEqual({ step: 'wait', reason: 'IssuerBackOff' });
    expect(step({ certificate: backOff(nowMs) })).toMatchObject({ step: 'renew' });
  });

  test('again before its turn', () => {
    expect(step({ certificate: ofOlderRoot, mayRenew: false })).toEqual({ step: 'wait', reason: 'WaveNotReached' });
  });
});

describe('a certificate is asked for', () => {
  test('where the runtime has none', () => {
    expect(step({ certificate: certificate(null, { exists: false }) })).toEqual({
      step: 'apply',
      reason: 'CertificateMissing',
    });
  });

  test('where it is not what it should be', () => {
    const other = certificate(hubPair('c1', 'b'), { asSpecified: false });
    expect(step({ certificate: other })).toEqual({ step: 'apply', reason: 'CertificateDiffers' });
    // That makes the issuer issue again, so it has its turn like a renewal.
    expect(step({ certificate: other, mayRenew: false })).toEqual({ step: 'wait', reason: 'WaveNotReached' });
    expect(step({ certificate: other, paused: true })).toEqual({ step: 'wait', reason: 'Paused' });
    // The specification that is about to go may be what the issuance under way is stuck on.
    const stuck = { ...other, issuing: true };
    expect(step({ certificate: stuck })).toEqual({ step: 'apply', reason: 'CertificateDiffers' });
  });

  test('when the one there is signed by another root, however young it is', () => {
    const young = certificate(hubPair('c1', 'a', { notBeforeMs: b.notBeforeMs + 1 }));
    expect(step({ certificate: young })).toEqual({ step: 'renew', reason: 'SignedByOlderRoot' });
    expect(step({ certificate: certificate(hubPair('c1', null)) })).toEqual({
      step: 'renew',
      reason: 'SignedByOlderRoot',
    });
  });

  test('not when its root was renewed, however old it is: the key is the same', () => {
    const b2 = root('b2', { keyId: 'b' });
    expect(step({ current: b2, gateway: gatewaySecret([b2, b, a], null) })).toEqual({ step: 'none' });
  });

  test("once more after a failure, and again for each new root, without regard to the issuer's wait", () => {
    const failed = { backOffUntilMs: nowMs + 1, failures: 1, askedFor: 'b' };
    expect(step({ certificate: certificate(hubPair('c1', 'a'), failed) })).toMatchObject({ step: 'renew' });
    const forOther = { ...failed, failures: 9, askedFor: 'a' };
    expect(step({ certificate: certificate(hubPair('c1', 'a'), forOther) })).toMatchObject({ step: 'renew' });
  });

  test('when it nears its end', () => {
    const ending = (leftMs: number): IssueSituation['certificate'] =>
      certificate(hubPair('c1', 'b', { notAfterMs: nowMs + leftMs }));
    expect(step({ certificate: ending(renewBeforeMs) })).toEqual({ step: 'renew', reason: 'NearsItsEnd' });
    expect(step({ certificate: ending(renewBeforeMs + 1) })).toEqual({ step: 'none' });
  });

  test("when its key is another's", () => {
    const mixed = certificate(hubPair('c1', 'b', { keyMatches: false }));
    expect(step({ certificate: mixed })).toEqual({ step: 'renew', reason: 'KeyDoesNotMatch' });
  });
});

describe('where a root is tainted', () => {
  const wait = (reason: string): object => ({ step: 'wait', reason });

  test('others wait until those who come first were asked for', () => {
    const others = { certificate: ofOlderRoot, taintedAhead: true };
    expect(step(others)).toEqual(wait('TaintedFirst'));
    expect(step({ ...others, comesFirst: true })).toMatchObject({ step: 'renew' });
    expect(step({ ...others, mayRenew: false })).toEqual(wait('WaveNotReached'));
    expect(step({ ...others, comesFirst: true, mayRenew: false })).toEqual(wait('WaveNotReached'));
  });

  test('another specification waits for that turn too, the first certificate of a runtime does not', () => {
    const differs = certificate(hubPair('c1', 'b'), { asSpecified: false });
    expect(step({ certificate: differs, taintedAhead: true })).toEqual(wait('TaintedFirst'));
    expect(step({ certificate: certificate(null, { exists: false }), taintedAhead: true })).toMatchObject({
      step: 'apply',
    });
  });

  const current: Partial<IssueSituation> = { tainted: ['b'] };

  test('and is the current one, no other certificate of it is asked for', () => {
    expect(step({ ...current, certificate: ofOlderRoot })).toEqual(wait('RootTainted'));
    expect(step({ tainted: ['a'], certificate: ofOlderRoot })).toMatchObject({ step: 'renew' });
  });

  test.each([
    ['nears its end', certificate(hubPair('c1', 'a', { notAfterMs: nowMs + renewBeforeMs })), {}],
    ['does not match its key', certificate(hubPair('c1', 'a', { keyMatches: false })), {}],
    ['is of no known root', certificate(hubPair('c1', null)), {}],
    ['is of a root that is not in the bundle', certificate(hubPair('c1', 'c')), {}],
    ['is of a root that is revoked', ofOlderRoot, { revoked: ['a'] }],
    ['is of a root that is about to leave', ofOlderRoot, { gateway: gatewaySecret([b, a], null, { closing: ['a'] }) }],
    [
      'is of a root that nears its end',
      ofOlderRoot,
      { gateway: gatewaySecret([b, root('a', { notAfterMs: nowMs + renewBeforeMs })], null) },
    ],
  ] as const)('but where the one in place %s, since it would fail', (_, of, wishes) => {
    expect(step({ ...current, ...wishes, certificate: of })).toMatchObject({ step: 'renew' });
  });
});
