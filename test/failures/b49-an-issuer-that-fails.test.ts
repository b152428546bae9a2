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

// cert-manager #4642, #6714 (B46): an issuer that failed is asked again and again, and waits longer each time.

const [b, a] = [root('b'), root('a')];
const hub = { gateway: gatewaySecret([b, a], serverLeaf('la', 'a')), current: b, trusted: trusted(b, a) };
const failing = certificate(hubPair('c1', 'a'), { failures: 3, askedFor: 'b', backOffUntilMs: nowMs + 3_600_000 });

test('B49: its own wait is respected and named', () => {
  const { issue } = decideRuntime(runtimeObserved({ hub: { ...hub, certificate: failing } }));
  expect(issue).toEqual({ step: 'wait', reason: 'IssuerBackOff' });
});

test('B3: the working pair stays where it is meanwhile, and the bundle goes out with it', () => {
  const { action } = decideRuntime(runtimeObserved({ hub: { ...hub, certificate: failing } }));
  const delivered = action?.do === 'record' ? action.held.values.at(-1) : undefined;
  expect(delivered).toMatchObject({ bundle: ['b', 'a'], client: { digest: 'c1' } });
});
