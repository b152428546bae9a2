import { objectAnswer } from '../forms/answer-object.ts';
import { objectAt, textAt } from '../object-fields.ts';
import { StatusError } from '../status.ts';
import { objectOfBody } from './body.ts';
import type { CallAnswer, ResourceCall } from './call.ts';
import { commitNew } from './commit-new.ts';

/** POST to a collection. */
export async function createObject(call: ResourceCall): Promise<CallAnswer> {
  const body = objectOfBody(call);
  if ((textAt(objectAt(body, 'metadata'), 'resourceVersion') ?? '') !== '') {
    throw new StatusError(500, '', 'resourceVersion should not be set on objects to be created');
  }
  const { stored, warnings } = await commitNew(call, body, 'update');
  return { code: 201, body: objectAnswer(call, stored), warnings };
}
