import { expect, it } from 'vitest';
import { openScreen } from './screen.ts';

function output(isTTY: boolean, columns = 20) {
  const written: string[] = [];
  return { isTTY, columns, written, write: (text: string) => written.push(text) };
}

it('on a pipe writes plain lines and no table', () => {
  const out = output(false);
  const screen = openScreen(out, {});
  screen.line(screen.paint('red', 'a line'));
  screen.table(['a table']);
  expect(out.written.join('')).toBe('a line\n');
});

it('on a terminal draws the table anew, with lines that stay above it', () => {
  const out = output(true);
  const screen = openScreen(out, {});
  screen.table(['one', 'two']);
  screen.line('stays');
  screen.table(['three']);
  screen.end();
  screen.line('after');
  expect(out.written.join('')).toBe('one\ntwo\n\u001b[2A\u001b[0Jstays\none\ntwo\n\u001b[2A\u001b[0Jthree\nafter\n');
});

it('cuts a line to the width of the terminal without cutting a sequence, so that it takes one row', () => {
  const out = output(true, 8);
  const screen = openScreen(out, {});
  screen.table([screen.paint('red', 'too long for it')]);
  expect(out.written.join('')).toBe('\u001b[31mtoo lon…\u001b[39m\n');
});

it('leaves a line as it is that fits to the last column', () => {
  const out = output(true, 8);
  openScreen(out, {}).table(['12345678', '123456789']);
  expect(out.written.join('')).toBe('12345678\n1234567…\n');
});

it('says how many lines there is no room for', () => {
  const out = { ...output(true), rows: 4 };
  openScreen(out, {}).table(['1', '2', '3']);
  openScreen(out, {}).table(['1', '2', '3', '4', '5']);
  expect(out.written).toEqual(['1\n2\n3\n', '1\n2\nand 3 more lines\n']);
});

it('uses no colour where NO_COLOR is set', () => {
  expect(openScreen(output(true), { NO_COLOR: '1' }).paint('red', 'text')).toBe('text');
  expect(openScreen(output(true), { NO_COLOR: '' }).paint('red', 'text')).toBe('\u001b[31mtext\u001b[39m');
});
