import { expect, test } from 'vitest';
import { decideRuntime } from '../../src/rotation/decide/runtime.ts';
import { certificate, gatewaySecret, hubPair, root, runtimeObserved, serverLeaf, trusted } from '../decisions/build.ts';

// consul #9443: a site that was away while the root changed kept the old one, since the change itself was never repeated.

const roots = ['d', 'c', 'b', 'a'].map((digest) => root(digest));
const [d] = roots;

test('B18: a runtime that missed three rotations gets everything with one delivery when it is back', () => {
  const hub = {
    gateway: gatewaySecret(roots, serverLeaf('la', 'a')),
    current: d ?? null,
    trusted: trusted(...roots),
    certificate: certificate(hubPair('c4', 'd')),
  };
  const away = decideRuntime(runtimeObserved({ hub, cluster: { state: 'unreachable' } }));
  expect(away).toMatchObject({ action: null, waits: ['RuntimeUnreachable'] });
  const { action } = decideRuntime(runtimeObserved({ hub }));
  const delivered = action?.do === 'record' ? action.held.values.at(-1) : undefined;
  expect(delivered).toMatchObject({ bundle: ['d', 'c', 'b', 'a'], client: { digest: 'c4' } });
});
