import { PassThrough } from 'node:stream';
import { expect, test } from 'vitest';
import { endWithOutput } from './end-with-output.ts';

function startProcess() {
  const stdout = new PassThrough();
  const stderr = new PassThrough();
  const exits: number[] = [];
  return { stdout, stderr, exits, exit: (code: number) => exits.push(code) };
}
const failed = (code: string) => Object.assign(new Error(`${code}: it cannot be written`), { code });

test('a result that cannot be written is told in one line, and the process ends with 1', () => {
  const process = startProcess();
  endWithOutput(process);
  process.stdout.emit('error', failed('ENOSPC'));
  expect(String(process.stderr.read())).toBe(
    'keyturn: Standard output cannot be written: ENOSPC: it cannot be written\n',
  );
  expect(process.exits).toEqual([1]);
});

test('a reader that has enough ends the process without a word', () => {
  const process = startProcess();
  endWithOutput(process);
  process.stdout.emit('error', failed('EPIPE'));
  expect([process.exits, process.stderr.read()]).toEqual([[141], null]);
});
