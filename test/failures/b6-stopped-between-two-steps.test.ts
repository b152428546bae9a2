import { expect, test } from 'vitest';
import { fleetOf } from '../../src/rotation/decide/fleet.ts';
import { decideGateway } from '../../src/rotation/decide/gateway.ts';
import { noteRound, startJournal } from '../../src/rotation/decide/gateway-journal.ts';
import {
  answer,
  delays,
  gatewayObserved,
  gatewaySecret,
  nowMs,
  propagationDelayMs,
  root,
  round,
  runtime,
  serverLeaf,
  writeOf,
} from '../decisions/build.ts';

// strimzi-kafka-operator #8401: the operator stopped between "trust rolled out" and "certificates issued", and went on wrongly.

const b = root('b');
const secret = gatewaySecret([b, root('a')], serverLeaf('la', 'a'));
const seen = { secret, root: { state: 'readable', root: b, defects: [] }, candidate: serverLeaf('lb', 'b') } as const;
const fleet = fleetOf(true, [runtime('one', [b, root('a')], 'a')]);

test('B6: a process that begins in the middle goes on from what stands there, not from a mark', () => {
  const fresh = startJournal(secret, 0, null);
  expect(writeOf(decideGateway(gatewayObserved({ ...seen, fleet, journal: fresh }))).why).toBe('ServerSwitched');
});

test('B6: whatever was proven before, nothing is trusted or retired until it is proven anew', () => {
  const fresh = startJournal(secret, 0, null);
  const before = decideGateway(gatewayObserved({ ...seen, fleet, journal: fresh }));
  expect(before).toMatchObject({ trusted: [], retire: { unused: [] } });
  const asked = answer({ accepted: ['a', 'b'], serverDigests: ['la'] });
  const after = noteRound(fresh, round(propagationDelayMs, asked), delays, nowMs);
  const known = decideGateway(gatewayObserved({ ...seen, fleet, journal: after }));
  expect(known.trusted.map(({ digest }) => digest)).toEqual(['b', 'a']);
});
