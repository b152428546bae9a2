import { expect, test } from 'vitest';
import { decideRuntime } from '../../src/rotation/decide/runtime.ts';
import {
  client,
  gatewaySecret,
  heldValue,
  holding,
  root,
  runtimeObserved,
  serverLeaf,
  trusted,
} from '../decisions/build.ts';

// spire #5560: what was decided before the bundle changed again was carried out against the bundle at its start.

const [c, b, a] = [root('c'), root('b'), root('a')];

test('B23: a delivery registered before the bundle changed again is not made as it was registered', () => {
  const first = heldValue('confirmed', 's1', [a], client('c1', 'a'));
  const outdated = heldValue('intended', 's2', [b, a], client('c1', 'a'));
  const hub = { gateway: gatewaySecret([c, b, a], serverLeaf('la', 'a')), trusted: trusted(c, b, a) };
  const { action } = decideRuntime(runtimeObserved({ hub, held: holding(first, outdated) }));
  const values = action?.do === 'record' ? action.held.values : [];
  // The outdated one stays in the record all the same: it may have been sent.
  expect(values.map(({ bundle }) => bundle.join())).toEqual(['a', 'b,a', 'c,b,a']);
});
