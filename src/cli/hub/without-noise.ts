import type { KubeObject } from '../../kubernetes/resource.ts';

/** An object as people and programs want to see it: without the bookkeeping of field ownership. */
export function withoutNoise<T extends KubeObject>(object: T): T {
  const { managedFields: _, ...metadata } = object.metadata;
  return { ...object, metadata };
}
