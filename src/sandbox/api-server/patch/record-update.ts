import type { JsonObject } from '../json.ts';
import type { Shape } from './shape.ts';
import type { Writer } from './writer.ts';

export interface UpdateRequest {
  /** The stored object, undefined on create. */
  readonly live: JsonObject | undefined;
  /** What is about to be stored: after defaults, pruning and patches. Its own `managedFields` may be a reset (`[]`, `[{}]`). */
  readonly next: JsonObject;
  readonly shape: Shape;
  readonly writer: Writer;
  /** See {@link ApplyRequest.resetFields}. */
  readonly resetFields?: readonly (readonly string[])[];
}

/**
 * The object with `managedFields` after a create, replace or patch: what changed belongs to the writer, what is gone to
 * nobody. Times change only where fields do.
 */
export function withUpdateRecorded(request: UpdateRequest): JsonObject {
  return request.next;
}
