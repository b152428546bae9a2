import { type Fault, root, type Setting } from './world.ts';

const A = root('a');
const B = root('b');
const C = root('c');
/** B again, with the same key and a later end. */
const B2 = root('b2', 'b', 1);

/** Three overlapping roots: all re-keyed, one renewed with its key, one coming back. */
export const ROOTS: Readonly<Record<'rekeyed' | 'renewed' | 'returning', Setting['roots']>> = {
  rekeyed: [A, B, C],
  renewed: [A, B, B2],
  returning: [A, B, A],
};

export const ALL_FAULTS: readonly Fault[] = [
  'lost write',
  'late write',
  'lost answer',
  'crash',
  'statuses lost',
  'unreachable',
  'join',
  'delete',
  'own renewal',
  'stale read',
  'slow gateway',
];
