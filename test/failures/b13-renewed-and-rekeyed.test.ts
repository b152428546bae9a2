import { describe, expect, test } from 'vitest';
import { fleetOf } from '../../src/rotation/decide/fleet.ts';
import { decideGateway } from '../../src/rotation/decide/gateway.ts';
import { decideRuntime } from '../../src/rotation/decide/runtime.ts';
import {
  addedWith,
  gatewayObserved,
  gatewaySecret,
  renewal,
  root,
  runtime,
  runtimeObserved,
  serverLeaf,
  trusted,
  writeOf,
} from '../decisions/build.ts';

// apache/pulsar-helm-chart #708: a default changed, so each renewal made a new key, and every leaf broke.

const a = root('a');

describe('B13: a root renewed with its key', () => {
  const a2 = renewal(a, 'a2');
  const seen = { root: { state: 'readable', root: a2, defects: [] } } as const;
  const entered = gatewaySecret([a2, a], serverLeaf('la', 'a'), { added: { a: addedWith('a'), a2: '10' } });

  test('enters before the earlier one, and the server certificate stays', () => {
    const plan = decideGateway(gatewayObserved({ ...seen, secret: gatewaySecret([a], serverLeaf('la', 'a')) }));
    expect(writeOf(plan)).toMatchObject({ bundle: [a2, a], server: null });
    const next = decideGateway(gatewayObserved({ ...seen, secret: entered, fleet: fleetOf(true, []) }));
    expect(next).toMatchObject({ serverNeed: null, switch: null });
  });

  test('keeps every client certificate good: none is asked for, and its signer stays trusted', () => {
    const hub = { gateway: entered, current: a2, trusted: trusted(a) };
    expect(decideRuntime(runtimeObserved({ hub })).issue).toEqual({ step: 'none' });
  });

  test('takes the earlier one away without asking anybody, since it vouches for the same', () => {
    const fleet = fleetOf(false, [runtime('one', [a], 'a')]);
    const leaves = writeOf(decideGateway(gatewayObserved({ ...seen, secret: entered, fleet })));
    expect(leaves).toMatchObject({ why: 'RootExpired', bundle: [a2] });
  });
});

describe('B13: a root of the same name with another key', () => {
  const b = root('b');
  const seen = { root: { state: 'readable', root: b, defects: [] } } as const;
  const entered = gatewaySecret([b, a], serverLeaf('la', 'a'), { added: { a: addedWith('a'), b: '10' } });

  test('is another root: a server certificate and a client certificate of it are needed', () => {
    const plan = decideGateway(gatewayObserved({ ...seen, secret: entered }));
    expect(plan.action).toMatchObject({ do: 'issueCandidate', why: 'ServerCertificateOfOlderRoot' });
    const hub = { gateway: entered, current: b, trusted: trusted(a) };
    expect(decideRuntime(runtimeObserved({ hub })).issue).toEqual({ step: 'renew', reason: 'SignedByOlderRoot' });
  });

  test('takes the earlier one away only when nobody uses that any more', () => {
    const secret = gatewaySecret([b, a], serverLeaf('lb', 'b'));
    const fleet = fleetOf(true, [runtime('one', [b, a], 'a')]);
    expect(decideGateway(gatewayObserved({ ...seen, secret, fleet }))).toMatchObject({ action: null });
  });
});
