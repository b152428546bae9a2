import type { Cluster } from '../cluster.ts';
import { timestamp } from '../cluster.ts';
import { objectAnswer } from '../forms/answer-object.ts';
import { parseObject } from '../http/read-request.ts';
import type { JsonObject } from '../json.ts';
import { fieldError } from '../kinds/field-errors.ts';
import { type ServedKind, served } from '../kinds/kind.ts';
import { type ApiObject, objectAt, textAt, textsAt, without } from '../object-fields.ts';
import { conflict, invalidOptions, notFound } from '../status.ts';
import { storageKey } from '../storage/collection.ts';
import { type CallAnswer, collectionOf, isDryRun, type ResourceCall } from './call.ts';
import { holdsNamespace } from './committed.ts';
import { listBody } from './list.ts';
import { selectionOf } from './selection.ts';

/** DELETE of one object. 200 with a Status where it is gone, with the object where something still holds it. */
export async function removeObject(call: ResourceCall): Promise<CallAnswer> {
  const { kind, info, cluster } = call;
  const name = info.name ?? '';
  const key = storageKey(kind.namespaced ? info.namespace : undefined, name);
  const collection = collectionOf(call);
  const options = deleteOptions(call);
  const current = collection.get(key);
  if (current === undefined) throw notFound(kind, name);
  refusePreconditions(call, current, options);
  const warnings = await admitRemoval(call, current, options);
  const stillThere = collection.get(key);
  if (stillThere === undefined) throw notFound(kind, name);
  refusePreconditions(call, stillThere, options);
  if (isDryRun(call) || options['dryRun'] !== undefined) {
    return { code: 200, body: { value: removed(kind, stillThere) }, warnings };
  }
  const revision = cluster.storage.revision();
  const held = markDeleted(cluster, kind, stillThere, propagationOf(call, options));
  if (held !== undefined) return { code: 200, body: objectAnswer(call, held), warnings };
  if (ANSWERED_WITH_OBJECT.has(kind.collection)) {
    const gone = kind.collection === 'pods' ? deleting(cluster, stillThere) : stillThere;
    const metadata = { ...gone.metadata, resourceVersion: String(revision + 1) };
    return { code: 200, body: objectAnswer(call, { ...gone, metadata }), warnings };
  }
  return { code: 200, body: { value: removed(kind, stillThere) }, warnings };
}

/** DELETE of a collection: everything that the selectors leave. */
export async function removeCollection(call: ResourceCall): Promise<CallAnswer> {
  const { cluster, kind } = call;
  const options = deleteOptions(call);
  const { namespace, matches } = selectionOf(call);
  const objects = collectionOf(call).list(namespace).filter(matches);
  for (const object of objects) {
    await admitRemoval(call, object, options);
    if (isDryRun(call)) continue;
    const now = collectionOf(call).get(storageKey(object.metadata.namespace, object.metadata.name));
    if (now !== undefined) markDeleted(cluster, kind, now, propagationOf(call, options));
  }
  const resourceVersion = String(cluster.storage.revision());
  return { code: 200, body: listBody(call, objects, { resourceVersion }) };
}

/** The deletion of these is answered with what they were. */
const ANSWERED_WITH_OBJECT = new Set(['pods', 'serviceaccounts', 'services']);

export type Propagation = 'Background' | 'Foreground' | 'Orphan';

const CRDS = 'customresourcedefinitions.apiextensions.k8s.io';
/** Holds a CRD that is being deleted until its objects are gone. */
export const CRD_CLEANUP = 'customresourcecleanup.apiextensions.k8s.io';

const PROPAGATION_FINALIZERS: Readonly<Partial<Record<Propagation, string>>> = {
  Foreground: 'foregroundDeletion',
  Orphan: 'orphan',
};

/**
 * Removes an object, or only marks it where a finalizer holds it.
 * @returns the marked object; undefined where it is gone
 */
