import { describe, expect, test } from 'vitest';
import {
  client,
  fenceMs,
  heldValue,
  holding,
  nowMs,
  propagationDelayMs,
  renewal,
  root,
  standing,
} from '../../../test/decisions/build.ts';
import {
  confirm,
  dropAbandoned,
  everyBundleAccepts,
  intend,
  matches,
  noteStanding,
  openIntent,
  possibleClientSigners,
  sameDigests,
  trim,
} from './holdings.ts';
import { type Holdings, LOST } from './values.ts';

const a = root('a');
const b = root('b');
const c = root('c');
const first = heldValue('confirmed', 's1', [a], client('c1', 'a'));
const second = heldValue('confirmed', 's2', [b, a], client('c1', 'a'));
const third = heldValue('confirmed', 's3', [b, a], client('c2', 'b'));
const intended = heldValue('intended', 's2', [b, a], client('c1', 'a'));
const unseen: Holdings = { beyond: 'unseen', values: [] };

const states = ({ beyond, values }: Holdings): string =>
  [...(beyond === 'nothing' ? [] : [beyond]), ...values.map(({ serial, state }) => `${serial}:${state}`)].join(' ');

describe('a delivery', () => {
  test('counts as made from its registration on', () => {
    const held = intend(holding(first), 's2', ['b', 'a'], client('c1', 'a'));
    expect(states(held)).toBe('s1:confirmed s2:intended');
    expect(openIntent(held)?.serial).toBe('s2');
    expect(openIntent(holding(first))).toBeNull();
  });

  test('once answered stands under the version that the answer named', () => {
    const held = confirm(holding(first, intended), 's2', '42');
    expect(states(held)).toBe('s1:confirmed s2:confirmed');
    expect(held.values[1]?.resourceVersion).toBe('42');
    expect(held.values[0]).toEqual(first);
  });

  test('whose answer was lost is confirmed when a live read shows it', () => {
    const held = noteStanding(holding(first, intended), standing(intended, { resourceVersion: '42' }));
    expect(states(held)).toBe('s1:confirmed s2:confirmed');
    expect(held.values[1]?.resourceVersion).toBe('42');
  });

  test('whose answer was lost stays open while the value before it stands', () => {
    const held = holding(first, intended);
    expect(noteStanding(held, standing(first))).toBe(held);
  });

  test("that stands under its serial but with other bytes is somebody else's value", () => {
    const held = noteStanding(holding(first, intended), standing(intended, { bundle: ['x'], resourceVersion: '42' }));
    expect(states(held)).toBe('s1:confirmed s2:intended found-42:adopted');
  });
});

describe('a live read', () => {
  test('of what was confirmed changes nothing', () => {
    const held = holding(first, second);
    expect(noteStanding(held, standing(second))).toBe(held);
  });

  test('of a foreign value lets it join the record', () => {
    const foreign = standing(first, { serial: '', client: client('x', 'a'), resourceVersion: '42' });
    const held = noteStanding(holding(first), foreign);
    expect(states(held)).toBe('s1:confirmed found-42:adopted');
    expect(held.values[1]?.client?.digest).toBe('x');
    // Known from now on.
    expect(noteStanding(held, foreign)).toBe(held);
  });

  test('of an older value that stands again takes it for a new write, whatever serial it carries', () => {
    const restored = standing(first, { resourceVersion: '42' });
    const held = noteStanding(holding(first, second), restored);
    expect(states(held)).toBe('s1:confirmed s2:confirmed found-42:adopted');
    expect(noteStanding(held, restored)).toBe(held);
  });

  test('of the same value under another version, as when only labels changed, writes no new value', () => {
    const held = noteStanding(holding(first), standing(first, { resourceVersion: '42' }));
    expect(states(held)).toBe('s1:confirmed');
    expect(held.values[0]?.resourceVersion).toBe('42');
  });

  test('of a runtime whose record was lost keeps it open what else may be in use', () => {
    expect(states(noteStanding(LOST, standing(first)))).toBe('lost found-at-s1:adopted');
  });

  test('of a Secret at a runtime that was never looked at means that somebody delivered before', () => {
    expect(states(noteStanding(unseen, standing(first)))).toBe('lost found-at-s1:adopted');
  });

  test('of no Secret at a runtime that was never delivered to shows that it holds nothing', () => {
    expect(noteStanding(unseen, null)).toEqual(holding());
    expect(noteStanding(holding(), null)).toEqual(holding());
  });

  test('of no Secret after a lost record proves nothing yet, since a delivery may be under way', () => {
    const held = noteStanding(LOST, null);
    expect(states(held)).toBe('lost absent:adopted');
    expect(everyBundleAccepts(held, [a], 'a', nowMs)).toBe(false);
    expect(noteStanding(held, null)).toBe(held);
  });

  test('of a Secret that was deleted notes the absence as a value of its own', () => {
    const held = noteStanding(holding(first), null);
    expect(states(held)).toBe('s1:confirmed absent:adopted');
    expect(possibleClientSigners(held)).toEqual(['a']);
  });

  test('of no Secret while a delivery is open leaves the delivery open', () => {
    const held = holding(intended);
    expect(noteStanding(held, null)).toBe(held);
    expect(noteStanding({ beyond: 'unseen', values: [intended] }, null)).toEqual({
      beyond: 'unseen',
      values: [intended],
    });
  });
});

