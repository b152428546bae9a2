import { describe, expect, test } from 'vitest';
import {
  client,
  gatewaySecret,
  heldValue,
  holding,
  nowMs,
  proven,
  renewal,
  root,
  runtime,
  serverLeaf,
} from '../../../test/decisions/build.ts';
import { type Fleet, fleetOf, type RuntimeStanding } from './fleet.ts';
import { noteSecret, startJournal } from './gateway-journal.ts';
import { mayRetire, type RetireSituation, type RetireVerdict } from './may-retire.ts';
import { LOST } from './values.ts';

const a = root('a');
const b = root('b');
const c = root('c');
const secret = gatewaySecret([c, b, a], serverLeaf('lc', 'c'));

const verdict = (wishes: Partial<RetireSituation> = {}): RetireVerdict => {
  const at = {
    secret,
    current: c,
    candidate: null,
    fleet: fleetOf(true, []),
    revoked: [],
    nowMs,
    skewMarginMs: 0,
    ...wishes,
  };
  return mayRetire({ journal: proven(at.secret), ...at });
};
const fleet = (...runtimes: readonly RuntimeStanding[]): Fleet => fleetOf(true, runtimes);

test('roots that nobody uses may leave, the current one never', () => {
  expect(verdict()).toEqual({ atOnce: [], revoked: [], unused: ['b', 'a'], kept: { c: { use: 'IsCurrent', by: '' } } });
});

describe('a root stays', () => {
  test("while it is the candidate's", () => {
    expect(verdict({ candidate: serverLeaf('lb', 'b') })).toMatchObject({
      unused: ['a'],
      kept: { b: { use: 'IsCandidate' } },
    });
  });

  test('while an endpoint may present a certificate of it', () => {
    const before = gatewaySecret([c, b, a], serverLeaf('la', 'a'), { resourceVersion: '9' });
    const journal = noteSecret(proven(before), secret, 0, true);
    expect(verdict({ journal })).toMatchObject({ unused: ['b'], kept: { a: { use: 'ServerMayPresent' } } });
  });

  test('while a runtime may present a certificate of it, and that one is named', () => {
    const open = holding(
      heldValue('confirmed', 's1', [c, b, a], client('c1', 'c')),
      heldValue('intended', 's2', [c, b, a], client('c2', 'b')),
    );
    const runtimes = fleet(runtime('one', [c, b, a], 'c'), { name: 'two', held: open, unprovenForMs: 0 });
    expect(verdict({ fleet: runtimes })).toMatchObject({
      unused: ['a'],
      kept: { b: { use: 'RuntimeMayPresent', by: 'two' } },
    });
  });

  test('with all others while it is not known what the endpoints present', () => {
    const journal = noteSecret(
      proven(secret),
      gatewaySecret([c, b, a], serverLeaf('lc2', 'c'), { resourceVersion: '11' }),
      0,
      false,
    );
    expect(verdict({ journal })).toMatchObject({
      unused: [],
      kept: { a: { use: 'ServerUnknown' }, b: { use: 'ServerUnknown' } },
    });
  });

  test.each([
    ['without a record', null],
    ['with a lost record', LOST],
    ['that was never looked at', { beyond: 'unseen' as const, values: [] }],
    ['with a certificate of an unknown signer', holding(heldValue('adopted', 'found-1', [a], client('x', null)))],
  ])('with all others while there is a runtime %s', (_, held) => {
    const runtimes = fleet(runtime('one', [c, b, a], 'c'), { name: 'unknown', held, unprovenForMs: 0 });
    expect(verdict({ fleet: runtimes })).toMatchObject({
      unused: [],
      kept: { a: { use: 'RuntimeUnknown', by: 'unknown' }, b: { use: 'RuntimeUnknown', by: 'unknown' } },
    });
  });

  test("whatever the policy's patience: a runtime that the switch gave up still presents what it has", () => {
    const runtimes = fleet({ ...runtime('given-up', [a], 'a'), unprovenForMs: Number.MAX_SAFE_INTEGER });
    expect(verdict({ fleet: runtimes })).toMatchObject({ unused: ['b'], kept: { a: { by: 'given-up' } } });
  });
});

describe('at once leaves', () => {
  const unknown = fleet({ name: 'unknown', held: null, unprovenForMs: 0 });

  test('a root that has expired, whoever may still present certificates of it', () => {
    const old = root('old', { notAfterMs: nowMs });
    expect(verdict({ secret: gatewaySecret([c, old], serverLeaf('lc', 'c')), fleet: unknown })).toMatchObject({
      atOnce: ['old'],
      unused: [],
    });
  });

  test('an earlier root of a key that a later one outlives: its leaves are accepted by the other', () => {
    const a2 = renewal(a, 'a2');
    const twins = gatewaySecret([c, a2, a], serverLeaf('lc', 'c'));
    expect(verdict({ secret: twins, fleet: unknown })).toMatchObject({ atOnce: ['a'], unused: [] });
  });

  test('never the current root, also when an earlier renewal outlives it', () => {
    const c2 = renewal(c, 'c2');
    const twins = gatewaySecret([c2, c], serverLeaf('lc', 'c'));
    expect(verdict({ secret: twins })).toEqual({
      atOnce: [],
      revoked: [],
      unused: [],
      kept: { c2: { use: 'IsCurrent', by: '' }, c: { use: 'IsCurrent', by: '' } },
    });
  });
});

describe('a revoked root', () => {
  const user = fleet(runtime('user', [c, b, a], 'a'), { name: 'unknown', held: null, unprovenForMs: 0 });

  test('leaves whoever may still present certificates of it', () => {
    expect(verdict({ revoked: ['a'], fleet: user })).toMatchObject({
      revoked: ['a'],
      unused: [],
      kept: { b: {}, c: {} },
    });
  });

  test('stays while an endpoint may present a certificate of it: the server goes first', () => {
    const before = gatewaySecret([c, b, a], serverLeaf('la', 'a'), { resourceVersion: '9' });
    const journal = noteSecret(proven(before), secret, 0, true);
    expect(verdict({ revoked: ['a'], journal })).toMatchObject({
      revoked: [],
      kept: { a: { use: 'ServerMayPresent' } },
    });
    const unknown = startJournal(secret, 0, null);
    expect(verdict({ revoked: ['a'], journal: unknown })).toMatchObject({
      revoked: [],
      kept: { a: { use: 'ServerUnknown' } },
    });
  });

  test('is never the current one', () => {
    expect(verdict({ revoked: ['c'] })).toMatchObject({ revoked: [], kept: { c: { use: 'IsCurrent' } } });
  });
});

test('two roots of one key that end together are kept, or leave, together', () => {
  const twins = gatewaySecret([c, a, root('a9', { keyId: 'a' })], serverLeaf('lc', 'c'));
  expect(verdict({ secret: twins }).unused).toEqual(['a', 'a9']);
  expect(verdict({ secret: twins, fleet: fleet(runtime('one', [c], 'a')) }).unused).toEqual([]);
});
