import { objectAnswer } from '../forms/answer-object.ts';
import { notFound } from '../status.ts';
import { storageKey } from '../storage/collection.ts';
import { type CallAnswer, collectionOf, type ResourceCall } from './call.ts';

/** GET of one object. Its status subresource shows the same. */
export function readObject(call: ResourceCall): CallAnswer {
  const { kind, info } = call;
  const name = info.name ?? '';
  const stored = collectionOf(call).get(storageKey(kind.namespaced ? info.namespace : undefined, name));
  if (stored === undefined) throw notFound(kind, name);
  return { code: 200, body: objectAnswer(call, stored) };
}
