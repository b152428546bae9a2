import { expect, test } from 'vitest';
import { decideGateway } from '../../src/rotation/decide/gateway.ts';
import { decideRuntime } from '../../src/rotation/decide/runtime.ts';
import {
  client,
  gatewayObserved,
  gatewaySecret,
  heldValue,
  root,
  runtimeObserved,
  serverLeaf,
  standing,
} from '../decisions/build.ts';

// gatekeeper #2477, cert-controller #26: a Secret that was applied again without its data took the trust of a fleet with it.

const [b, a] = [root('b'), root('a')];

test('B59: an emptied gateway Secret is restored with all that was in it, not started anew with the current root alone', () => {
  const lastSeen = gatewaySecret([a, b], serverLeaf('la', 'a'));
  const { action } = decideGateway(
    gatewayObserved({ secret: 'unreadable', traces: { any: false, lastSeen, roots: [] } }),
  );
  expect(action).toEqual({ do: 'restore', root: a, bundle: [a, b] });
});

test('B59: an emptied Secret of a runtime is given its value again', () => {
  const value = heldValue('confirmed', 's1', [a], client('c1', 'a'));
  const emptied = standing(value, { bundle: [], client: null, resourceVersion: '66' });
  const { action } = decideRuntime(runtimeObserved({ cluster: { state: 'read', secret: emptied, webhook: null } }));
  const values = action?.do === 'record' ? action.held.values : [];
  expect(values.at(-1)).toMatchObject({ state: 'intended', bundle: ['a'], client: { digest: 'c1' } });
});
