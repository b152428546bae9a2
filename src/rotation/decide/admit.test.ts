import { expect, test } from 'vitest';
import { nowMs, root } from '../../../test/decisions/build.ts';
import { admit, type RootObservation, type RootRefusal } from './admit.ts';

const readable = (wishes: Parameters<typeof root>[1], ...defects: RootRefusal[]): RootObservation => ({
  state: 'readable',
  root: root('a', wishes),
  defects,
});
const refusals = (seen: RootObservation, others = [root('b')], revoked: string[] = []): readonly RootRefusal[] => {
  const admission = admit(seen, others, revoked, nowMs);
  return admission.admitted ? [] : admission.reasons;
};

test('a root without a fault enters', () => {
  expect(admit(readable({}), [root('b')], ['other'], nowMs)).toEqual({ admitted: true, root: root('a') });
});

test.each(['RootSecretMissing', 'RootUnreadable'] as const)('a root Secret in state %s admits nothing', (reason) => {
  expect(refusals({ state: 'unreadable', reason })).toEqual([reason]);
});

test.each(['RootNotSelfSigned', 'RootIsNoCa', 'RootKeyDoesNotMatch'] as const)(
  'a defect found when the root was parsed keeps it out: %s',
  (defect) => {
    expect(refusals(readable({}, defect))).toEqual([defect]);
  },
);

test('a root enters from the first instant of its life on, and not before', () => {
  expect(refusals(readable({ notBeforeMs: nowMs }))).toEqual([]);
  expect(refusals(readable({ notBeforeMs: nowMs + 1 }))).toEqual(['RootNotYetValid']);
});

test('an expired root does not enter', () => {
  expect(refusals(readable({ notAfterMs: nowMs + 1 }))).toEqual([]);
  expect(refusals(readable({ notAfterMs: nowMs }))).toEqual(['RootExpired']);
});

test('a root with a revoked key does not enter, and neither does its renewal', () => {
  expect(refusals(readable({}), [], ['a'])).toEqual(['RootRevoked']);
  expect(refusals(readable({ digest: 'a2' }), [], ['a'])).toEqual(['RootRevoked']);
});

test('a root without a subject key identifier does not enter beside another of its subject', () => {
  const bare = readable({ subjectKeyId: null });
  expect(refusals(bare, [root('b')])).toEqual(['RootWithoutKeyIdentifier']);
  expect(refusals(bare, [root('b', { subject: 'CN=other' })])).toEqual([]);
});

test('a root without a subject key identifier that is in use already does not stand in its own way', () => {
  expect(refusals(readable({ subjectKeyId: null }), [root('a', { subjectKeyId: null })])).toEqual([]);
});

test('a root does not enter beside one of its subject that has no subject key identifier either', () => {
  expect(refusals(readable({}), [root('b', { subjectKeyId: null })])).toEqual(['RootWithoutKeyIdentifier']);
  expect(refusals(readable({}), [root('b', { subjectKeyId: null, subject: 'CN=other' })])).toEqual([]);
});

test('a renewal of the same key needs no identifier to be told apart', () => {
  expect(refusals(readable({ subjectKeyId: null }), [root('a1', { keyId: 'a', subjectKeyId: null })])).toEqual([]);
});

test('a root does not enter under the subject and the identifier of another key', () => {
  expect(refusals(readable({}), [root('b', { subjectKeyId: 'a' })])).toEqual(['RootKeyIdentifierTaken']);
});

test('a root that entered before is not refused for those that it stands beside', () => {
  expect(refusals(readable({ subjectKeyId: null }), [root('a'), root('b')])).toEqual([]);
});

test('every reason is told at once', () => {
  const worst = readable({ notAfterMs: nowMs, subjectKeyId: null }, 'RootIsNoCa');
  expect(refusals(worst, [root('b')], ['a'])).toEqual([
    'RootIsNoCa',
    'RootExpired',
    'RootRevoked',
    'RootWithoutKeyIdentifier',
  ]);
});
