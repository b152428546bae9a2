import { expect, test } from 'vitest';
import { decideRuntime } from '../../src/rotation/decide/runtime.ts';
import {
  certificate,
  client,
  heldValue,
  holding,
  hubPair,
  marginMs,
  nowMs,
  propagationDelayMs,
  root,
  runtimeObserved,
  standing,
} from '../decisions/build.ts';

// cert-manager #1214: a wait of -922 ms was queued again at once, for ever.

const a = root('a');
const values = ['s1', 's2'].map((serial) => heldValue('confirmed', serial, [a], client('c1', 'a')));
const [, second] = values;

test.each([-1, 0, 1, 922])('B50: %i ms after a wait has run out there is no wait of zero or less', (lateMs) => {
  const monotonicMs = 1_000_000;
  const cluster = { state: 'read', secret: second === undefined ? null : standing(second), webhook: null } as const;
  const seen = { s2: monotonicMs - propagationDelayMs - lateMs };
  const plan = decideRuntime(runtimeObserved({ monotonicMs, cluster, seen, held: holding(...values) }));
  expect(plan.wakeAfterMs ?? 1).toBeGreaterThanOrEqual(1);
  const pair = hubPair('c2', 'a', { notBeforeMs: nowMs - marginMs - lateMs });
  const young = decideRuntime(runtimeObserved({ hub: { certificate: certificate(pair) } }));
  expect(young.wakeAfterMs ?? 1).toBeGreaterThanOrEqual(1);
});
