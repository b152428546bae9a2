import { styleText } from 'node:util';

// Written out, since a control character in a pattern is easily overlooked.
const sequence = new RegExp(`(${String.fromCharCode(27)}\\[[0-9;]*m)`, 'u');

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (style: Style, text: string) => string;

/** Lines that stay and a table that is drawn anew below them; on a pipe only lines. */
export interface Screen {
  readonly isTerminal: boolean;
  readonly paint: Paint;
  /** Writes a line that stays. */
  line(text: string): void;
  /** Puts these lines in place of the table before; nothing on a pipe. */
  table(lines: readonly string[]): void;
  /** Leaves the table where it is. */
  end(): void;
}

export interface Output {
  readonly isTTY?: boolean;
  readonly columns?: number;
  readonly rows?: number;
  write(text: string): unknown;
}

export function openScreen(output: Output, env: NodeJS.ProcessEnv): Screen {
  const isTerminal = output.isTTY === true && env['TERM'] !== 'dumb';
  // https://no-color.org: any value but the empty one.
  const colored = isTerminal && !env['NO_COLOR'];
  let drawn: readonly string[] = [];
  const erase = () => {
    if (drawn.length > 0) output.write(`\u001b[${drawn.length}A\u001b[0J`);
  };
  const draw = () => output.write(drawn.map((line) => `${line}\n`).join(''));
  return {
    isTerminal,
    paint: (style, text) => (colored ? styleText(style, text, { validateStream: false }) : text),
    line(text) {
      erase();
      output.write(`${text}\n`);
      draw();
    },
    table(lines) {
      if (!isTerminal) return;
      erase();
      // What has left the screen at its top cannot be erased any more.
      const fitting = lines.slice(0, Math.max(1, (output.rows || 1_000) - 1));
      drawn = fitting.map((line) => cut(line, output.columns || 120));
      draw();
    },
    end() {
      drawn = [];
    },
  };
}

/** A line that wraps would take two rows and break the next erasure. Escape sequences take no room. */
function cut(line: string, columns: number): string {
  let room = columns;
  let result = '';
  // Every second piece is a sequence.
  for (const [index, piece] of line.split(sequence).entries()) {
    const shown = index % 2 === 1 ? piece : piece.slice(0, room);
    result += shown;
    if (index % 2 === 0) room -= shown.length;
  }
  return result;
}
