import { expect, test } from 'vitest';
import { decideRuntime } from '../../src/rotation/decide/runtime.ts';
import { certificate, gatewaySecret, hubPair, root, runtimeObserved, serverLeaf, trusted } from '../decisions/build.ts';

// openvox-operator #353, kubernetes #127538: a certificate was copied beside the key of another one.

const [b, a] = [root('b'), root('a')];
const mixed = certificate(hubPair('c2', 'b', { keyMatches: false }));
const hub = {
  gateway: gatewaySecret([b, a], serverLeaf('la', 'a')),
  current: b,
  trusted: trusted(b, a),
  certificate: mixed,
};

test('B51: a pair that does not match is never sent; what the runtime has stays, and the bundle goes with that', () => {
  const { action, waits } = decideRuntime(runtimeObserved({ hub }));
  const delivered = action?.do === 'record' ? action.held.values.at(-1) : undefined;
  expect(delivered).toMatchObject({ bundle: ['b', 'a'], client: { digest: 'c1' } });
  expect(waits).toEqual(['PairKeyDoesNotMatch']);
});

test('B51: another one is asked for', () => {
  expect(decideRuntime(runtimeObserved({ hub })).issue).toEqual({ step: 'renew', reason: 'KeyDoesNotMatch' });
});
