import { randomUUID } from 'node:crypto';
import { timestamp } from '../cluster.ts';
import { type JsonObject, sameJson } from '../json.ts';
import { apiVersionOfKind, hasStatus, type ServedKind, served } from '../kinds/kind.ts';
import { type ApiObject, objectAt, textAt, textsAt, without } from '../object-fields.ts';
import { withUpdateRecorded } from '../patch/record-update.ts';
import type { Writer } from '../patch/writer.ts';
import { alreadyExists, invalid, modified } from '../status.ts';
import { storageKey } from '../storage/collection.ts';
import { readByKind } from './body.ts';
import { collectionOf, isDryRun, managerOf, type ResourceCall } from './call.ts';
import { clientMetadata, generatedName, metadataErrors, serverMetadata } from './metadata.ts';
import { refuseInMissingNamespace } from './namespace-check.ts';

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

/** Stores a new object, or says why not. */
export async function commitNew(call: ResourceCall, body: JsonObject, recording: Recording): Promise<Committed> {
  const { cluster, kind } = call;
  const { object: read, warnings } = readByKind(call, body);
  const given = objectAt(read, 'metadata');
  const base = textAt(given, 'generateName') ?? '';
  const name = textAt(given, 'name') || (base === '' ? '' : generatedName(base));
  const namespace = kind.namespaced ? call.info.namespace : undefined;
  refuseInMissingNamespace(call);
  const prepared = (kind.rules.prepare ?? keep)(
    storedForm(kind, {
      ...read,
      metadata: {
        ...clientMetadata(given),
        name,
        ...(namespace === undefined ? {} : { namespace }),
        uid: randomUUID(),
        creationTimestamp: timestamp(cluster.clock),
        ...(kind.rules.countsGenerations ? { generation: 1 } : {}),
      },
    }),
    undefined,
  );
  const errors = [...metadataErrors(kind, prepared, undefined), ...(kind.rules.validate?.(prepared, undefined) ?? [])];
  if (errors.length > 0) throw invalid(kind, name, errors);
  const recorded = recording === 'done' ? prepared : withOwners(call, undefined, prepared);
  const key = storageKey(namespace, name);
  const dryRun = isDryRun(call);
  const { subresource } = call.info;
  const admitted = { operation: 'CREATE', kind, namespace, name, subresource, dryRun, user: call.user } as const;
  await cluster.admit({ ...admitted, object: recorded, oldObject: undefined });
  const collection = collectionOf(call);
  if (collection.get(key) !== undefined) throw alreadyExists(kind, name);
  const stored = dryRun ? (recorded as ApiObject) : collection.put(key, recorded as ApiObject);
  return { stored, warnings, created: true };
}

/** Stores a change of an object that was read as `current`, or says why not. `next` is in the form of the request's version. */
export async function commitChange(
  call: ResourceCall,
  current: ApiObject,
  next: JsonObject,
  recording: Recording,
): Promise<Committed> {
  const { cluster, kind, info } = call;
  const { name } = current.metadata;
  const { object: read, warnings } = readByKind(call, next);
  const shown = served(kind, current);
  const merged =
    info.subresource === 'status'
      ? { ...shown, status: read['status'] ?? {}, metadata: ownedBy(shown, read) }
      : {
          ...read,
          metadata: { ...clientMetadata(objectAt(read, 'metadata')), ...serverMetadata(current), ...placeOf(current) },
        };
  const statusKept =
    info.subresource !== 'status' && hasStatus(kind)
      ? { ...without(merged, 'status'), ...(shown['status'] === undefined ? {} : { status: shown['status'] }) }
      : merged;
  const inStore = storedForm(
    kind,
    read['status'] === undefined && info.subresource === 'status' ? without(statusKept, 'status') : statusKept,
  );
  const prepared = info.subresource === 'status' ? inStore : (kind.rules.prepare ?? keep)(inStore, current);
  const errors = [...metadataErrors(kind, prepared, current), ...(kind.rules.validate?.(prepared, current) ?? [])];
  if (errors.length > 0) throw invalid(kind, name, errors);
  const counted = withGeneration(kind, prepared, current);
  const recorded = recording === 'done' ? counted : withOwners(call, current, counted);
  const { namespace } = current.metadata;
  const dryRun = isDryRun(call);
  await cluster.admit({
    operation: 'UPDATE',
    kind,
    namespace,
    name,
    subresource: info.subresource,
    object: recorded,
    oldObject: current,
    dryRun,
    user: call.user,
  });
  const collection = collectionOf(call);
  const key = storageKey(namespace, name);
  // Another write may have come in while a webhook was asked.
  if (collection.get(key) !== current) throw modified(kind, name);
  if (sameJson(recorded, current)) return { stored: current, warnings, created: false };
  if (dryRun) return { stored: recorded as ApiObject, warnings, created: false };
  const isDeleted = current.metadata.deletionTimestamp !== undefined;
  if (isDeleted && textsAt(recorded, 'metadata', 'finalizers').length === 0 && !holdsNamespace(kind, recorded)) {
    // The last finalizer is gone, and with it the object.
    collection.put(key, recorded as ApiObject);
    return { stored: collection.remove(key) ?? (recorded as ApiObject), warnings, created: false };
  }
  return { stored: collection.put(key, recorded as ApiObject), warnings, created: false };
}

/** Owners are kept in terms of the version that the request speaks. */
function withOwners(call: ResourceCall, live: ApiObject | undefined, next: JsonObject): JsonObject {
  const { kind } = call;
  const recorded = withUpdateRecorded({
    live: live === undefined ? undefined : served(kind, live),
    next: served(kind, next as ApiObject),
    shape: kind.shape,
    writer: writerOf(call),
    resetFields: resetFields(call),
  });
  return storedForm(kind, recorded);
}

/** A namespace is held by `spec.finalizers` as well. */
export function holdsNamespace(kind: ServedKind, object: JsonObject): boolean {
  return kind.collection === 'namespaces' && textsAt(object, 'spec', 'finalizers').length > 0;
}

function keep(next: JsonObject): JsonObject {
  return next;
}

function storedForm(kind: ServedKind, object: JsonObject): JsonObject {
  return kind.rules.toStored?.(object) ?? object;
}

function placeOf({ metadata }: ApiObject): JsonObject {
  return metadata.namespace === undefined
    ? { name: metadata.name }
    : { name: metadata.name, namespace: metadata.namespace };
}

/** A write to the status changes nothing in metadata but who owns what. */
function ownedBy(shown: ApiObject, read: JsonObject): JsonObject {
  const managedFields = objectAt(read, 'metadata')['managedFields'];
  return managedFields === undefined ? shown.metadata : { ...shown.metadata, managedFields };
}

function withGeneration(kind: ServedKind, next: JsonObject, current: ApiObject): JsonObject {
  const { generation } = current.metadata;
  if (!kind.rules.countsGenerations || generation === undefined) return next;
  const ignored = hasStatus(kind) ? ['metadata', 'status'] : ['metadata'];
  if (sameJson(without(next, ...ignored), without(current, ...ignored))) return next;
  return { ...next, metadata: { ...objectAt(next, 'metadata'), generation: generation + 1 } };
}
