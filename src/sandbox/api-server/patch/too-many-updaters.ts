import { union } from './field-set.ts';
import { type Manager, type Managers, managerId } from './managed-fields.ts';

/** More entries than this of ordinary writes are not kept: the oldest become one. */
const MOST_UPDATERS = 10;

/** Merges the oldest entries of each version into one of `ancient-changes`. */
export function withFewUpdaters(managers: Managers): Managers {
  const updaters = [...managers].filter(([, { operation }]) => operation === 'Update');
  if (updaters.length <= MOST_UPDATERS) return managers;
  updaters.sort(
    ([oneId, one], [otherId, other]) => compareTexts(one.time ?? '', other.time ?? '') || compareTexts(oneId, otherId),
  );
  const kept = new Map(managers);
  const firstOfVersion = new Map<string, string>();
  let count = updaters.length;
  for (const [id, manager] of updaters) {
    if (count <= MOST_UPDATERS) break;
    const first = firstOfVersion.get(manager.apiVersion);
    if (first === undefined) {
      firstOfVersion.set(manager.apiVersion, id);
      continue;
    }
    const bucket: Omit<Manager, 'fields'> = {
      name: 'ancient-changes',
      operation: 'Update',
      apiVersion: manager.apiVersion,
      subresource: undefined,
      time: manager.time,
    };
    const bucketId = managerId(bucket);
    const into = kept.get(bucketId) ?? kept.get(first);
    if (!kept.has(bucketId)) kept.delete(first);
    kept.delete(id);
    kept.set(bucketId, { ...bucket, fields: into === undefined ? manager.fields : union(into.fields, manager.fields) });
    count -= 1;
  }
  return kept;
}

function compareTexts(one: string, other: string): number {
  if (one === other) return 0;
  return one < other ? -1 : 1;
}
