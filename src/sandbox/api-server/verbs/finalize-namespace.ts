import { objectAnswer } from '../forms/answer-object.ts';
import { type ApiObject, objectAt, textsAt } from '../object-fields.ts';
import { notFound } from '../status.ts';
import { objectOfBody } from './body.ts';
import { type CallAnswer, collectionOf, type ResourceCall } from './call.ts';
import { refuseOther } from './update.ts';

/** PUT to a namespace's `finalize`: the only way to change `spec.finalizers`. */
export function finalizeNamespace(call: ResourceCall): CallAnswer {
  const { kind, info } = call;
  const name = info.name ?? '';
  const collection = collectionOf(call);
  const current = collection.get(name);
  if (current === undefined) throw notFound(kind, name);
  const body = objectOfBody(call);
  refuseOther(call, current, objectAt(body, 'metadata'));
  const finalizers = textsAt(body, 'spec', 'finalizers');
  const next = { ...current, spec: finalizers.length === 0 ? {} : { finalizers } } as ApiObject;
  const stored = collection.put(name, next);
  const isDone = finalizers.length === 0 && stored.metadata.deletionTimestamp !== undefined;
  if (!isDone || textsAt(stored, 'metadata', 'finalizers').length > 0) {
    return { code: 200, body: objectAnswer(call, stored) };
  }
  return { code: 200, body: objectAnswer(call, collection.remove(name) ?? stored) };
}
