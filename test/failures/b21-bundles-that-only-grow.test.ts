import { expect, test } from 'vitest';
import { fleetOf } from '../../src/rotation/decide/fleet.ts';
import { decideGateway } from '../../src/rotation/decide/gateway.ts';
import type { Root } from '../../src/rotation/decide/values.ts';
import { afterWrite, gatewayObserved, gatewaySecret, proven, root, serverLeaf } from '../decisions/build.ts';

// consul #15704 (B21), aws/containers-roadmap #2786 (B37): each renewal leaves one more certificate behind.

test('B21, B37: after fifty renewals the bundle holds one root of that key, the newest', () => {
  const first = root('r0', { keyId: 'k' });
  let secret = gatewaySecret([root('other'), first], serverLeaf('l', 'k'));
  let version = 100;
  let longest = 0;
  for (let renewal = 1; renewal <= 50; renewal += 1) {
    const current: Root = root(`r${renewal}`, { keyId: 'k', notAfterMs: first.notAfterMs + renewal });
    for (let passes = 0; passes < 10; passes += 1) {
      const seen = gatewayObserved({
        secret,
        root: { state: 'readable', root: current, defects: [] },
        journal: proven(secret),
        fleet: fleetOf(true, [{ name: 'unknown', held: null, unprovenForMs: 0 }]),
      });
      const { action } = decideGateway(seen);
      if (action?.do !== 'write') break;
      version += 1;
      secret = afterWrite(secret, action, `${version}`);
      longest = Math.max(longest, secret.bundle.length);
    }
  }
  expect(secret.bundle.map(({ digest }) => digest)).toEqual(['r50', 'other']);
  expect(longest).toBe(3);
});

test('B21: a root that is in the bundle is not added again, and the order never changes by itself', () => {
  const secret = gatewaySecret([root('z'), root('a')], serverLeaf('l', 'a'));
  const seen = gatewayObserved({ secret, root: { state: 'readable', root: root('a'), defects: [] } });
  const { action } = decideGateway(seen);
  expect(action?.do === 'write' ? action.bundle : secret.bundle).toEqual(secret.bundle);
});
