import { expect, test } from 'vitest';
import { fleetOf } from '../../src/rotation/decide/fleet.ts';
import { decideGateway } from '../../src/rotation/decide/gateway.ts';
import { trim } from '../../src/rotation/decide/holdings.ts';
import {
  afterWrite,
  client,
  gatewayObserved,
  gatewaySecret,
  heldValue,
  holding,
  propagationDelayMs,
  root,
  runtime,
  serverLeaf,
  writeOf,
} from '../decisions/build.ts';

// kyma-project/lifecycle-manager #2998: a second rotation that starts before the first switch breaks the fleet.

const a = root('a');
const b = root('b');
const c = root('c');
const secret = gatewaySecret([c, b, a], serverLeaf('la', 'a'));
const seen = { secret, root: { state: 'readable', root: c, defects: [] }, candidate: serverLeaf('lb', 'b') } as const;

test('B2: the server stays on a certificate that every proven bundle holds, however many generations a runtime is behind', () => {
  const first = runtime('first-bundle', [a], 'a');
  const second = runtime('second-bundle', [b, a], 'a');
  const third = runtime('third-bundle', [c, b, a], 'a');
  const waiting = decideGateway(gatewayObserved({ ...seen, fleet: fleetOf(true, [first, second, third]) }));
  expect(waiting).toMatchObject({ action: null, switch: { waitsFor: ['first-bundle'] } });
});

test('B2: it moves one generation as soon as all have that one, and to the newest when all have the newest', () => {
  const fleet = fleetOf(true, [runtime('second', [b, a], 'a'), runtime('third', [c, b, a], 'a')]);
  const switched = writeOf(decideGateway(gatewayObserved({ ...seen, fleet })));
  expect(switched).toMatchObject({ why: 'ServerSwitched', server: { digest: 'lb' } });
  const next = afterWrite(secret, switched, '11');
  const issue = decideGateway(gatewayObserved({ ...seen, secret: next, fleet }));
  expect(issue.action).toMatchObject({ do: 'issueCandidate', root: c });
  const onC = decideGateway(gatewayObserved({ ...seen, secret: next, candidate: serverLeaf('lc', 'c'), fleet }));
  expect(onC.switch?.waitsFor).toEqual(['second']);
});

test('B2: a second delivery does not start the wait for the first again', () => {
  const values = [[a], [b, a], [c, b, a]].map((bundle, index) =>
    heldValue('confirmed', `s${index}`, bundle, client('c1', 'a')),
  );
  const clocks = { s0: 0, s1: 1000, s2: propagationDelayMs };
  const held = trim(holding(...values), clocks, 1000 + propagationDelayMs, propagationDelayMs);
  expect(held.values.map(({ serial }) => serial)).toEqual(['s1', 's2']);
});
