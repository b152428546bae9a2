import { isAlreadyExists, isConflict, isNotFound, mayHaveBeenWritten } from '../../kubernetes/errors.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';

/**
 * What came of a conditional write. `conflict`: surely not written, what it was based on has changed. `unknown`: it may have
 * been written or still be (S6); look again and trust nothing that was known before.
 */
export type WriteAnswer<T extends KubeObject> =
  | { readonly outcome: 'written'; readonly object: T }
  | { readonly outcome: 'conflict' }
  | { readonly outcome: 'unknown'; readonly error: unknown };

/** @throws what was surely refused for another reason than a conflict: it would be refused again */
export async function answerOf<T extends KubeObject>(write: Promise<T>): Promise<WriteAnswer<T>> {
  try {
    return { outcome: 'written', object: await write };
  } catch (error) {
    if (isConflict(error) || isAlreadyExists(error) || isNotFound(error)) return { outcome: 'conflict' };
    if (mayHaveBeenWritten(error)) return { outcome: 'unknown', error };
    throw error;
  }
}
