import type { JsonObject } from '../json.ts';
import { compareFields } from './compare-fields.ts';
import { deepDifference, difference, type FieldSet, intersection, isNothing, setOfFields, union } from './field-set.ts';
import type { Manager, Managers } from './managed-fields.ts';
import type { Shape } from './shape.ts';

/** What a change of an object means for those who own its fields. */
export interface OwnershipChange {
  readonly added: FieldSet;
  readonly modified: FieldSet;
  readonly removed: FieldSet;
  /** Fields of others that get another value, by the id of their manager. */
  readonly conflicts: ReadonlyMap<string, FieldSet>;
  /** All managers, without what others lost by the change. The writer's own entry is as it was. */
  readonly managers: Managers;
}

export interface ObjectChange {
  readonly shape: Shape;
  readonly before: JsonObject;
  readonly after: JsonObject;
  readonly managers: Managers;
  /** Whose entry is left alone; undefined where the writer's earlier entry is treated like anyone's. */
  readonly writerId: string | undefined;
  readonly resetFields: FieldSet;
}

export function ownershipAfter(change: ObjectChange): OwnershipChange {
  const { shape, before, after, managers, writerId, resetFields } = change;
  const compared = compareFields(shape, before, after);
  const added = deepDifference(compared.added, resetFields);
  const modified = deepDifference(compared.modified, resetFields);
  const removed = deepDifference(compared.removed, resetFields);
  const changed = union(added, modified);
  const conflicts = new Map<string, FieldSet>();
  const left = new Map<string, Manager>();
  for (const [id, manager] of managers) {
    if (id === writerId) {
      left.set(id, manager);
      continue;
    }
    const contested = intersection(manager.fields, changed);
    if (!isNothing(contested)) conflicts.set(id, contested);
    const fields = difference(difference(manager.fields, contested), removed);
    if (!isNothing(fields)) left.set(id, { ...manager, fields });
  }
  return { added, modified, removed, conflicts, managers: left };
}

/** What nobody owns: the server decides it. */
const SERVERS_OWN = setOfFields([
  ['apiVersion'],
  ['kind'],
  ['metadata'],
  ...[
    'name',
    'namespace',
    'creationTimestamp',
    'selfLink',
    'uid',
    'clusterName',
    'generation',
    'managedFields',
    'resourceVersion',
  ].map((name) => ['metadata', name]),
]);

export function withoutServersOwn(fields: FieldSet): FieldSet {
  return difference(fields, SERVERS_OWN);
}
