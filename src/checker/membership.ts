import type { History } from './history.ts';

/** Whether the runtime has left by `atMs`, and not joined again since. */
export function hasLeft(history: History, runtime: string | undefined, atMs: number): boolean {
  if (runtime === undefined) return false;
  const moves = history.marks.filter(
    ({ kind, ...mark }) => mark.runtime === runtime && mark.atMs <= atMs && (kind === 'leave' || kind === 'join'),
  );
  return moves.at(-1)?.kind === 'leave';
}
