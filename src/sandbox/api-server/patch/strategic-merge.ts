import type { Json, JsonObject } from '../json.ts';
import { type Answer, answered } from '../refusal.ts';
import type { Shape } from './shape.ts';

/** `application/strategic-merge-patch+json` on an object of a built-in kind. */
export function strategicMerged(_shape: Shape, target: JsonObject, _patch: Json): Answer<JsonObject> {
  return answered(target);
}
