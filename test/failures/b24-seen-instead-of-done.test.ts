import { expect, test } from 'vitest';
import { decideGateway } from '../../src/rotation/decide/gateway.ts';
import { decideRuntime } from '../../src/rotation/decide/runtime.ts';
import {
  certificate,
  gatewayObserved,
  gatewaySecret,
  hubPair,
  root,
  runtimeObserved,
  serverLeaf,
  trusted,
} from '../decisions/build.ts';

// apache/ozone #5060: a rotation was never tried again after its first attempt failed, since it had been seen.

const b = root('b');

test('B24: what did not come about is planned again, as often as it is looked at', () => {
  const seen = gatewayObserved({ root: { state: 'readable', root: b, defects: [] } });
  const attempts = [1, 2, 3].map(() => decideGateway(seen).action);
  expect(new Set(attempts.map((action) => JSON.stringify(action))).size).toBe(1);
  expect(attempts[2]).toMatchObject({ do: 'write', why: 'RootAdded' });
});

test('B24: a certificate that was not issued is asked for again', () => {
  const gateway = gatewaySecret([b, root('a')], serverLeaf('la', 'a'));
  const failedOnce = certificate(hubPair('c1', 'a'), { failures: 1 });
  const seen = runtimeObserved({ hub: { gateway, current: b, trusted: trusted(root('a')), certificate: failedOnce } });
  expect(decideRuntime(seen).issue).toEqual({ step: 'renew', reason: 'SignedByOlderRoot' });
});
