/** Why a request is not carried out, in the terms of a Kubernetes `Status`. */
export interface Refusal {
  /** HTTP status. */
  readonly code: number;
  /** `Invalid`, `Conflict`, `BadRequest`... */
  readonly reason: string;
  readonly message: string;
  readonly causes?: readonly StatusCause[];
}

/** One entry of a Status's `details.causes`. */
export interface StatusCause {
  /** `FieldValueInvalid`, `FieldManagerConflict`... */
  readonly reason: string;
  readonly message: string;
  /** `spec.rules[0].name`, `.data.key` for conflicts. */
  readonly field?: string;
}

/** A result, or why there is none. */
export type Answer<T> = { readonly ok: true; readonly value: T } | { readonly ok: false; readonly refusal: Refusal };

export function answered<T>(value: T): Answer<T> {
  return { ok: true, value };
}

export function refused(
  code: number,
  reason: string,
  message: string,
  causes?: readonly StatusCause[],
): { readonly ok: false; readonly refusal: Refusal } {
  return { ok: false, refusal: causes === undefined ? { code, reason, message } : { code, reason, message, causes } };
}
