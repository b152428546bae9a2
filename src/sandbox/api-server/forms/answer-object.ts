import type { AnswerForm } from '../http/negotiate.ts';
import { served } from '../kinds/kind.ts';
import type { ApiObject } from '../object-fields.ts';
import type { AnswerBody, ResourceCall } from '../verbs/call.ts';
import { encodedObject } from './encoded.ts';
import { partialMetadata } from './partial-metadata.ts';
import { includeObject, table } from './table.ts';

/** The forms besides the object itself that an answer about a resource can have. */
export function servesForm({ as, version }: AnswerForm): boolean {
  return version === 'v1' && (as === 'Table' || as === 'PartialObjectMetadata' || as === 'PartialObjectMetadataList');
}

/** One object in the form that the client asked for. */
export function objectAnswer(call: ResourceCall, stored: ApiObject): AnswerBody {
  const { kind, form } = call;
  if (form.as === 'PartialObjectMetadata') return { value: partialMetadata(served(kind, stored)) };
  if (form.as === 'Table') {
    const metadata = { resourceVersion: stored.metadata.resourceVersion };
    const options = { include: includeObject(call.query), nowMs: call.cluster.clock.nowMs() };
    return { value: table(kind, [served(kind, stored)], metadata, options) };
  }
  return { text: encodedObject(kind, stored) };
}
