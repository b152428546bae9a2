import { expect, test } from 'vitest';
import { decideGateway } from '../../src/rotation/decide/gateway.ts';
import { gatewayObserved, gatewaySecret, root, serverLeaf, writeOf } from '../decisions/build.ts';

// trust-manager #560, openshift enhancements #83 (B16): the bundle is what the source holds now, or now and just before.

test('B14, B16: each new root only adds to the bundle, however many come before the first has gone', () => {
  let secret = gatewaySecret([root('r0')], serverLeaf('l0', 'r0'));
  for (let generation = 1; generation <= 5; generation += 1) {
    const current = root(`r${generation}`);
    const seen = gatewayObserved({ secret, root: { state: 'readable', root: current, defects: [] } });
    const { bundle } = writeOf(decideGateway(seen));
    secret = gatewaySecret(bundle, secret.server, { resourceVersion: `${generation}` });
  }
  expect(secret.bundle.map(({ digest }) => digest)).toEqual(['r5', 'r4', 'r3', 'r2', 'r1', 'r0']);
});
