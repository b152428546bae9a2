import { timestamp } from '../cluster.ts';
import type { JsonObject } from '../json.ts';
import { apiVersionOfKind, hasStatus, type ServedKind, served } from '../kinds/kind.ts';
import { type ApiObject, textAt, textsAt } from '../object-fields.ts';
import { withUpdateRecorded } from '../patch/record-update.ts';
import type { Writer } from '../patch/writer.ts';
import type { Subject } from '../status.ts';
import { managerOf, type ResourceCall } from './call.ts';

export interface Committed {
  readonly stored: ApiObject;
  readonly warnings: readonly string[];
  readonly created: boolean;
}

/** How ownership of fields is kept: by comparing before and after, or not at all where an apply has seen to it. */
export type Recording = 'update' | 'done';

export function writerOf(call: ResourceCall): Writer {
  const { subresource } = call.info;
  return {
    manager: managerOf(call),
    apiVersion: apiVersionOfKind(call.kind),
    ...(subresource === 'status' ? { subresource } : {}),
    time: timestamp(call.cluster.clock),
  };
}

/** Fields that a write to the resource or to its status leaves alone. */
export function resetFields(call: ResourceCall): readonly (readonly string[])[] {
  if (call.info.subresource === 'status') return [['spec'], ['metadata']];
  return hasStatus(call.kind) ? [['status']] : [];
}

/** Owners are kept in terms of the version that the request speaks. */
export function withOwners(call: ResourceCall, live: ApiObject | undefined, next: JsonObject): JsonObject {
  const { kind } = call;
  return withUpdateRecorded({
    live: live === undefined ? undefined : served(kind, live),
    next,
    shape: kind.shape,
    ...(kind.rules.blank === undefined ? {} : { blank: kind.rules.blank }),
    writer: writerOf(call),
    resetFields: resetFields(call),
  });
}

export function storedForm(kind: ServedKind, object: JsonObject): JsonObject {
  return kind.rules.toStored?.(object) ?? object;
}

/** What a 422 names: the kind as it is stored. Both groups of events are judged as the core group's. */
export function subjectOf(kind: ServedKind, inStore: JsonObject): Subject {
  const apiVersion = textAt(inStore, 'apiVersion') ?? '';
  return apiVersion.includes('/') ? kind : { plural: kind.plural, kind: kind.kind, group: '' };
}

/** A namespace is held by `spec.finalizers` as well. */
export function holdsNamespace(kind: ServedKind, object: JsonObject): boolean {
  return kind.collection === 'namespaces' && textsAt(object, 'spec', 'finalizers').length > 0;
}
