import { KLM_FIELD_MANAGERS } from '../api/names.ts';
import type { FieldConflict } from '../kubernetes/errors.ts';

/** Owners that a refused apply names, as the API server words it: `conflict with "NAME" using VERSION`. */
export function ownersIn(conflicts: readonly FieldConflict[]): readonly string[] {
  const owners = conflicts.flatMap(({ message }) =>
    [...message.matchAll(/conflicts? with "([^"]+)"/g)].map(([, owner = '']) => owner),
  );
  return [...new Set(owners)];
}

/** Only the lifecycle-manager's fields are taken over by force; any other owner is a conflict to be named. */
export function mayTakeOver(conflicts: readonly FieldConflict[]): boolean {
  const owners = ownersIn(conflicts);
  return owners.length > 0 && owners.every((owner) => KLM_FIELD_MANAGERS.includes(owner));
}
