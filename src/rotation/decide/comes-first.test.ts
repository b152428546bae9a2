import { expect, test } from 'vitest';
import { client, heldValue, holding, root } from '../../../test/decisions/build.ts';
import { comesFirst, type OrderSituation } from './comes-first.ts';
import { LOST } from './values.ts';

const a = root('a');
const b = root('b');
const of = (signer: string, serial = 's1') => heldValue('confirmed', serial, [b, a], client(`c-${signer}`, signer));

const first = (wishes: Partial<OrderSituation>): boolean =>
  comesFirst({ held: holding(of('b')), signer: 'b', reachable: true, tainted: ['a'], ...wishes });

test('a runtime comes first that holds a pair of a tainted root, or would get one', () => {
  expect(first({})).toBe(false);
  expect(first({ held: holding(of('a')) })).toBe(true);
  expect(first({ signer: 'a' })).toBe(true);
});

test('so does one that may still be presenting it, also where a delivery of it is only registered', () => {
  expect(first({ held: holding(of('a'), of('b', 's2')) })).toBe(true);
  const intended = heldValue('intended', 's2', [b, a], client('c-a', 'a'));
  expect(first({ held: holding(of('b'), intended) })).toBe(true);
});

test('so does one of which it is not known what it presents', () => {
  expect(first({ held: LOST })).toBe(true);
  expect(first({ held: null })).toBe(true);
});

test('nobody does where no root is tainted', () => {
  expect(first({ held: LOST, tainted: [] })).toBe(false);
  expect(first({ held: holding(of('a')), tainted: [] })).toBe(false);
});

test('nobody does whose cluster does not answer: it would hold the others and gain nothing', () => {
  expect(first({ held: holding(of('a')), reachable: false })).toBe(false);
});
