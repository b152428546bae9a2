import { isObject, type Json, type JsonObject, sameJson } from '../json.ts';
import { type Answer, answered, refused } from '../refusal.ts';
import { conflictRefusal } from './apply-conflict.ts';
import { configProblem } from './config-problem.ts';
import {
  deepDifference,
  difference,
  type FieldSet,
  intersection,
  isNothing,
  NOTHING,
  setOfFields,
  union,
} from './field-set.ts';
import { fieldsOf, withNamedFields } from './fields-of.ts';
import { keptSinceNoted, withNote } from './last-applied.ts';
import { type Manager, type Managers, managerId, managersOf, withManagers, withoutManagers } from './managed-fields.ts';
import { mergeByShape } from './merge-by-shape.ts';
import { ownershipAfter, withoutServersOwn } from './ownership.ts';
import { creationRecorded } from './record-update.ts';
import { removeFields } from './remove-fields.ts';
import type { Shape } from './shape.ts';
import type { Writer } from './writer.ts';

export interface ApplyRequest {
  /** The stored object, undefined where there is none. */
  readonly live: JsonObject | undefined;
  /** The body: what the manager wants to own. */
  readonly config: JsonObject;
  readonly shape: Shape;
  readonly writer: Writer;
  readonly force: boolean;
  /**
   * Paths that this request cannot change, and so does not own: `['status']` for the main resource of a kind with a
   * status subresource, `['spec']` and `['metadata']` for its status.
   */
  readonly resetFields?: readonly (readonly string[])[];
}

/**
 * Server-side apply: the live object with the manager's fields merged in, those it gave up removed, and `managedFields`
 * brought up to date. Refused with 409 where another manager owns a field with another value. The object equals the live
 * one, times in `managedFields` included, where nothing changed.
 */
export function applied(request: ApplyRequest): Answer<JsonObject> {
  const { config, shape, writer, force } = request;
  if (config['metadata'] !== undefined && isObject(config['metadata']) && config['metadata']['managedFields'] != null) {
    return refused(400, 'BadRequest', 'metadata.managedFields must be nil');
  }
  const problem = configProblem(shape, config);
  if (problem !== undefined) return refused(500, '', problem);
  const live = withoutManagers(request.live ?? emptyLike(config));
  const resetFields = setOfFields(request.resetFields ?? []);
  const own: Manager = {
    name: writer.manager === '' ? 'unknown' : writer.manager,
    operation: 'Apply',
    apiVersion: writer.apiVersion,
    subresource: writer.subresource,
    time: undefined,
    fields: deepDifference(fieldsOf(shape, config), resetFields),
  };
  const writerId = managerId(own);
  const before = managersBefore(request, live);
  const last = before.get(writerId);
  const managers = new Map(before).set(writerId, own);
  const merged = objectOr(mergeByShape(shape, live, config), live);
  const next = last === undefined ? merged : withoutGivenUp(shape, merged, managers, last.fields);
  const change = ownershipAfter({ shape, before: live, after: next, managers, writerId, resetFields });
  const isKubectl = writer.manager === 'kubectl';
  const conflicts = isKubectl
    ? without(change.conflicts, keptSinceNoted(shape, live, writer.apiVersion))
    : change.conflicts;
  if (!force && conflicts.size > 0) return { ok: false, refusal: conflictRefusal(conflicts, before) };
  const same = request.live !== undefined && sameJson(next, live);
  const time = same ? last?.time : writer.time;
  const entry = { ...own, time, fields: withoutServersOwn(own.fields) };
  const written = isKubectl ? withNote(next, config) : next;
  return answered(withManagers(written, new Map(change.managers).set(writerId, entry)));
}

function without(conflicts: ReadonlyMap<string, FieldSet>, allowed: FieldSet): ReadonlyMap<string, FieldSet> {
  const left = [...conflicts].map(([id, fields]) => [id, difference(fields, allowed)] as const);
  return new Map(left.filter(([, fields]) => !isNothing(fields)));
}

/** What was there before anybody's fields were recorded belongs to a manager of that name. */
function managersBefore(request: ApplyRequest, live: JsonObject): Managers {
  const known = managersOf(request.live) ?? new Map<string, Manager>();
  if (known.size > 0 || request.live === undefined) return known;
  const writer = { ...request.writer, manager: 'before-first-apply' };
  return creationRecorded({ next: live, shape: request.shape, writer });
}

function emptyLike(config: JsonObject): JsonObject {
  const { apiVersion, kind } = config;
  return { ...(apiVersion === undefined ? {} : { apiVersion }), ...(kind === undefined ? {} : { kind }) };
}

function objectOr(value: Json | undefined, otherwise: JsonObject): JsonObject {
  return isObject(value) ? value : otherwise;
}

/** Without what the manager applied last time and does not now, unless somebody else owns it too. */
function withoutGivenUp(shape: Shape, merged: JsonObject, managers: Managers, last: FieldSet): JsonObject {
  const named = (set: FieldSet) => withNamedFields(shape, set);
  const placesOf = (value: Json | undefined) => named(value === undefined ? NOTHING : fieldsOf(shape, value));
  const all = placesOf(merged);
  const stripped = removeFields(shape, merged, named(last));
  const owned = [...managers.values()].reduce((sum, { fields }) => union(sum, fields), NOTHING);
  const withOwned = removeFields(shape, merged, difference(all, union(placesOf(stripped), named(owned))));
  // Only what this manager itself had owned may go.
  const given = intersection(difference(all, placesOf(withOwned)), named(last));
  return objectOr(removeFields(shape, merged, given), merged);
}
