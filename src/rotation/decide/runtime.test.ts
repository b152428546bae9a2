import { describe, expect, test } from 'vitest';
import {
  addedWith,
  certificate,
  client,
  fenceMs,
  gatewaySecret,
  heldValue,
  holding,
  hubPair,
  marginMs,
  nowMs,
  propagationDelayMs,
  renewal,
  root,
  runtimeObserved,
  serverLeaf,
  standing,
  trusted,
  webhook,
} from '../../../test/decisions/build.ts';
import { confirm } from './holdings.ts';
import { type ClusterView, decideRuntime, type RuntimePlan } from './runtime.ts';
import { type HeldValue, type Holdings, LOST, type Root } from './values.ts';

const a = root('a');
const b = root('b');
const now = 1_000_000;
const plan = (wishes: Parameters<typeof runtimeObserved>[0]): RuntimePlan => decideRuntime(runtimeObserved(wishes));

const first = heldValue('confirmed', 's1', [a], client('c1', 'a'));
const read = (value: HeldValue | null, hook: Parameters<typeof webhook> | null = null): ClusterView => ({
  state: 'read',
  secret: value === null ? null : standing(value),
  webhook: hook === null ? null : webhook(...hook),
});
/** The gateway after root `b` entered; by default `b` is proven and the runtime's new pair waits in the hub. */
const rotated = (bundle: readonly Root[] = [b, a], proofs = trusted(b, a), pair = hubPair('c2', 'b')) => ({
  gateway: gatewaySecret(bundle, serverLeaf('la', 'a')),
  trusted: proofs,
  current: b,
  certificate: certificate(pair),
});
const recorded = (wishes: Parameters<typeof runtimeObserved>[0]): Holdings => {
  const { action } = plan(wishes);
  if (action?.do !== 'record') throw new Error(`Expected a record, got ${JSON.stringify(action)}`);
  return action.held;
};

test('a runtime that has what it should have is left alone', () => {
  expect(plan({})).toEqual({ issue: { step: 'none' }, comesFirst: false, action: null, waits: [], wakeAfterMs: null });
});

