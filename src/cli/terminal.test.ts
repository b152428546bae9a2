import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { askOn } from './terminal.ts';

function asked(keys: string) {
  const input = new PassThrough();
  const output = new PassThrough();
  const stopping = new AbortController();
  const ask = askOn(input, output, () => stopping.abort(new Error('interrupted')));
  const answer = ask('Really? ', stopping.signal);
  input.write(keys);
  return { answer, stopping };
}

test('an answer is what stands in the line', async () => {
  expect(await asked('yes\r').answer).toBe('yes');
});

test('Ctrl-D is an end without an answer', async () => {
  expect(await asked('\u0004').answer).toBeNull();
});

test('Ctrl-C interrupts, as it does where no question stands', async () => {
  const { answer, stopping } = asked('\u0003');
  await expect(answer).rejects.toThrow();
  expect(stopping.signal.aborted).toBe(true);
});
