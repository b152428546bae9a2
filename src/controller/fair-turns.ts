/** `high` goes before `low`. */
export type Priority = 'high' | 'low';

/** After so many of high priority in a row one of low goes first: a busy fleet must not starve the rest (L2). */
const HIGH_IN_A_ROW = 8;

/** @returns whose turn it is, given how many wait at each priority; one that is named has had it */
export function fairTurns(): (waiting: Readonly<Record<Priority, number>>) => Priority {
  let highInARow = 0;
  return ({ high, low }) => {
    const lowFirst = high === 0 || (highInARow >= HIGH_IN_A_ROW && low > 0);
    highInARow = lowFirst ? 0 : highInARow + 1;
    return lowFirst ? 'low' : 'high';
  };
}
