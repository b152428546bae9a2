/** Keys of a person's terminal, one at a time. Nothing where nobody can press one. */
export function readKeys(onKey: (key: string) => void, input: NodeJS.ReadStream = process.stdin): () => void {
  if (input.isTTY !== true) return () => undefined;
  const take = (text: string): void => {
    for (const key of text) onKey(key === '\u0003' || key === '\u0004' ? 'q' : key.toLowerCase());
  };
  input.setRawMode(true);
  input.setEncoding('utf8').on('data', take);
  return () => {
    input.off('data', take);
    input.setRawMode(false);
    input.pause();
  };
}
