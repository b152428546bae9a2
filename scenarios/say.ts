/** Tells a person what goes on, one line at a time. */
export type Say = (text: string) => void;

/** Lines with the seconds since now in front. */
export function sayWithSeconds(write: (line: string) => void = (line) => console.log(line)): Say {
  const startedMs = performance.now();
  return (text) => {
    const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1);
    for (const line of text.split('\n')) write(`${seconds.padStart(7)} s  ${line}`);
  };
}
