/** One column of a table. */
export interface Column<T> {
  readonly head: string;
  readonly cell: (row: T) => string;
  /** Shown with `-o wide` only. */
  readonly wide?: boolean;
}

/** Lines of a table with a head, as kubectl prints one: columns set apart by three blanks, nothing at the end of a line. */
export function tableLines<T>(columns: readonly Column<T>[], rows: readonly T[], wide: boolean): readonly string[] {
  const shown = columns.filter((column) => wide || column.wide !== true);
  const cells = [shown.map(({ head }) => head), ...rows.map((row) => shown.map(({ cell }) => cell(row)))];
  const widths = shown.map((_, index) => Math.max(...cells.map((line) => line[index]?.length ?? 0)));
  return cells.map((line) =>
    line
      .map((cell, index) => cell.padEnd(widths[index] ?? 0))
      .join('   ')
      .trimEnd(),
  );
}

/** `6 of 20`, and so on: never a bare number. */
export function share(part: number, whole: number): string {
  return `${part} of ${whole}`;
}

/** `1 runtime`, `2 runtimes`, for words that take an s. */
export function counted(count: number, word: string): string {
  return `${count} ${word}${count === 1 ? '' : 's'}`;
}

/** Text broken at its blanks into lines of so many columns; a longer word stays whole. */
export function wrapped(text: string, columns: number): readonly string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line !== '' && line.length + 1 + word.length > columns) {
      lines.push(line);
      line = word;
    } else line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line];
}

/** The first names, and how many more there are. */
export function someOf(names: readonly string[], most = 5): string {
  const first = [...names].sort().slice(0, most).join(', ');
  return names.length > most ? `${first} and ${names.length - most} more` : first;
}

/** The start of a digest or key: enough to tell a fleet's roots apart. */
export function short(digest: string | undefined): string {
  return digest === undefined || digest === '' ? '-' : digest.slice(0, 12);
}

/** A time as people say it: `45 s`, `3 min`, `2 h`, `5 d`. */
export function approximately(ms: number): string {
  const seconds = Math.max(0, ms / 1000);
  if (seconds < 1) return `${Math.round(ms)} ms`;
  if (seconds < 120) return `${Math.round(seconds)} s`;
  if (seconds < 7_200) return `${Math.round(seconds / 60)} min`;
  if (seconds < 172_800) return `${Math.round(seconds / 3_600)} h`;
  return `${Math.round(seconds / 86_400)} d`;
}