export function markDeleted(
  cluster: Cluster,
  kind: ServedKind,
  current: ApiObject,
  propagation: Propagation = 'Background',
): ApiObject | undefined {
  const collection = cluster.storage.collection(kind.collection);
  const key = storageKey(current.metadata.namespace, current.metadata.name);
  const added = kind.collection === CRDS ? CRD_CLEANUP : PROPAGATION_FINALIZERS[propagation];
  const before = textsAt(current.metadata, 'finalizers');
  const finalizers = added === undefined || before.includes(added) ? before : [...before, added];
  if (finalizers.length === 0 && !holdsNamespace(kind, current)) {
    // Pods have a time of grace: watches see them marked before they go.
    if (kind.collection === 'pods') collection.put(key, deleting(cluster, current));
    collection.remove(key);
    return undefined;
  }
  if (current.metadata.deletionTimestamp !== undefined && finalizers.length === before.length) return current;
  const marked = deleting(cluster, current).metadata;
  const metadata = {
    ...(kind.collection === 'namespaces' ? without(marked, 'deletionGracePeriodSeconds') : marked),
    ...(finalizers.length === 0 ? {} : { finalizers }),
  };
  const phase =
    kind.collection === 'namespaces' ? { status: { ...objectAt(current, 'status'), phase: 'Terminating' } } : {};
  return collection.put(key, { ...current, ...phase, metadata } as ApiObject);
}

function deleting(cluster: Cluster, current: ApiObject): ApiObject {
  const { deletionTimestamp, generation } = current.metadata;
  if (deletionTimestamp !== undefined) return current;
  return {
    ...current,
    metadata: {
      ...current.metadata,
      deletionTimestamp: timestamp(cluster.clock),
      deletionGracePeriodSeconds: 0,
      ...(generation === undefined ? {} : { generation: generation + 1 }),
    },
  };
}

function deleteOptions(call: ResourceCall): JsonObject {
  return call.body.trim() === '' ? {} : parseObject(call.body, call.contentType, 'DeleteOptions', call.kind.custom);
}

function propagationOf(call: ResourceCall, options: JsonObject): Propagation {
  const value = textAt(options, 'propagationPolicy') ?? call.query.get('propagationPolicy') ?? '';
  if (value === '' || value === 'Background') return options['orphanDependents'] === true ? 'Orphan' : 'Background';
  if (value === 'Foreground' || value === 'Orphan') return value;
  const supported = ['Foreground', 'Background', 'Orphan', 'nil'];
  throw invalidOptions('DeleteOptions', [fieldError.notSupported('propagationPolicy', value, supported)]);
}

function refusePreconditions(call: ResourceCall, current: ApiObject, options: JsonObject): void {
  // Here, and here only, a 409 names the kind in place of the resource.
  const preconditioned = { group: call.kind.group, plural: call.kind.kind };
  const { name, uid, resourceVersion } = current.metadata;
  const wanted = objectAt(options, 'preconditions');
  const wantedUid = textAt(wanted, 'uid');
  if (wantedUid !== undefined && wantedUid !== uid) {
    throw conflict(
      preconditioned,
      name,
      `the UID in the precondition (${wantedUid}) does not match the UID in record (${uid}). The object might have been deleted and then recreated`,
    );
  }
  const wantedVersion = textAt(wanted, 'resourceVersion');
  if (wantedVersion !== undefined && wantedVersion !== resourceVersion) {
    throw conflict(
      preconditioned,
      name,
      `the ResourceVersion in the precondition (${wantedVersion}) does not match the ResourceVersion in record (${resourceVersion}). The object might have been modified`,
    );
  }
}

function admitRemoval(call: ResourceCall, current: ApiObject, options: JsonObject): Promise<readonly string[]> {
  return call.cluster.admit({
    operation: 'DELETE',
    kind: call.kind,
    namespace: current.metadata.namespace,
    name: current.metadata.name,
    subresource: undefined,
    object: undefined,
    oldObject: served(call.kind, current),
    dryRun: isDryRun(call) || options['dryRun'] !== undefined,
    user: call.user,
  });
}

function removed(kind: ServedKind, object: ApiObject): JsonObject {
  const { name, uid } = object.metadata;
  return {
    kind: 'Status',
    apiVersion: 'v1',
    metadata: {},
    status: 'Success',
    details: { name, ...(kind.group === '' ? {} : { group: kind.group }), kind: kind.plural, uid },
  };
}