describe('a delivery that was given up', () => {
  const held = holding(first, intended);

  test('is dropped when the fence has passed since this process knew of it', () => {
    const drop = (now: number): string => states(dropAbandoned(held, standing(first), { s2: 1000 }, now, fenceMs));
    expect(drop(1000 + fenceMs - 1)).toBe('s1:confirmed s2:intended');
    expect(drop(1000 + fenceMs)).toBe('s1:confirmed');
  });

  test('is not dropped while this process never knew of it: a stored time shortens nothing', () => {
    expect(dropAbandoned(held, standing(first), {}, Number.MAX_SAFE_INTEGER, fenceMs)).toBe(held);
  });

  test('is not dropped when it has landed after all', () => {
    expect(dropAbandoned(held, standing(intended), { s2: 0 }, 10 * fenceMs, fenceMs)).toBe(held);
  });

  test('is the only thing dropped', () => {
    const found = heldValue('adopted', 'found-7', [a], client('x', 'a'));
    const all = holding(first, found);
    expect(dropAbandoned(all, null, { s1: 0, 'found-7': 0 }, 10 * fenceMs, fenceMs)).toBe(all);
  });
});

describe('what the runtime cannot be using any more', () => {
  const trimmed = (held: Holdings, seen: Readonly<Record<string, number>>, now: number): string =>
    states(trim(held, seen, now, propagationDelayMs));

  test('is all before a confirmed value that has been in place for the propagation delay', () => {
    expect(trimmed(holding(first, second), { s2: 1000 }, 1000 + propagationDelayMs - 1)).toBe(
      's1:confirmed s2:confirmed',
    );
    expect(trimmed(holding(first, second), { s2: 1000 }, 1000 + propagationDelayMs)).toBe('s2:confirmed');
  });

  test('is told by one clock for each value, so a later delivery does not start an earlier wait again', () => {
    const seen = { s1: 0, s2: 1000, s3: 1000 + propagationDelayMs - 1 };
    expect(trimmed(holding(first, second, third), seen, 1000 + propagationDelayMs)).toBe('s2:confirmed s3:confirmed');
  });

  test('is nothing while this process has not seen the value in place itself', () => {
    expect(trimmed(holding(first, second), {}, Number.MAX_SAFE_INTEGER)).toBe('s1:confirmed s2:confirmed');
  });

  test('is never told by an open delivery', () => {
    const held = holding(first, intended);
    expect(trimmed(held, { s2: 0 }, 10 * propagationDelayMs)).toBe('s1:confirmed s2:intended');
  });

  test('is never told by a found value: an older write of whoever left it may still be under way', () => {
    const held: Holdings = { beyond: 'lost', values: [heldValue('adopted', 'found-7', [a], client('x', 'a'))] };
    expect(trimmed(held, { 'found-7': 0, s1: 0 }, 10 * propagationDelayMs)).toBe('lost found-7:adopted');
  });

  test('is everything unknown once a confirmed value has been in place for the propagation delay', () => {
    expect(trim({ beyond: 'lost', values: [first] }, { s1: 0 }, propagationDelayMs, propagationDelayMs)).toEqual(
      holding(first),
    );
  });

  test('is everything once there has been no Secret for the propagation delay', () => {
    const held = noteStanding({ beyond: 'lost', values: [first] }, null);
    expect(trimmed(held, { absent: 0 }, propagationDelayMs - 1)).toBe('lost s1:confirmed absent:adopted');
    expect(trimmed(held, { absent: 0 }, propagationDelayMs)).toBe('absent:adopted');
  });

  test('never includes a delivery that is open, nor anything written after the proven value', () => {
    const last = heldValue('intended', 's3', [c, b, a], client('c1', 'a'));
    expect(trimmed(holding(first, second, last), { s1: 0, s2: 0 }, propagationDelayMs)).toBe(
      's2:confirmed s3:intended',
    );
  });
});

