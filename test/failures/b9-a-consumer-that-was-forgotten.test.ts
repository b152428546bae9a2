import { expect, test } from 'vitest';
import { fleetOf } from '../../src/rotation/decide/fleet.ts';
import { decideGateway } from '../../src/rotation/decide/gateway.ts';
import { gatewayObserved, gatewaySecret, root, runtime, serverLeaf } from '../decisions/build.ts';

// gardener #6042: one consumer was missing in the inventory and lost the server when the old authority went.

const b = root('b');
const seen = { root: { state: 'readable', root: b, defects: [] } } as const;
const forgotten = { name: 'forgotten', held: null, unprovenForMs: 0 };
const fleet = fleetOf(true, [runtime('known', [b, root('a')], 'b'), forgotten]);

test('B9: a runtime of which nothing is known blocks the switch by name', () => {
  const secret = gatewaySecret([b, root('a')], serverLeaf('la', 'a'));
  const plan = decideGateway(gatewayObserved({ ...seen, secret, candidate: serverLeaf('lb', 'b'), fleet }));
  expect(plan).toMatchObject({ action: null, switch: { may: false, waitsFor: ['forgotten'] } });
});

test('B9: it blocks the retirement of every root by name', () => {
  const secret = gatewaySecret([b, root('a')], serverLeaf('lb', 'b'));
  const plan = decideGateway(gatewayObserved({ ...seen, secret, fleet }));
  expect(plan).toMatchObject({ action: null, retire: { kept: { a: { use: 'RuntimeUnknown', by: 'forgotten' } } } });
});
