/**
 * Loaded before a program: it then takes its pipes for a terminal, 24 rows of 120 columns, where a person presses keys. A
 * pseudo terminal would do the same, but Node has none of its own.
 */
for (const stream of [process.stdin, process.stdout, process.stderr]) {
  Object.defineProperty(stream, 'isTTY', { value: true });
  Object.assign(stream, { columns: 120, rows: 24, setRawMode: () => stream });
}
