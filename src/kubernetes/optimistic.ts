import type { CallOptions } from './answer.ts';
import type { KubeClient } from './client.ts';
import { isConflict } from './errors.ts';
import type { WriteOptions } from './request.ts';
import type { KubeObject, ObjectRef, Resource } from './resource.ts';

/** Conflicts come from other writers, each of whom has made progress; more than this means a fight. */
const ATTEMPTS = 5;

/**
 * Reads an object live, changes it, and replaces it on condition that nobody else has changed it meanwhile; if
 * somebody has, begins again. `change` may run several times, and returns undefined to leave the object alone.
 * @returns the object as it stands afterwards
 * @throws {KubeError} 404 where it does not exist, 409 after five conflicts in a row
 */
export async function modify<T extends KubeObject>(
  client: KubeClient,
  resource: Resource,
  ref: ObjectRef,
  change: (current: T) => T | undefined,
  call: CallOptions & WriteOptions & { readonly subresource?: 'status' },
): Promise<T> {
  for (let attempt = 1; ; attempt += 1) {
    const current = await client.get<T>(resource, ref, call);
    const wanted = change(current);
    if (wanted === undefined) return current;
    const { resourceVersion, uid } = current.metadata;
    // The condition stands whatever `change` made of the metadata; the uid guards against delete and create.
    const conditional = {
      ...wanted,
      metadata: { ...wanted.metadata, ...(resourceVersion && { resourceVersion }), ...(uid && { uid }) },
    };
    try {
      return call.subresource === 'status'
        ? await client.replaceStatus<T>(resource, conditional, call)
        : await client.replace<T>(resource, conditional, call);
    } catch (error) {
      if (!isConflict(error) || attempt === ATTEMPTS) throw error;
    }
  }
}
