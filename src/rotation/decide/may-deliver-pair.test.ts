import { describe, expect, test } from 'vitest';
import {
  addedWith,
  gatewaySecret,
  hubPair,
  marginMs,
  nowMs,
  renewal,
  root,
  serverLeaf,
  trusted,
} from '../../../test/decisions/build.ts';
import { asHeld, type PairSituation, pairObstacles } from './may-deliver-pair.ts';

const a = root('a');
const b = root('b');

const obstacles = (wishes: Partial<PairSituation> = {}): readonly string[] =>
  pairObstacles({
    pair: hubPair('c2', 'b'),
    gateway: gatewaySecret([b, a], serverLeaf('la', 'a')),
    trusted: trusted(b, a),
    heldSigners: ['a'],
    caBundles: [],
    nowMs,
    skewMarginMs: marginMs,
    ...wishes,
  });

test("a pair whose signer is proven at the gateway goes out, whatever its signer's turn", () => {
  expect(obstacles()).toEqual([]);
  expect(obstacles({ pair: hubPair('c9', 'a') })).toEqual([]);
});

describe('a pair does not go out', () => {
  test("when its key is another's", () => {
    expect(obstacles({ pair: hubPair('c2', 'b', { keyMatches: false }) })).toEqual(['PairKeyDoesNotMatch']);
  });

  test('while it is younger than clocks may differ', () => {
    expect(obstacles({ pair: hubPair('c2', 'b', { notBeforeMs: nowMs - marginMs }) })).toEqual([]);
    expect(obstacles({ pair: hubPair('c2', 'b', { notBeforeMs: nowMs - marginMs + 1 }) })).toEqual(['PairNotYetValid']);
  });

  test('when it has expired, or does so within the margin', () => {
    expect(obstacles({ pair: hubPair('c2', 'b', { notAfterMs: nowMs + marginMs + 1 }) })).toEqual([]);
    expect(obstacles({ pair: hubPair('c2', 'b', { notAfterMs: nowMs + marginMs }) })).toEqual(['PairNearsItsEnd']);
  });

  test.each([
    ['is not in the bundle', hubPair('c2', 'other'), [b, a]],
    ['is not known', hubPair('c2', null), [b, a]],
    ['ends within the margin', hubPair('c2', 'b'), [root('b', { notAfterMs: nowMs + marginMs }), a]],
  ])('when its signer %s', (_, pair, bundle) => {
    expect(obstacles({ pair, gateway: gatewaySecret(bundle, null) })).toEqual(['PairSignerNotInBundle']);
  });

  test('while its signer is not proven at the gateway', () => {
    expect(obstacles({ trusted: trusted(a) })).toEqual(['PairSignerNotProven']);
  });

  test('on a proof of an earlier stay of its signer in the bundle', () => {
    const added = { a: addedWith('a'), b: 'second time' };
    expect(obstacles({ gateway: gatewaySecret([b, a], null, { added }) })).toEqual(['PairSignerNotProven']);
    expect(obstacles({ gateway: gatewaySecret([b, a], null, { added: {} }) })).toEqual(['PairSignerNotProven']);
  });

  test('while its signer is about to leave', () => {
    expect(obstacles({ gateway: gatewaySecret([b, a], null, { closing: ['b'] }) })).toEqual(['PairSignerClosing']);
    expect(obstacles({ gateway: gatewaySecret([b, a], null, { closing: ['a'] }) })).toEqual([]);
  });

  test('while an API server may use a caBundle without its signer', () => {
    expect(obstacles({ caBundles: [[a], [b, a]] })).toEqual(['WebhookMayNotTrustSigner']);
    expect(obstacles({ caBundles: [null, [b, a]] })).toEqual(['WebhookMayNotTrustSigner']);
    expect(obstacles({ caBundles: [[root('b', { notAfterMs: nowMs + marginMs })]] })).toEqual([
      'WebhookMayNotTrustSigner',
    ]);
    expect(obstacles({ caBundles: [[b], [b, a]] })).toEqual([]);
  });
});

test('a pair of a signer that the runtime serves already needs nothing new of its API servers', () => {
  expect(obstacles({ caBundles: [null, [a]], heldSigners: ['b'] })).toEqual([]);
  // An unknown signer is not the same unknown signer.
  expect(obstacles({ pair: hubPair('c2', null), caBundles: [null], heldSigners: [null] })).toContain(
    'PairSignerNotInBundle',
  );
});

test('of two roots of its key one proven is enough, and one that is about to leave is one too many', () => {
  const b2 = renewal(b, 'b2');
  expect(obstacles({ gateway: gatewaySecret([b2, b, a], null), trusted: trusted(b) })).toEqual([]);
  expect(obstacles({ gateway: gatewaySecret([b2, b, a], null, { closing: ['b'] }) })).toEqual(['PairSignerClosing']);
});

test('every obstacle is told at once', () => {
  const pair = hubPair('c2', 'b', { keyMatches: false, notBeforeMs: nowMs });
  expect(obstacles({ pair, trusted: [], caBundles: [null] })).toEqual([
    'PairKeyDoesNotMatch',
    'PairNotYetValid',
    'PairSignerNotProven',
    'WebhookMayNotTrustSigner',
  ]);
});

test('a record keeps of a pair what can be told later: which one, whose, until when', () => {
  const { digest, signer, notAfterMs } = hubPair('c2', 'b');
  expect(asHeld(hubPair('c2', 'b'))).toEqual({ digest, signer, notAfterMs });
});
