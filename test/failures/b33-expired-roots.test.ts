import { expect, test } from 'vitest';
import { fleetOf } from '../../src/rotation/decide/fleet.ts';
import { decideGateway } from '../../src/rotation/decide/gateway.ts';
import { gatewayObserved, gatewaySecret, nowMs, root, serverLeaf, writeOf } from '../decisions/build.ts';

// trust-manager #276, #272: a bundle fails as a whole for one expired root, or is emptied of all.

const old = root('old', { notAfterMs: nowMs });

test('B33: an expired root leaves and the others stay', () => {
  const secret = gatewaySecret([root('a'), old, root('b')], serverLeaf('la', 'a'));
  const fleet = fleetOf(true, [{ name: 'unknown', held: null, unprovenForMs: 0 }]);
  expect(writeOf(decideGateway(gatewayObserved({ secret, fleet }))).bundle).toEqual([root('a'), root('b')]);
});

test('B33: the last root stays, expired or not: a bundle is never emptied', () => {
  const secret = gatewaySecret([old], serverLeaf('lo', 'old'));
  const plan = decideGateway(gatewayObserved({ secret, root: { state: 'readable', root: old, defects: [] } }));
  expect(plan).toMatchObject({ action: null, admission: { reasons: ['RootExpired'] } });
});
