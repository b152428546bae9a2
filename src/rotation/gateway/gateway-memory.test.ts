import { beforeAll, expect, test } from 'vitest';
import { createTestClock } from '../../controller/test-clock.ts';
import { type IssuedPair, issueRoot } from '../../pki/issue.ts';
import { asData } from '../observe/secret-data.ts';
import { storedProof } from './domain-status.ts';
import { gatewayMemory } from './gateway-memory.ts';
import { readGatewaySecret } from './observe-gateway-secret.ts';

const nowMs = Date.UTC(2026, 0, 1);
let a: IssuedPair;
let b: IssuedPair;

beforeAll(async () => {
  const validity = { notBeforeMs: nowMs, notAfterMs: nowMs + 86_400_000 };
  const make = () => issueRoot({ subject: { commonName: 'root' }, ...validity, keyAlgorithm: 'P-256' });
  [a, b] = await Promise.all([make(), make()]);
});

const reading = (version: string, bundle: string) =>
  readGatewaySecret({ metadata: { name: 's', resourceVersion: version }, data: asData({ 'ca.crt': bundle }) }, []);
const secretOf = (version: string, bundle: string) => {
  const read = reading(version, bundle);
  return read.state === 'readable' ? read.secret : null;
};

test('a stored proof counts for exactly the version it was had for', () => {
  const proof = { bundleVersion: '5', serverVersion: '5' };
  const [same, newer] = [gatewayMemory(createTestClock()), gatewayMemory(createTestClock())];
  same.noteRead(reading('5', a.certificatePem), proof);
  newer.noteRead(reading('6', a.certificatePem), proof);
  expect(same.journal()?.bundles).toHaveLength(1);
  expect(newer.journal()?.bundles).toHaveLength(2);
  expect(storedProof(secretOf('5', a.certificatePem), same.journal())).toEqual(proof);
  expect(storedProof(secretOf('6', a.certificatePem), newer.journal())).toEqual({
    bundleVersion: '',
    serverVersion: '',
  });
});

test('our own write on top of the newest version joins what may be in use; another voids what was known', () => {
  const memory = gatewayMemory(createTestClock());
  memory.noteRead(reading('5', a.certificatePem), { bundleVersion: '5', serverVersion: '5' });
  memory.noteWritten(reading('6', b.certificatePem + a.certificatePem), '5');
  expect(memory.journal()?.bundles.map(({ value }) => value?.length)).toEqual([1, 2]);
  memory.noteRead(reading('7', a.certificatePem), null);
  expect(memory.journal()?.bundles.map(({ value }) => value?.length)).toEqual([undefined, 1]);
});

test('a write on top of bytes that nobody reads alike is no next value of a known one', () => {
  const memory = gatewayMemory(createTestClock());
  memory.noteRead(reading('5', `\n${a.certificatePem}`), { bundleVersion: '5', serverVersion: '5' });
  expect(memory.journal()?.bundles).toHaveLength(2);
  memory.noteWritten(reading('6', a.certificatePem), '5');
  expect(memory.journal()?.bundles.map(({ version }) => version)).toEqual(['', '6']);
});

test('after a write of unknown outcome nothing is known', () => {
  const memory = gatewayMemory(createTestClock());
  memory.noteRead(reading('5', a.certificatePem), { bundleVersion: '5', serverVersion: '5' });
  memory.forget();
  memory.noteRead(reading('6', a.certificatePem), { bundleVersion: '5', serverVersion: '5' });
  expect(memory.journal()?.bundles).toHaveLength(2);
});

test('a wait for a proof is measured from when it was first seen, and ends with the proof', async () => {
  const clock = createTestClock();
  const memory = gatewayMemory(clock);
  const plan = (waitsFor: readonly string[]) =>
    ({ switch: { may: false, waitsFor, breaks: [] } }) as unknown as Parameters<typeof memory.noteAwaited>[0];
  memory.noteAwaited(plan(['r1']));
  await clock.advance(500);
  memory.noteAwaited(plan(['r1', 'r2']));
  await clock.advance(100);
  expect([memory.unprovenForMs('r1'), memory.unprovenForMs('r2'), memory.unprovenForMs('r3')]).toEqual([600, 100, 0]);
  memory.noteAwaited(plan(['r2']));
  expect(memory.unprovenForMs('r1')).toBe(0);
});
