import { expect, test } from 'vitest';
import { decideRuntime } from '../../src/rotation/decide/runtime.ts';
import {
  certificate,
  gatewaySecret,
  hubPair,
  nowMs,
  root,
  runtimeObserved,
  serverLeaf,
  trusted,
} from '../decisions/build.ts';

// cert-manager #2478, #5851: after a change of the authority its leaves stay on the old one until they end on their own.

const a = root('a');
const b = root('b');
const year = 365 * 24 * 3_600_000;

test('B12: a change of the root asks for another certificate at once, however long the one there is good for', () => {
  const longLived = certificate(hubPair('c1', 'a', { notAfterMs: nowMs + year }));
  const gateway = gatewaySecret([b, a], serverLeaf('la', 'a'));
  const seen = runtimeObserved({ hub: { gateway, current: b, trusted: trusted(a), certificate: longLived } });
  expect(decideRuntime(seen).issue).toEqual({ step: 'renew', reason: 'SignedByOlderRoot' });
});

test('B12: what a runtime trusts comes from the gateway, not from what its issuer put beside the leaf', () => {
  const gateway = gatewaySecret([b, a], serverLeaf('la', 'a'));
  const { action } = decideRuntime(runtimeObserved({ hub: { gateway, current: b, trusted: trusted(a) } }));
  expect(action).toMatchObject({ do: 'record' });
  expect(action?.do === 'record' ? action.held.values.at(-1)?.bundle : []).toEqual(['b', 'a']);
});