describe('a delivery', () => {
  test('is registered first, even where the cluster cannot be reached', () => {
    expect(plan({ held: null }).action).toEqual({ do: 'register' });
    expect(plan({ held: null, cluster: { state: 'unreachable' } }).action).toEqual({ do: 'register' });
  });

  test('then has its value recorded as intended, under a serial never used before', () => {
    const held = recorded({ hub: rotated() });
    expect(held.values).toEqual([
      first,
      { serial: 's9', bundle: ['b', 'a'], client: client('c2', 'b'), state: 'intended', resourceVersion: '' },
    ]);
  });

  test('then is written, on the version that was read, when everything was read again and is still so', () => {
    const held = recorded({ hub: rotated() });
    const { action } = plan({ hub: rotated(), held, nextSerial: 's10' });
    expect(action).toEqual({ do: 'writeSecret', serial: 's9', baseVersion: 'at-s1', bundle: ['b', 'a'], pair: 'hub' });
  });

  test("is registered anew when the gateway's bundle has changed between registering and writing", () => {
    const held = recorded({ hub: rotated() });
    const later = rotated([root('c'), b, a], trusted(root('c'), b, a));
    const again = recorded({ hub: { ...later, current: b }, held, nextSerial: 's10' });
    expect(again.values.map(({ serial, state }) => `${serial}:${state}`)).toEqual([
      's1:confirmed',
      's9:intended',
      's10:intended',
    ]);
    expect(again.values.at(-1)?.bundle).toEqual(['c', 'b', 'a']);
  });

  test('is registered anew when the pair may not go any more, with the pair that the runtime has', () => {
    const held = recorded({ hub: rotated() });
    const marked = { ...rotated(), gateway: gatewaySecret([b, a], serverLeaf('la', 'a'), { closing: ['b'] }) };
    const again = recorded({ hub: marked, held, nextSerial: 's10' });
    expect(again.values.at(-1)).toMatchObject({ serial: 's10', bundle: ['b', 'a'], client: { digest: 'c1' } });
  });

  test('creates the Secret where there is none, and fails if there is one after all', () => {
    const nothing = holding();
    const hub = { certificate: certificate(hubPair('c1', 'a')) };
    const held = recorded({ held: nothing, cluster: read(null), hub });
    const { action } = plan({ held, cluster: read(null), hub });
    expect(action).toEqual({ do: 'writeSecret', serial: 's9', baseVersion: '', bundle: ['a'], pair: 'hub' });
  });

  test('is not made again once it is confirmed', () => {
    const held = confirm(recorded({ hub: rotated() }), 's9', 'at-s9');
    const done = held.values.at(-1) as HeldValue;
    const rest = plan({ hub: rotated(), held, cluster: read(done) });
    expect(rest).toMatchObject({ action: null, waits: [] });
  });

  test('whose answer was lost is made again with the same value, which either finds it there or defeats it', () => {
    const held = recorded({ hub: rotated() });
    expect(plan({ hub: rotated(), held, nextSerial: 's10' }).action).toMatchObject({ do: 'writeSecret', serial: 's9' });
    const landed = { ...(held.values.at(-1) as HeldValue), resourceVersion: '77' };
    const found = recorded({
      hub: rotated(),
      held,
      cluster: { state: 'read', secret: standing(landed, { resourceVersion: '77' }), webhook: null },
    });
    expect(found.values.at(-1)).toMatchObject({ serial: 's9', state: 'confirmed', resourceVersion: '77' });
  });

  test('that is given up for the old value writes that again, to defeat what may still be under way', () => {
    const unknown = heldValue('intended', 's2', [b, a], client('c1', 'a'));
    const held = recorded({ held: holding(first, unknown) });
    expect(held.values.map(({ serial }) => serial)).toEqual(['s1', 's2', 's9']);
    expect(plan({ held }).action).toMatchObject({
      do: 'writeSecret',
      serial: 's9',
      baseVersion: 'at-s1',
      bundle: ['a'],
    });
  });

  test('goes also to a runtime that stands as it should, if somebody else left it so: only our own write can be proven', () => {
    const adopted: Holdings = { beyond: 'lost', values: [] };
    const held = recorded({ held: adopted });
    expect(held.beyond).toBe('lost');
    expect(held.values.map(({ state }) => state)).toEqual(['adopted', 'intended']);
    expect(recorded({ held: LOST }).values.at(-1)).toMatchObject({ serial: 's9', state: 'intended', bundle: ['a'] });
  });

  test('repairs what somebody else wrote', () => {
    const foreign = standing(first, { bundle: ['x'], resourceVersion: '66' });
    const held = recorded({ cluster: { state: 'read', secret: foreign, webhook: null } });
    expect(held.values.map(({ serial }) => serial)).toEqual(['s1', 'found-66', 's9']);
  });

  test('is nothing that a change of labels asks for', () => {
    const held = recorded({
      cluster: { state: 'read', secret: standing(first, { resourceVersion: '66' }), webhook: null },
    });
    expect(held.values).toEqual([{ ...first, resourceVersion: '66' }]);
  });

  test('is not made before there is a gateway Secret, nor to a cluster that does not answer', () => {
    expect(plan({ hub: { ...rotated(), gateway: null } })).toMatchObject({
      action: null,
      waits: ['GatewaySecretMissing'],
    });
    expect(plan({ hub: rotated(), cluster: { state: 'unreachable' } })).toMatchObject({
      action: null,
      waits: ['RuntimeUnreachable'],
    });
  });
});

describe('a bundle is not held up by a pair', () => {
  const early = rotated([b, a], trusted(a));

  test('that may not go yet: it goes with the pair that the runtime has', () => {
    const held = recorded({ hub: early });
    expect(held.values.at(-1)).toMatchObject({ bundle: ['b', 'a'], client: { digest: 'c1' } });
    const { action, waits } = plan({ hub: early, held });
    expect(action).toMatchObject({ do: 'writeSecret', bundle: ['b', 'a'], pair: 'standing' });
    expect(waits).toEqual(['PairSignerNotProven']);
  });

  test('that is not issued yet', () => {
    const hub = { ...rotated(), certificate: certificate(null, { issuing: true }) };
    expect(recorded({ hub }).values.at(-1)).toMatchObject({ bundle: ['b', 'a'], client: { digest: 'c1' } });
  });

  test('and then says what the pair waits for', () => {
    const withBundle = heldValue('confirmed', 's2', [b, a], client('c1', 'a'));
    const rest = plan({ hub: early, held: holding(withBundle), cluster: read(withBundle) });
    expect(rest).toMatchObject({ action: null, waits: ['PairSignerNotProven'] });
  });

  test('also where the pair that stands there cannot be used and the issuer is stuck, so that the switch never waits (L2)', () => {
    const spoilt = heldValue('confirmed', 's1', [a], null);
    const hub = { ...rotated(), certificate: certificate(null) };
    const held = recorded({ hub, held: holding(spoilt), cluster: read(spoilt) });
    expect(held.values.at(-1)).toMatchObject({ bundle: ['b', 'a'], client: null, state: 'intended' });
    const written = plan({ hub, held, cluster: read(spoilt), nextSerial: 's10' });
    expect(written).toMatchObject({ action: { do: 'writeSecret', pair: 'standing' }, waits: ['PairMissing'] });
    const withBundle = heldValue('confirmed', 's9', [b, a], null);
    expect(plan({ hub, held: holding(withBundle), cluster: read(withBundle) }).action).toBeNull();
  });

  test('but a runtime without any pair waits for its first', () => {
    const hub = { ...rotated(), certificate: certificate(null) };
    expect(plan({ hub, held: holding(), cluster: read(null) })).toMatchObject({ action: null, waits: ['PairMissing'] });
    const unproven = plan({ hub: early, held: holding(), cluster: read(null) });
    expect(unproven).toMatchObject({ action: null, waits: ['PairSignerNotProven'] });
  });
});

