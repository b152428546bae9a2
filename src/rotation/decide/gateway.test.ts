import { describe, expect, test } from 'vitest';
import {
  addedWith,
  afterWrite,
  answer,
  client,
  delays,
  gatewayObserved,
  gatewaySecret,
  heldValue,
  holding,
  nowMs,
  proven,
  renewal,
  root,
  round,
  runtime,
  serverLeaf,
  trusted,
  unprovableAfterMs,
  writeOf,
} from '../../../test/decisions/build.ts';
import type { RootObservation } from './admit.ts';
import { type Fleet, fleetOf, type RuntimeStanding } from './fleet.ts';
import { decideGateway, type GatewayObserved, type GatewayPlan } from './gateway.ts';
import { noteRound, noteSecret, startJournal } from './gateway-journal.ts';
import type { Root } from './values.ts';

const a = root('a');
const b = root('b');
const c = root('c');
const current = (of: Root): RootObservation => ({ state: 'readable', root: of, defects: [] });
const noRoot: RootObservation = { state: 'unreadable', reason: 'RootSecretMissing' };
const cached = (...runtimes: readonly RuntimeStanding[]): Fleet => fleetOf(false, runtimes);
const live = (...runtimes: readonly RuntimeStanding[]): Fleet => fleetOf(true, runtimes);
const plan = (wishes: Parameters<typeof gatewayObserved>[0]): GatewayPlan => decideGateway(gatewayObserved(wishes));

test('a gateway on its current root has nothing to do', () => {
  const idle = plan({ fleet: cached(runtime('one', [a], 'a')) });
  expect(idle).toMatchObject({ action: null, probe: false, candidate: null, serverNeed: null, switch: null });
  expect(idle.trusted).toEqual(trusted(a));
});

test('a journal of another version of the Secret proves nothing of this one', () => {
  const journal = proven(gatewaySecret([a], serverLeaf('l1', 'a'), { resourceVersion: '1' }));
  const secret = gatewaySecret([a], serverLeaf('l1', 'a'), { resourceVersion: '2' });
  expect(plan({ secret, journal })).toMatchObject({ action: null, trusted: [] });
});

test('no pair of a revoked root goes out any more, also while its root still stands there', () => {
  const secret = gatewaySecret([b, a], serverLeaf('la', 'a'));
  const { trusted: told } = plan({ secret, root: current(b), policy: { revoked: ['a'] } });
  expect(told).toEqual(trusted(b));
});

describe('without a gateway Secret', () => {
  test('the first start makes one of the current root', () => {
    expect(plan({ secret: null }).action).toEqual({ do: 'create', root: a });
  });

  test('nothing is made while no root is admitted', () => {
    expect(plan({ secret: null, root: noRoot }).action).toBeNull();
    expect(plan({ secret: null, policy: { revoked: ['a'] } }).action).toBeNull();
    expect(plan({ secret: 'unreadable', root: noRoot }).action).toBeNull();
  });

  test('any trace of a fleet makes it a loss: current root, then what was seen last, then what the fleet shows', () => {
    const lastSeen = gatewaySecret([b, a], serverLeaf('la', 'a'));
    const traces = { any: true, lastSeen, roots: [root('d'), b] };
    const { action } = plan({ secret: null, root: current(c), traces });
    expect(action).toEqual({ do: 'restore', root: c, bundle: [c, b, a, root('d')] });
  });

  test('what is restored holds no revoked root and no expired one, and the current root even where nothing else is known', () => {
    const gone = root('gone', { notAfterMs: nowMs });
    const traces = { any: true, lastSeen: null, roots: [b, gone] };
    const { action } = plan({ secret: null, traces, policy: { revoked: ['b'] } });
    expect(action).toEqual({ do: 'restore', root: a, bundle: [a] });
  });

  test('one that is there and cannot be read is drift, not a first start', () => {
    expect(plan({ secret: 'unreadable' }).action).toEqual({ do: 'restore', root: a, bundle: [a] });
  });
});