describe('every bundle that a runtime may be using', () => {
  test('has to hold the key: one older bundle without it is enough to fail', () => {
    expect(everyBundleAccepts(holding(second), [b, a], 'b', nowMs)).toBe(true);
    expect(everyBundleAccepts(holding(first, second), [b, a], 'b', nowMs)).toBe(false);
    expect(everyBundleAccepts(holding(second, heldValue('intended', 's3', [a], null)), [b, a], 'b', nowMs)).toBe(false);
  });

  test('holds the key also by another certificate of it', () => {
    const a2 = renewal(a, 'a2');
    expect(everyBundleAccepts(holding(first, heldValue('confirmed', 's2', [a2], null)), [a2, a], 'a', nowMs)).toBe(
      true,
    );
  });

  test('is not known of a runtime that was never looked at, or whose record was lost', () => {
    expect(everyBundleAccepts(unseen, [a], 'a', nowMs)).toBe(false);
    expect(everyBundleAccepts({ beyond: 'lost', values: [first] }, [a], 'a', nowMs)).toBe(false);
  });

  test('is none at all where no Secret is: such a runtime holds nothing and delays nothing', () => {
    expect(everyBundleAccepts(holding(), [b], 'b', nowMs)).toBe(true);
    expect(everyBundleAccepts(noteStanding(holding(second), null), [b, a], 'b', nowMs)).toBe(true);
  });

  test('counts a root within the margin of its end for nothing', () => {
    expect(everyBundleAccepts(holding(first), [a], 'a', a.notAfterMs - 10, 10)).toBe(false);
  });
});

describe('signers of client certificates that a runtime may present', () => {
  test('are those of all its values, open ones too', () => {
    const open = heldValue('intended', 's3', [b, a], client('c2', 'b'));
    expect(possibleClientSigners(holding(first, open))).toEqual(['a', 'b']);
  });

  test('are not known where anything else may be in use', () => {
    expect(possibleClientSigners(unseen)).toBeNull();
    expect(possibleClientSigners({ beyond: 'lost', values: [first] })).toBeNull();
    expect(possibleClientSigners(holding(heldValue('adopted', 'found-7', [a], client('x', null))))).toBeNull();
  });

  test('are none where there is no client certificate', () => {
    expect(possibleClientSigners(holding(heldValue('adopted', 'found-7', [a], null)))).toEqual([]);
  });
});

test('a value matches a Secret by its bundle and client certificate, the order of the bundle included', () => {
  expect(matches(second, standing(second))).toBe(true);
  expect(matches(second, standing(second, { bundle: ['a', 'b'] }))).toBe(false);
  expect(matches(second, standing(second, { client: client('c2', 'a') }))).toBe(false);
  expect(sameDigests(['a', 'b'], ['a'])).toBe(false);
});