describe('where a webhook is', () => {
  const intent = heldValue('intended', 's9', [b, a], client('c1', 'a'));
  const hub = { ...rotated([b, a], trusted(a)), certificate: certificate(hubPair('c1', 'a')) };

  test('the caBundle is written before the Secret, under the serial of the delivery', () => {
    const { action } = plan({ hub, held: holding(first, intent), cluster: read(first, ['s1', [a]]) });
    expect(action).toEqual({ do: 'writeCaBundle', serial: 's9', baseVersion: '70', caBundle: [b, a] });
  });

  test('it is written even when its roots are the same, so that an older write under way fails', () => {
    const { action } = plan({ hub, held: holding(first, intent), cluster: read(first, ['s1', [b, a]]) });
    expect(action).toMatchObject({ do: 'writeCaBundle', serial: 's9' });
  });

  test('then the Secret', () => {
    const { action } = plan({ hub, held: holding(first, intent), cluster: read(first, ['s9', [b, a]]) });
    expect(action).toMatchObject({ do: 'writeSecret', serial: 's9', bundle: ['b', 'a'], pair: 'standing' });
  });

  test('the caBundle keeps roots that a pair in use still needs, and drops the others', () => {
    const gateway = gatewaySecret([b], serverLeaf('lb', 'b'));
    const gone = { ...hub, gateway, trusted: trusted(b) };
    const write = (held: Holdings): unknown =>
      plan({ hub: gone, held, cluster: read(first, ['s1', [b, a, root('x')]]) }).action;
    const open = heldValue('intended', 's9', [b], client('c1', 'a'));
    expect(write(holding(first, open))).toMatchObject({ do: 'writeCaBundle', caBundle: [b, a] });
    // Of a lost record nobody knows which pairs are in use.
    expect(write({ beyond: 'lost', values: [first, open] })).toMatchObject({ caBundle: [b, a, root('x')] });
  });

  test('the caBundle drops a certificate that a renewed one of its key outlives, and one that has expired (B13, B33)', () => {
    const a2 = renewal(a, 'a2');
    const gateway = gatewaySecret([a2], serverLeaf('la', 'a'));
    const gone = { ...hub, gateway, current: a2, trusted: trusted(a2) };
    const open = heldValue('intended', 's9', [a2], client('c1', 'a'));
    const ended = { ...root('x'), notAfterMs: 0 };
    const cluster = read(first, ['s1', [a2, a, ended]]);
    expect(plan({ hub: gone, held: holding(first, open), cluster }).action).toMatchObject({ caBundle: [a2] });
    expect(plan({ hub: gone, held: { beyond: 'lost', values: [first, open] }, cluster }).action).toMatchObject({
      caBundle: [a2],
    });
  });

  test('a pair of a new signer waits until the API servers use the caBundle that has it; the bundle does not', () => {
    const fresh = rotated();
    const held = recorded({ hub: fresh, cluster: read(first, ['s1', [a]]) });
    expect(held.values.at(-1)).toMatchObject({ bundle: ['b', 'a'], client: { digest: 'c1' } });
    const delivered = heldValue('confirmed', 's9', [b, a], client('c1', 'a'));
    const waiting = webhook('s9', [b, a], { possible: [[a], [b, a]] });
    const cluster = { state: 'read', secret: standing(delivered), webhook: waiting } as const;
    const rest = plan({ hub: fresh, held: holding(delivered), cluster });
    expect(rest).toMatchObject({ action: null, waits: ['WebhookMayNotTrustSigner'] });
    const settled = recorded({
      hub: fresh,
      held: holding(delivered),
      cluster: read(delivered, ['s9', [b, a]]),
      nextSerial: 's10',
    });
    expect(settled.values.at(-1)).toMatchObject({ client: { digest: 'c2' } });
  });

  test('one whose caBundle was emptied under our serial is given it again', () => {
    const held = recorded({ cluster: read(first, ['s1', []]) });
    expect(held.values.at(-1)).toMatchObject({ serial: 's9', state: 'intended', bundle: ['a'] });
  });

  test('a configuration that came later or was overwritten is given its caBundle, with a delivery of its own', () => {
    const held = recorded({ cluster: read(first, ['', []]) });
    expect(held.values.at(-1)).toMatchObject({
      serial: 's9',
      state: 'intended',
      bundle: ['a'],
      client: { digest: 'c1' },
    });
    expect(plan({ held, cluster: read(first, ['', []]) }).action).toMatchObject({ do: 'writeCaBundle', caBundle: [a] });
  });
});

