import { randomUUID } from 'node:crypto';
import { timestamp } from '../cluster.ts';
import type { JsonObject } from '../json.ts';
import { served } from '../kinds/kind.ts';
import { type ApiObject, objectAt, textAt } from '../object-fields.ts';
import { alreadyExists, invalid } from '../status.ts';
import { storageKey } from '../storage/collection.ts';
import { readByKind } from './body.ts';
import { collectionOf, isDryRun, type ResourceCall } from './call.ts';
import { type Committed, type Recording, storedForm, subjectOf, withOwners } from './committed.ts';
import { clientMetadata, generatedName, metadataErrors } from './metadata.ts';
import { refuseInMissingNamespace } from './namespace-check.ts';

function givenGeneration({ generation }: JsonObject): JsonObject {
  return typeof generation === 'number' && generation > 0 ? { generation } : {};
}

/** Stores a new object, or says why not. */
export async function commitNew(call: ResourceCall, body: JsonObject, recording: Recording): Promise<Committed> {
  const { cluster, kind } = call;
  const { object: read, warnings } = readByKind(call, body);
  const given = objectAt(read, 'metadata');
  const base = textAt(given, 'generateName') ?? '';
  const name = textAt(given, 'name') || (base === '' ? '' : generatedName(base));
  const namespace = kind.namespaced ? call.info.namespace : undefined;
  refuseInMissingNamespace(call, name);
  const whole: JsonObject = {
    ...read,
    metadata: {
      ...clientMetadata(given),
      name,
      ...(namespace === undefined ? {} : { namespace }),
      uid: randomUUID(),
      creationTimestamp: timestamp(cluster.clock),
      // Where the server does not count, it keeps what it is told.
      ...(kind.rules.countsGenerations ? { generation: 1 } : givenGeneration(given)),
    },
  };
  // Before the server adds its own, which belongs to nobody.
  const owned = storedForm(kind, recording === 'done' ? whole : withOwners(call, undefined, whole));
  const prepared = (kind.rules.prepare?.(owned, undefined) ?? owned) as ApiObject;
  const errors = [...metadataErrors(kind, prepared, undefined), ...(kind.rules.validate?.(prepared, undefined) ?? [])];
  if (errors.length > 0) throw invalid(subjectOf(kind, prepared), name, errors);
  const dryRun = isDryRun(call);
  const admitted = await cluster.admit({
    operation: 'CREATE',
    kind,
    namespace,
    name,
    subresource: call.info.subresource,
    object: served(kind, prepared),
    oldObject: undefined,
    dryRun,
    user: call.user,
  });
  const collection = collectionOf(call);
  const key = storageKey(namespace, name);
  const there = collection.get(key);
  if (there !== undefined) throw alreadyExists(kind, name, there.metadata.deletionTimestamp !== undefined);
  const told = [...warnings, ...admitted, ...(kind.rules.warnings?.(prepared) ?? [])];
  return { stored: dryRun ? prepared : collection.put(key, prepared), warnings: told, created: true };
}
