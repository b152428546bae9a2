import { styleText } from 'node:util';
import { counted } from './table.ts';

// Written out, since a control character in a pattern is easily overlooked.
const sequence = new RegExp(`(${String.fromCharCode(27)}\\[[0-9;]*m)`, 'u');

export type Style = 'bold' | 'dim' | 'red' | 'green' | 'yellow' | 'cyan';
export type Paint = (style: Style, text: string) => string;

/** Lines that stay and a table that is drawn anew below them; on a pipe only lines. */
export interface Screen {
  readonly isTerminal: boolean;
  /** Room in a line and on the screen; without end on a pipe. */
  readonly columns: number;
  readonly rows: number;
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
    get columns() {
      return isTerminal ? output.columns || 120 : Number.POSITIVE_INFINITY;
    },
    get rows() {
      // One is left for the cursor.
      return isTerminal ? Math.max(1, (output.rows || 1_000) - 1) : Number.POSITIVE_INFINITY;
    },
    paint: (style, text) => (colored ? styleText(style, text, { validateStream: false }) : text),
    line(text) {
      erase();
      output.write(`${text}\n`);
      draw();
    },
    table(lines) {
      if (!isTerminal) return;
      erase();
      drawn = fitting(lines, this.rows).map((line) => cut(line, this.columns));
      draw();
    },
    end() {
      drawn = [];
    },
  };
}

/** What has left the screen at its top cannot be erased any more. */
function fitting(lines: readonly string[], rows: number): readonly string[] {
  if (lines.length <= rows) return lines;
  return [...lines.slice(0, rows - 1), `and ${counted(lines.length - rows + 1, 'more line')}`];
}

/** A line that wraps would take two rows and break the next erasure. Escape sequences take no room. */
function cut(line: string, columns: number): string {
  // Every second piece is a sequence.
  const pieces = line.split(sequence);
  const length = pieces.reduce((sum, piece, index) => (index % 2 === 1 ? sum : sum + piece.length), 0);
  if (length <= columns) return line;
  let room = columns - 1;
  let whole = true;
  let result = '';
  for (const [index, piece] of pieces.entries()) {
    const shown = index % 2 === 1 ? piece : piece.slice(0, room);
    result += shown;
    if (index % 2 === 1) continue;
    room -= shown.length;
    // At once, so that it has the style of what it stands for.
    if (whole && shown.length < piece.length) result += '…';
    whole &&= shown.length === piece.length;
  }
  return result;
}