describe('first of all the bundle', () => {
  const secret = gatewaySecret([a], serverLeaf('la', 'a'));

  test('a new root enters at once, in front, recorded with the write that puts it in', () => {
    const write = writeOf(plan({ secret, root: current(b), candidate: serverLeaf('la2', 'a') }));
    expect(write).toEqual({
      do: 'write',
      why: 'RootAdded',
      baseVersion: '10',
      bundle: [b, a],
      added: { a: addedWith('a'), b: '10' },
      closing: [],
      server: null,
    });
  });

  test('a root enters also while nothing is known of the endpoints, and while the trust domain is paused', () => {
    expect(writeOf(plan({ secret, root: current(b), journal: null })).why).toBe('RootAdded');
    expect(writeOf(plan({ secret, root: current(b), policy: { paused: true } })).why).toBe('RootAdded');
  });

  test('a root that is refused changes nothing: the last good state goes on serving', () => {
    const refused = plan({ secret, root: { ...current(b), defects: ['RootIsNoCa'] } as RootObservation });
    expect(refused).toMatchObject({ action: null, admission: { admitted: false, reasons: ['RootIsNoCa'] } });
    expect(refused.trusted).toEqual(trusted(a));
    expect(plan({ secret, root: noRoot }).action).toBeNull();
  });

  test("a root that returns loses its mark before anything else, another root's mark stays", () => {
    const marked = gatewaySecret([c, b, a], serverLeaf('lc', 'c'), { closing: ['a', 'b'] });
    const write = writeOf(plan({ secret: marked, root: current(b), fleet: live() }));
    expect(write).toMatchObject({ why: 'RootReturns', bundle: [c, b, a], closing: ['a'], server: null });
  });

  test('a mark is taken away before the root is added again, so that no old write puts the two together', () => {
    const strayMark = gatewaySecret([a], serverLeaf('la', 'a'), { closing: ['b'] });
    const unmarked = writeOf(plan({ secret: strayMark, root: current(b) }));
    expect(unmarked).toMatchObject({ why: 'RootReturns', bundle: [a], closing: [] });
    const next = afterWrite(strayMark, unmarked, '11');
    expect(writeOf(plan({ secret: next, root: current(b) }))).toMatchObject({ why: 'RootAdded', bundle: [b, a] });
  });

  test.each([
    ['a root without a record of its addition', { added: { a: addedWith('a') } }, { a: addedWith('a'), b: '10' }],
    ['a record of a root that is not there', { added: { a: '1', b: '2', x: '3' } }, { a: '1', b: '2' }],
    ['a mark of a root that is not there', { added: { a: '1', b: '2' }, closing: ['x'] }, { a: '1', b: '2' }],
  ])('%s is put right', (_, wishes, added) => {
    const odd = gatewaySecret([b, a], serverLeaf('lb', 'b'), wishes);
    const write = writeOf(plan({ secret: odd, root: current(b) }));
    expect(write).toMatchObject({ why: 'RecordRepaired', bundle: [b, a], added, closing: [] });
  });

  test('a record is put right also while no root is admitted', () => {
    const odd = gatewaySecret([a], serverLeaf('la', 'a'), { added: {} });
    expect(writeOf(plan({ secret: odd, root: noRoot })).why).toBe('RecordRepaired');
  });
});

describe('trusted roots', () => {
  const before = gatewaySecret([a], serverLeaf('la', 'a'), { resourceVersion: '9' });
  const secret = gatewaySecret([b, a], serverLeaf('la', 'a'));
  const journal = noteSecret(proven(before), secret, 0, true);

  test('are those that every endpoint is proven to accept', () => {
    const open = plan({ secret, root: current(b), journal });
    expect(open.trusted).toEqual(trusted(a));
    expect(open.probe).toBe(true);
    const after = noteRound(journal, round(1, answer({ accepted: ['b'] })), delays, nowMs);
    expect(plan({ secret, root: current(b), journal: after }).trusted).toEqual(trusted(b, a));
  });

  test('are none while nothing is known of the endpoints', () => {
    expect(plan({ secret, root: current(b), journal: null }).trusted).toEqual([]);
    expect(plan({ secret, root: current(b), journal: startJournal(secret, 0, null) }).trusted).toEqual([]);
  });

  test('hold none within the margin of its end', () => {
    const ending = root('a', { notAfterMs: nowMs + 1 });
    const both = gatewaySecret([b, ending], serverLeaf('la', 'a'));
    expect(plan({ secret: both, root: current(b) }).trusted).toEqual(trusted(b));
  });

  test('hold none without a record of its addition', () => {
    const odd = gatewaySecret([b, a], serverLeaf('la', 'a'), { added: { a: addedWith('a') } });
    expect(plan({ secret: odd, root: current(b) }).trusted).toEqual(trusted(a));
  });
});

