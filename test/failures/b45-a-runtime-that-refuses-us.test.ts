import { expect, test } from 'vitest';
import { fleetOf } from '../../src/rotation/decide/fleet.ts';
import { decideGateway } from '../../src/rotation/decide/gateway.ts';
import { decideRuntime } from '../../src/rotation/decide/runtime.ts';
import {
  gatewayObserved,
  gatewaySecret,
  root,
  runtime,
  runtimeObserved,
  serverLeaf,
  unprovableAfterMs,
} from '../decisions/build.ts';

// lifecycle-manager #2770, #2466 (B61): a runtime that lost its rights, sleeps or is gone.

const b = root('b');
const secret = gatewaySecret([b, root('a')], serverLeaf('la', 'a'));
const seen = { secret, root: { state: 'readable', root: b, defects: [] }, candidate: serverLeaf('lb', 'b') } as const;
const asleep = { ...runtime('asleep', [root('a')], 'a'), unprovenForMs: unprovableAfterMs - 1 };
const awake = runtime('awake', [b, root('a')], 'a');

test('B45: a runtime that cannot be reached is told so and counts as unproven, not as gone', () => {
  const plan = decideRuntime(runtimeObserved({ cluster: { state: 'unreachable' } }));
  expect(plan).toMatchObject({ action: null, waits: ['RuntimeUnreachable'] });
  const waiting = decideGateway(gatewayObserved({ ...seen, fleet: fleetOf(true, [awake, asleep]) }));
  expect(waiting.switch?.waitsFor).toEqual(['asleep']);
});

test('B61: one that is deleted holds nothing up', () => {
  const gone = decideGateway(gatewayObserved({ ...seen, fleet: fleetOf(true, [awake]) }));
  expect(gone.action).toMatchObject({ why: 'ServerSwitched' });
});
