import { FIELD_MANAGER } from '../../api/names.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import type { Holdings } from '../decide/values.ts';

const windowMs = 600_000;
const mostOverwrites = 3;
/** For so long the other's value is left alone once it has been repaired often enough. */
export const restFromFightMs = 300_000;

/** Whether a record that was just brought up to date shows that our confirmed value was replaced by somebody. */
export function isOverwritten(before: Holdings, after: Holdings): boolean {
  const replaced = before.values.at(-1)?.state === 'confirmed';
  return replaced && after.values.length > before.values.length && after.values.at(-1)?.state === 'adopted';
}

/** The times that still count. */
function recentOverwrites(timesMs: readonly number[], nowMs: number): readonly number[] {
  return timesMs.filter((atMs) => nowMs - atMs < windowMs);
}

/**
 * Drift is repaired; one who keeps writing something else is named and not fought, or two programs would write against each
 * other as fast as they can (B46).
 */
export function isFight(timesMs: readonly number[], nowMs: number): boolean {
  const last = timesMs.at(-1);
  return (
    recentOverwrites(timesMs, nowMs).length >= mostOverwrites && last !== undefined && nowMs - last < restFromFightMs
  );
}

/** Who else wrote the object, as its managed fields tell. */
export function otherWriters(object: KubeObject | undefined): readonly string[] {
  const managers = (object?.metadata.managedFields ?? []).flatMap(({ manager }) => manager ?? []);
  return [...new Set(managers)].filter((manager) => manager !== FIELD_MANAGER);
}
