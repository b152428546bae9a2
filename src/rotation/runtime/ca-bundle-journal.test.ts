import { expect, test } from 'vitest';
import type { Root } from '../decide/values.ts';
import { type CaBundleJournal, nextTrimMs, noteCaBundle, trimCaBundles } from './ca-bundle-journal.ts';

const delayMs = 1_000;
const root = (digest: string): Root => ({
  digest,
  keyId: digest,
  subject: 'CN=root',
  subjectKeyId: null,
  notBeforeMs: 0,
  notAfterMs: 1e15,
});
const [a, b] = [root('a'), root('b')];
const names = (journal: CaBundleJournal) =>
  journal.possible.map(({ caBundle }) => caBundle?.map(({ digest }) => digest).join('') ?? 'unknown');

test('what stood before the first look may be in use until the delay has passed since that look', () => {
  const journal = noteCaBundle(undefined, '1', [a], false, 0);
  expect(names(trimCaBundles(journal, delayMs - 1, delayMs))).toEqual(['unknown', 'a']);
  expect(names(trimCaBundles(journal, delayMs, delayMs))).toEqual(['a']);
});

test('our own write joins what may be in use, and each value has a clock of its own', () => {
  const first = noteCaBundle(undefined, '1', [a], false, 0);
  const second = noteCaBundle(first, '2', [b, a], true, 600);
  expect(names(trimCaBundles(second, 1_000, delayMs))).toEqual(['a', 'ba']);
  expect(nextTrimMs(trimCaBundles(second, 1_000, delayMs), 1_000, delayMs)).toBe(600);
  expect(names(trimCaBundles(second, 1_600, delayMs))).toEqual(['ba']);
});

test('a write of the same roots starts no wait anew', () => {
  const settled = trimCaBundles(noteCaBundle(undefined, '1', [a], false, 0), 2_000, delayMs);
  expect(noteCaBundle(settled, '2', [a], true, 2_000)).toEqual({ ...settled, version: '2' });
});

test('a version that somebody else wrote may hide others, so nothing is known of what was before it', () => {
  const settled = trimCaBundles(noteCaBundle(undefined, '1', [a], false, 0), 2_000, delayMs);
  expect(names(noteCaBundle(settled, '2', [a], false, 2_000))).toEqual(['unknown', 'a']);
});

test('reading the same version again changes nothing', () => {
  const journal = noteCaBundle(undefined, '1', [a], false, 0);
  expect(noteCaBundle(journal, '1', [a], false, 500)).toBe(journal);
});
