import { type JsonObject, sameJson } from '../json.ts';
import { hasStatus, type ServedKind, served } from '../kinds/kind.ts';
import { type ApiObject, objectAt, textsAt, without } from '../object-fields.ts';
import { type FieldError, invalid, modified } from '../status.ts';
import { storageKey } from '../storage/collection.ts';
import { readByKind } from './body.ts';
import { collectionOf, isDryRun, type ResourceCall } from './call.ts';
import { type Committed, holdsNamespace, type Recording, storedForm, subjectOf, withOwners } from './committed.ts';
import { clientMetadata, metadataErrors, serverMetadata } from './metadata.ts';

/** Stores a change of an object that was read as `current`, or says why not. `next` is in the form of the request's version. */
export async function commitChange(
  call: ResourceCall,
  current: ApiObject,
  next: JsonObject,
  recording: Recording,
): Promise<Committed> {
  const { cluster, kind, info } = call;
  const { name, namespace } = current.metadata;
  const { object: read, warnings } = readByKind(call, next);
  const shown = served(kind, current);
  const isStatus = info.subresource === 'status';
  const whole = isStatus ? withStatusOf(shown, read) : withoutStatusOf(kind, shown, read);
  // Before the server adds its own, which belongs to nobody.
  const owned = storedForm(kind, recording === 'done' ? whole : withOwners(call, current, whole));
  const prepared = isStatus ? owned : (kind.rules.prepare?.(owned, current) ?? owned);
  const found = [...metadataErrors(kind, prepared, current), ...(kind.rules.validate?.(prepared, current) ?? [])];
  const errors = isStatus && kind.custom ? found.map(withinStatus) : found;
  if (errors.length > 0) throw invalid(subjectOf(kind, prepared), name, errors);
  const changed = withGeneration(kind, prepared, current) as ApiObject;
  const dryRun = isDryRun(call);
  const admitted = await cluster.admit({
    operation: 'UPDATE',
    kind,
    namespace,
    name,
    subresource: info.subresource,
    object: served(kind, changed),
    oldObject: shown,
    dryRun,
    user: call.user,
  });
  const collection = collectionOf(call);
  const key = storageKey(namespace, name);
  // Another write may have come in while a webhook was asked.
  if (collection.get(key) !== current) throw modified(kind, name);
  if (sameJson(changed, current)) return { stored: current, warnings, created: false };
  if (dryRun) return { stored: changed, warnings, created: false };
  const told = [...warnings, ...admitted, ...(kind.rules.warnings?.(changed) ?? [])];
  const isHeld = textsAt(changed.metadata, 'finalizers').length > 0 || holdsNamespace(kind, changed);
  if (current.metadata.deletionTimestamp === undefined || isHeld) {
    return { stored: collection.put(key, changed), warnings: told, created: false };
  }
  // The last finalizer is gone, and with it the object: this change itself is never stored.
  collection.remove(key);
  return { stored: changed, warnings: told, created: false };
}

/** A write to the status changes nothing in metadata but who owns what. */
function withStatusOf(shown: ApiObject, read: JsonObject): JsonObject {
  const managedFields = objectAt(read, 'metadata')['managedFields'];
  const metadata = managedFields === undefined ? shown.metadata : { ...shown.metadata, managedFields };
  const rest = { ...without(shown, 'status'), metadata };
  return read['status'] === undefined ? rest : { ...rest, status: read['status'] };
}

/** A write to the object leaves a status that is written by itself as it was. */
function withoutStatusOf(kind: ServedKind, shown: ApiObject, read: JsonObject): JsonObject {
  const { name, namespace } = shown.metadata;
  const metadata = {
    ...clientMetadata(objectAt(read, 'metadata')),
    ...serverMetadata(shown),
    name,
    ...(namespace === undefined ? {} : { namespace }),
  };
  if (!hasStatus(kind)) return { ...read, metadata };
  const rest = { ...without(read, 'status'), metadata };
  return shown['status'] === undefined ? rest : { ...rest, status: shown['status'] };
}

function withGeneration(kind: ServedKind, next: JsonObject, current: ApiObject): JsonObject {
  const { generation } = current.metadata;
  if (!kind.rules.countsGenerations || generation === undefined) return next;
  const ignored = hasStatus(kind) ? ['metadata', 'status'] : ['metadata'];
  if (sameJson(without(next, ...ignored), without(current, ...ignored))) return next;
  return { ...next, metadata: { ...objectAt(next, 'metadata'), generation: generation + 1 } };
}

/** A status is judged by itself, and texts about types name the field from there. */
function withinStatus(error: FieldError): FieldError {
  return { ...error, message: error.message.replace(/\bstatus\.(\S+ in body)/, '$1') };
}