describe('the switch', () => {
  const secret = gatewaySecret([b, a], serverLeaf('la', 'a'));
  const candidate = serverLeaf('lb', 'b');
  const ready = runtime('ready', [b, a], 'a');
  const behind = runtime('behind', [a], 'a');
  const onto = (wishes: Partial<GatewayObserved>): GatewayPlan =>
    plan({ secret, root: current(b), candidate, ...wishes });

  test('begins with a candidate of the current root, also while runtimes are behind', () => {
    const { action } = onto({ candidate: null, fleet: cached(behind) });
    expect(action).toEqual({ do: 'issueCandidate', root: b, why: 'ServerCertificateOfOlderRoot' });
  });

  test('waits for runtimes by name', () => {
    const waiting = onto({ fleet: cached(ready, behind) });
    expect(waiting).toMatchObject({ action: null, candidate, switch: { may: false, waitsFor: ['behind'] } });
  });

  test('is made only from a fleet that was read live: the watched one is good for asking only', () => {
    expect(onto({ fleet: cached(ready) }).action).toEqual({ do: 'readFleet' });
    const write = writeOf(onto({ fleet: live(ready) }));
    expect(write).toMatchObject({
      why: 'ServerSwitched',
      baseVersion: '10',
      bundle: [b, a],
      closing: [],
      server: candidate,
    });
  });

  test('is not made when the live read shows a runtime that the watched fleet did not', () => {
    expect(onto({ fleet: live(ready, { name: 'joined', held: null, unprovenForMs: 0 }) }).action).toBeNull();
  });

  test('is made over a runtime that was given up, which is named', () => {
    const given = onto({ fleet: live(ready, { ...behind, unprovenForMs: unprovableAfterMs }) });
    expect(writeOf(given).why).toBe('ServerSwitched');
    expect(given.switch?.breaks).toEqual(['behind']);
  });

  test('never drops a root in the same write, not even one that nobody uses or that has expired', () => {
    const old = root('old', { notAfterMs: nowMs });
    const crowded = gatewaySecret([b, a, c, old], serverLeaf('la', 'a'), { closing: ['c'] });
    const write = writeOf(onto({ secret: crowded, fleet: live(runtime('ready', [b, a], 'b')) }));
    expect(write).toMatchObject({ why: 'ServerSwitched', bundle: [b, a, c, old], closing: ['c'] });
  });

  test('is not made while the trust domain is paused', () => {
    expect(
      plan({ secret, root: current(b), candidate, fleet: live(ready), policy: { paused: true } }).action,
    ).toBeNull();
  });

  test('goes on with its candidate when a later root becomes current', () => {
    const later = gatewaySecret([c, b, a], serverLeaf('la', 'a'));
    const write = writeOf(plan({ secret: later, root: current(c), candidate, fleet: live(ready) }));
    expect(write).toMatchObject({ why: 'ServerSwitched', server: candidate });
  });
});

