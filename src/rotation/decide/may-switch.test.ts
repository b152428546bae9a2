import { describe, expect, test } from 'vitest';
import {
  client,
  gatewaySecret,
  heldValue,
  holding,
  marginMs,
  nowMs,
  root,
  runtime,
  serverLeaf,
  unprovableAfterMs,
} from '../../../test/decisions/build.ts';
import { fleetOf, type RuntimeStanding } from './fleet.ts';
import { maySwitch, type SwitchSituation, type SwitchVerdict } from './may-switch.ts';
import { LOST } from './values.ts';

const a = root('a');
const b = root('b');
const candidate = serverLeaf('lb', 'b');

const verdict = (runtimes: readonly RuntimeStanding[], wishes: Partial<SwitchSituation> = {}): SwitchVerdict =>
  maySwitch({
    secret: gatewaySecret([b, a], serverLeaf('la', 'a')),
    candidate,
    fleet: fleetOf(true, runtimes),
    nowMs,
    skewMarginMs: marginMs,
    unprovableAfterMs,
    revoked: [],
    ...wishes,
  });

const proven = runtime('proven', [b, a], 'a');
const behind = runtime('behind', [a], 'a');
const yes = { may: true, waitsFor: [], breaks: [] };

describe('the server waits', () => {
  test("for every runtime that may still verify with a bundle without the candidate's root", () => {
    expect(verdict([proven, behind, runtime('behind-too', [a], 'a')])).toEqual({
      may: false,
      waitsFor: ['behind', 'behind-too'],
      breaks: [],
    });
  });

  test('for a runtime whose new bundle has not replaced the old one for sure', () => {
    const both = holding(
      heldValue('confirmed', 's1', [a], client('c', 'a')),
      heldValue('confirmed', 's2', [b, a], client('c', 'a')),
    );
    expect(verdict([{ name: 'both', held: both, unprovenForMs: 0 }]).waitsFor).toEqual(['both']);
  });

  test('for a runtime whose record is missing or lost: it is unproven, not gone', () => {
    const unknown = [
      { name: 'no-record', held: null, unprovenForMs: 0 },
      { name: 'lost', held: LOST, unprovenForMs: 0 },
      { name: 'unseen', held: { beyond: 'unseen' as const, values: [] }, unprovenForMs: 0 },
    ];
    expect(verdict(unknown).waitsFor).toEqual(['no-record', 'lost', 'unseen']);
  });

  test('until the candidate is valid on slower clocks', () => {
    const young = serverLeaf('lb', 'b', { notBeforeMs: nowMs - marginMs + 1 });
    expect(verdict([proven], { candidate: young })).toEqual({ ...yes, may: false });
    expect(verdict([proven], { candidate: serverLeaf('lb', 'b', { notBeforeMs: nowMs - marginMs }) })).toEqual(yes);
  });
});

describe('the server does not wait', () => {
  test('when every bundle that a runtime may be using has the root, whoever signed their certificates', () => {
    expect(verdict([proven, runtime('old-pair', [b, a], 'a')])).toEqual(yes);
  });

  test('for a runtime that is registered and holds nothing', () => {
    expect(verdict([{ name: 'empty', held: holding(), unprovenForMs: 0 }])).toEqual(yes);
    expect(verdict([])).toEqual(yes);
  });

  test('longer than the policy says, and then names who may break', () => {
    const waiting = { ...behind, unprovenForMs: unprovableAfterMs - 1 };
    const givenUp = { ...behind, name: 'given-up', unprovenForMs: unprovableAfterMs };
    expect(verdict([waiting, givenUp])).toEqual({ may: false, waitsFor: ['behind'], breaks: ['given-up'] });
    expect(verdict([proven, givenUp])).toEqual({ may: true, waitsFor: [], breaks: ['given-up'] });
  });

  test('for anybody when it has to leave a revoked root, but names who breaks', () => {
    expect(verdict([proven, behind], { revoked: ['a'] })).toEqual({ may: true, waitsFor: [], breaks: ['behind'] });
    expect(verdict([behind], { revoked: ['other'] }).may).toBe(false);
    const young = serverLeaf('lb', 'b', { notBeforeMs: nowMs });
    expect(verdict([behind], { revoked: ['a'], candidate: young }).may).toBe(false);
  });

  test('for anybody when the candidate is of the root that the server has already', () => {
    const isRoot = gatewaySecret([b, a], serverLeaf('root-itself', 'b', { isRoot: true }));
    expect(verdict([behind], { secret: isRoot })).toEqual(yes);
  });

  test('for anybody when the standing certificate is of use to nobody', () => {
    expect(verdict([behind], { secret: gatewaySecret([b, a], null) })).toEqual(yes);
    const expired = gatewaySecret([b, a], serverLeaf('la', 'a', { notAfterMs: nowMs }));
    expect(verdict([behind], { secret: expired })).toEqual(yes);
  });
});
