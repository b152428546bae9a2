import { expect, test } from 'vitest';
import type { HeldValue, Holdings } from '../decide/values.ts';
import { isFight, isOverwritten, otherWriters } from './foreign-writer.ts';

const value = (state: HeldValue['state'], serial: string): HeldValue => ({
  serial,
  bundle: [],
  client: null,
  state,
  resourceVersion: '',
});
const held = (...values: readonly HeldValue[]): Holdings => ({ beyond: 'nothing', values });

test('a confirmed value that makes room for a found one was overwritten', () => {
  const before = held(value('confirmed', 'a'));
  expect(isOverwritten(before, held(value('confirmed', 'a'), value('adopted', 'found-2')))).toBe(true);
  expect(isOverwritten(held(), held(value('adopted', 'found-1')))).toBe(false);
  expect(isOverwritten(before, held(value('confirmed', 'a'), value('intended', 'b')))).toBe(false);
});

test('drift is repaired twice, and a third time within ten minutes it is a fight that rests for five', () => {
  expect(isFight([0, 1_000], 2_000)).toBe(false);
  expect(isFight([0, 1_000, 2_000], 3_000)).toBe(true);
  expect(isFight([0, 1_000, 2_000], 2_000 + 300_000)).toBe(false);
  expect(isFight([0, 500_000, 1_000_000], 1_000_001)).toBe(false);
});

test('other writers are named by the managed fields', () => {
  const managedFields = [{ manager: 'keyturn' }, { manager: 'kubectl-edit' }, { manager: 'kubectl-edit' }];
  expect(otherWriters({ metadata: { name: 's', managedFields } })).toEqual(['kubectl-edit']);
});
