import { objectAnswer } from '../forms/answer-object.ts';
import type { JsonObject } from '../json.ts';
import { fieldError } from '../kinds/field-errors.ts';
import { type ApiObject, objectAt, textAt } from '../object-fields.ts';
import { badRequest, conflict, invalid, modified, notFound, StatusError } from '../status.ts';
import { storageKey } from '../storage/collection.ts';
import { objectOfBody } from './body.ts';
import { type CallAnswer, collectionOf, type ResourceCall } from './call.ts';
import { commitChange } from './commit-change.ts';
import { commitNew } from './commit-new.ts';
import type { Committed } from './committed.ts';

/** How often a write that is not conditional is tried again when others come in between. */
const ATTEMPTS = 5;

/** PUT of an object or of its status. */
export async function replaceObject(call: ResourceCall): Promise<CallAnswer> {
  const { kind, info } = call;
  const body = objectOfBody(call);
  const metadata = objectAt(body, 'metadata');
  const name = info.name ?? '';
  const given = textAt(metadata, 'name') ?? '';
  if (given !== name) {
    throw badRequest(
      given === ''
        ? `the name of the object (${name} based on URL) was undeterminable: name must be provided`
        : `the name of the object (${given}) does not match the name on the URL (${name})`,
    );
  }
  const resourceVersion = textAt(metadata, 'resourceVersion') ?? '';
  const committed = await retried(call, resourceVersion === '', async (current) => {
    if (current === undefined) {
      if (!kind.rules.createsOnReplace || info.subresource !== undefined) throw notFound(kind, name);
      if (resourceVersion !== '') throw notFound(kind, name);
      return commitNew(call, body, 'update');
    }
    if (resourceVersion === '' && !kind.rules.replacesUnconditionally) {
      // Here, and here only, a 422 names the resource in place of the kind.
      throw invalid({ ...kind, kind: kind.plural }, name, [
        fieldError.invalid('metadata.resourceVersion', 0, 'must be specified for an update'),
      ]);
    }
    refuseOther(call, current, metadata);
    return commitChange(call, current, body, 'update');
  });
  return {
    code: committed.created ? 201 : 200,
    body: objectAnswer(call, committed.stored),
    warnings: committed.warnings,
  };
}

/** Carries out a write on the object as it is now; again on what it is by then, where it is not conditional and another came first. */
export async function retried(
  call: ResourceCall,
  unconditional: boolean,
  write: (current: ApiObject | undefined) => Promise<Committed>,
): Promise<Committed> {
  const { kind, info } = call;
  const key = storageKey(kind.namespaced ? info.namespace : undefined, info.name ?? '');
  for (let attempt = 1; ; attempt += 1) {
    const current = collectionOf(call).get(key);
    try {
      return await write(current);
    } catch (error) {
      const raced =
        error instanceof StatusError && error.status.code === 409 && collectionOf(call).get(key) !== current;
      if (!unconditional || !raced || attempt === ATTEMPTS) throw error;
    }
  }
}

/** @throws {StatusError} 409 where the body is about another version of the object, or about another object */
export function refuseOther(call: ResourceCall, current: ApiObject, metadata: JsonObject): void {
  const { kind } = call;
  const { name, uid, resourceVersion } = current.metadata;
  const givenUid = textAt(metadata, 'uid') ?? '';
  if (givenUid !== '' && givenUid !== uid) {
    // The text names the place in etcd; that of the first cluster of a world on real parts.
    const key = `/1-${call.cluster.name}/${kind.collection}/${storageKey(current.metadata.namespace, name)}`;
    throw conflict(
      kind,
      name,
      `StorageError: invalid object, Code: 4, Key: ${key}, ResourceVersion: 0, AdditionalErrorMsg: Precondition failed: UID in precondition: ${givenUid}, UID in object meta: ${uid}`,
    );
  }
  const given = textAt(metadata, 'resourceVersion') ?? '';
  if (!/^\d*$/.test(given)) throw new StatusError(500, '', `strconv.ParseUint: parsing "${given}": invalid syntax`);
  if (given !== '' && given !== resourceVersion) throw modified(kind, name);
}
