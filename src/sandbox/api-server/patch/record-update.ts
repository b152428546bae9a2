import type { JsonObject } from '../json.ts';
import { deepDifference, isNothing, setOfFields, union } from './field-set.ts';
import {
  asksForReset,
  type Manager,
  type Managers,
  managerId,
  managersOf,
  withManagers,
  withoutManagers,
} from './managed-fields.ts';
import { ownershipAfter, withoutServersOwn } from './ownership.ts';
import type { Shape } from './shape.ts';
import { withFewUpdaters } from './too-many-updaters.ts';
import type { Writer } from './writer.ts';

export interface UpdateRequest {
  /** The stored object, undefined on create. */
  readonly live: JsonObject | undefined;
  /** What is about to be stored: after defaults, pruning and patches. Its own `managedFields` may be a reset (`[]`, `[{}]`). */
  readonly next: JsonObject;
  readonly shape: Shape;
  /** What Go writes of an object in which nothing is set: a create does not add that, and so owns none of it. */
  readonly blank?: JsonObject;
  readonly writer: Writer;
  /** As in an apply: what this request cannot change. */
  readonly resetFields?: readonly (readonly string[])[];
}

/**
 * The object with `managedFields` after a create, replace or patch: what changed belongs to the writer, what is gone to
 * nobody. Times change only where fields do.
 */
export function withUpdateRecorded(request: UpdateRequest): JsonObject {
  const { live, next, writer } = request;
  const known = managersToKeep(live, next, writer);
  // An object whose fields nobody owned stays so until it is applied.
  if (live !== undefined && known.size === 0) return withoutManagers(next);
  return withManagers(next, recorded(request, known));
}

/** All that an object holds as one manager's; as if it had just made it. */
export function creationRecorded(request: Omit<UpdateRequest, 'live'>): Managers {
  return recorded({ ...request, live: undefined }, new Map());
}

function managersToKeep(live: JsonObject | undefined, next: JsonObject, writer: Writer): Managers {
  const stored = managersOf(live) ?? new Map<string, Manager>();
  // A write to a subresource cannot change the list.
  if (writer.subresource !== undefined) return stored;
  if (asksForReset(next)) return new Map();
  const sent = managersOf(next);
  return sent === undefined || sent.size === 0 ? stored : sent;
}

function recorded({ live, next, shape, blank, writer, resetFields = [] }: UpdateRequest, known: Managers): Managers {
  const { apiVersion, kind } = next;
  const empty = { ...(apiVersion === undefined ? {} : { apiVersion }), ...(kind === undefined ? {} : { kind }) };
  const reset = setOfFields(resetFields);
  const change = ownershipAfter({
    shape,
    before: live === undefined ? { ...empty, ...blank } : withoutManagers(live),
    after: withoutManagers(next),
    managers: known,
    writerId: undefined,
    resetFields: reset,
  });
  const fields = withoutServersOwn(deepDifference(union(change.added, change.modified), reset));
  const managers = new Map(change.managers);
  if (!isNothing(fields)) {
    const entry: Manager = {
      name: writer.manager === '' ? 'unknown' : writer.manager,
      operation: 'Update',
      apiVersion: writer.apiVersion,
      subresource: writer.subresource,
      time: writer.time,
      fields,
    };
    const id = managerId(entry);
    const previous = managers.get(id);
    managers.set(id, previous === undefined ? entry : { ...entry, fields: union(fields, previous.fields) });
  }
  return withFewUpdaters(managers);
}