describe('a retirement', () => {
  const secret = gatewaySecret([b, a], serverLeaf('lb', 'b'));
  const marked = gatewaySecret([b, a], serverLeaf('lb', 'b'), { closing: ['a'] });
  const moved = runtime('moved', [b, a], 'b');
  const user = runtime('user', [b, a], 'a');

  test('begins with a mark, for which the watched fleet is good enough', () => {
    const write = writeOf(plan({ secret, root: current(b), fleet: cached(moved) }));
    expect(write).toMatchObject({ why: 'RootClosing', bundle: [b, a], closing: ['a'], server: null });
  });

  test('does not begin while somebody may use the root', () => {
    expect(plan({ secret, root: current(b), fleet: cached(moved, user) }).action).toBeNull();
    expect(plan({ secret, root: current(b), fleet: cached(moved, user) }).retire?.kept['a']).toEqual({
      use: 'RuntimeMayPresent',
      by: 'user',
    });
  });

  test('goes on only from a fleet that was read live, after the mark', () => {
    expect(plan({ secret: marked, root: current(b), fleet: cached(moved) }).action).toEqual({ do: 'readFleet' });
    const write = writeOf(plan({ secret: marked, root: current(b), fleet: live(moved) }));
    expect(write).toMatchObject({ why: 'RootRetired', bundle: [b], closing: [], server: null });
    expect(write.added).toEqual({ b: addedWith('b') });
  });

  test('does not skip the mark, also when the fleet was read live already', () => {
    expect(writeOf(plan({ secret, root: current(b), fleet: live(moved) })).why).toBe('RootClosing');
  });

  test('is given up when the live read finds a user: the root keeps its place and loses its mark', () => {
    const write = writeOf(plan({ secret: marked, root: current(b), fleet: live(moved, user) }));
    expect(write).toMatchObject({ why: 'RootKept', bundle: [b, a], closing: [] });
  });

  test('is given up when the live read finds a delivery that is open', () => {
    const open = holding(
      heldValue('confirmed', 's1', [b, a], client('c1', 'b')),
      heldValue('intended', 's2', [b, a], client('c2', 'a')),
    );
    const fleet = live({ name: 'open', held: open, unprovenForMs: 0 });
    expect(writeOf(plan({ secret: marked, root: current(b), fleet })).why).toBe('RootKept');
  });

  test('drops of several marked roots those without a user, the others in no case', () => {
    const two = gatewaySecret([c, b, a], serverLeaf('lc', 'c'), { closing: ['a', 'b'] });
    const fleet = live(runtime('user', [c, b, a], 'a'));
    const write = writeOf(plan({ secret: two, root: current(c), fleet }));
    expect(write).toMatchObject({ why: 'RootRetired', bundle: [c, a], closing: ['a'] });
    const next = afterWrite(two, write, '11');
    expect(writeOf(plan({ secret: next, root: current(c), fleet })).why).toBe('RootKept');
  });

  test('needs no mark for an expired root', () => {
    const old = root('old', { notAfterMs: nowMs });
    const write = writeOf(
      plan({ secret: gatewaySecret([b, a, old], serverLeaf('lb', 'b')), root: current(b), fleet: cached(user) }),
    );
    expect(write).toMatchObject({ why: 'RootExpired', bundle: [b, a] });
  });

  test('needs no mark for a root that another of its key outlives', () => {
    const b2 = renewal(b, 'b2');
    const twins = gatewaySecret([b2, b, a], serverLeaf('lb', 'b'));
    const write = writeOf(plan({ secret: twins, root: current(b2), fleet: cached(user) }));
    expect(write).toMatchObject({ why: 'RootExpired', bundle: [b2, a] });
  });

  test('of a revoked root needs no mark and waits for no runtime, but for the server', () => {
    const policy = { revoked: ['a'] };
    const fleet = cached(user);
    expect(writeOf(plan({ secret, root: current(b), fleet, policy }))).toMatchObject({
      why: 'RootRevoked',
      bundle: [b],
    });
    const serving = gatewaySecret([b, a], serverLeaf('la', 'a'));
    const candidate = serverLeaf('lb', 'b');
    const off = plan({
      secret: serving,
      root: current(b),
      candidate,
      fleet: live(user, runtime('behind', [a], 'a')),
      policy,
    });
    expect(writeOf(off)).toMatchObject({ why: 'ServerSwitched', bundle: [b, a] });
    expect(off.switch?.breaks).toEqual(['behind']);
  });

  test('waits for nobody but users of that very root', () => {
    const three = gatewaySecret([c, b, a], serverLeaf('lc', 'c'));
    const write = writeOf(plan({ secret: three, root: current(c), fleet: cached(user) }));
    expect(write).toMatchObject({ why: 'RootClosing', closing: ['b'] });
  });

  test('does not go on while the trust domain is paused', () => {
    expect(plan({ secret: marked, root: current(b), fleet: live(moved), policy: { paused: true } }).action).toBeNull();
  });
});
