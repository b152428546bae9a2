import fc from 'fast-check';
import { expect, test } from 'vitest';
import { createLineSplitter } from './line-splitter.ts';

test('lines are the same however the bytes are cut into chunks, also within a character', () => {
  const line = fc.string({ unit: 'grapheme', minLength: 1 }).filter((text) => !text.includes('\n'));
  fc.assert(
    fc.property(fc.array(line), fc.array(fc.nat(200)), (lines, cuts) => {
      const bytes = Buffer.from(lines.map((text) => `${text}\n`).join(''), 'utf8');
      const places = [0, ...cuts.map((cut) => cut % (bytes.length + 1)), bytes.length].sort((a, b) => a - b);
      const split = createLineSplitter();
      const found = places.slice(1).flatMap((end, i) => split(bytes.subarray(places[i], end)));
      expect(found).toEqual(lines);
    }),
  );
});

test('half a line at the end of the stream is no line', () => {
  const split = createLineSplitter();
  expect(split(Buffer.from('{"a":1}\n\n{"b":'))).toEqual(['{"a":1}']);
});