describe('what is known of a runtime', () => {
  const second = heldValue('confirmed', 's2', [a], client('c1', 'a'));

  test('is brought up to date in its record when values have aged out', () => {
    const seen = { s2: now - propagationDelayMs };
    expect(recorded({ held: holding(first, second), cluster: read(second), seen })).toEqual(holding(second));
    const early = plan({
      held: holding(first, second),
      cluster: read(second),
      seen: { s2: now - propagationDelayMs + 1 },
    });
    expect(early).toMatchObject({ action: null, wakeAfterMs: 1 });
  });

  test('loses a delivery that was given up once the fence has passed, so that it does not hold the switch', () => {
    const unknown = heldValue('intended', 's2', [b, a], client('c1', 'a'));
    const held = { held: holding(first, unknown), registered: { s2: now - fenceMs } };
    expect(recorded(held)).toEqual(holding(first));
  });

  test('is not touched while its cluster does not answer', () => {
    const seen = { s2: 0 };
    const rest = plan({ held: holding(first, second), cluster: { state: 'unreachable' }, seen });
    expect(rest.action).toBeNull();
  });
});

describe('the next look', () => {
  const second = heldValue('confirmed', 's2', [a], client('c1', 'a'));
  const wake = (wishes: Parameters<typeof runtimeObserved>[0]): number | null => plan(wishes).wakeAfterMs;

  test('is when the first value ages out', () => {
    const seen = { s2: now - 1000 };
    expect(wake({ held: holding(first, second), cluster: read(second), seen })).toBe(propagationDelayMs - 1000);
  });

  test('is when an open delivery can be given up, if nothing is to be written meanwhile', () => {
    const open = heldValue('intended', 's2', [a], client('c1', 'a'));
    const hub = { gateway: null };
    expect(wake({ hub, held: holding(first, open), registered: { s2: now - 1000 } })).toBe(fenceMs - 1000);
  });

  test('is when the pair is old enough', () => {
    const pair = hubPair('c2', 'a', { notBeforeMs: nowMs - 1000 });
    expect(wake({ hub: { certificate: certificate(pair) } })).toBe(marginMs - 1000);
  });

  test('is at an event where time changes nothing', () => {
    expect(wake({})).toBeNull();
    expect(wake({ cluster: { state: 'unreachable' } })).toBeNull();
    expect(wake({ seen: { s1: now } })).toBeNull();
  });
});

test('the certificate is looked after beside the delivery, and neither waits for the other', () => {
  const hub = { ...rotated([b, a], trusted(a), hubPair('c1', 'a')) };
  expect(plan({ hub, cluster: { state: 'unreachable' } }).issue).toEqual({
    step: 'renew',
    reason: 'SignedByOlderRoot',
  });
  expect(plan({ hub, held: null }).issue).toEqual({ step: 'renew', reason: 'SignedByOlderRoot' });
  const paused = plan({ hub, policy: { paused: true } });
  expect(paused.issue).toEqual({ step: 'wait', reason: 'Paused' });
  expect(paused.action).toMatchObject({ do: 'record' });
});

test('a proof of an earlier stay of a root lets no pair of it out', () => {
  const added = { a: addedWith('a'), b: 'second time' };
  const hub = { ...rotated(), gateway: gatewaySecret([b, a], serverLeaf('la', 'a'), { added }) };
  expect(recorded({ hub }).values.at(-1)).toMatchObject({ client: { digest: 'c1' } });
});
