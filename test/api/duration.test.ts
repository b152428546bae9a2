import fc from 'fast-check';
import { expect, test } from 'vitest';
import { durationMs, formatDuration, parseDurationMs } from '../../src/api/duration.ts';

test.each([
  ['500ms', 500],
  ['2m', 120_000],
  ['96h', 345_600_000],
  ['1h30m', 5_400_000],
  ['1.5s', 1_500],
  ['0s', 0],
])('%s is %d ms', (text, ms) => {
  expect(parseDurationMs(text)).toBe(ms);
});

test.each(['', '5', 'h', '-1s', '1d', ' 1s', '1s ', '1s-2s', '1e3s', 'PT1H', '1'.repeat(30)])(
  '"%s" is no duration',
  (text) => {
    expect(parseDurationMs(text)).toBeNull();
    expect(() => durationMs(text)).toThrow(RangeError);
  },
);

test('what is written is read back', () => {
  fc.assert(fc.property(fc.nat(1e12), (ms) => parseDurationMs(formatDuration(ms)) === ms));
});
