import type { JsonObject } from './json.ts';
import type { Answer, Refusal, StatusCause } from './refusal.ts';

/** The resource that a refusal is about, as messages name it. */
export interface Subject {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

/** The body of every answer that is no success (`meta/v1 Status`). */
export interface StatusBody {
  readonly kind: 'Status';
  readonly apiVersion: 'v1';
  readonly metadata: JsonObject;
  readonly status: 'Failure' | 'Success';
  readonly message?: string;
  readonly reason?: string;
  readonly details?: object;
  readonly code?: number;
}

/** Ends the serving of a request; the answer is `status`. Messages read as those of a real API server: clients match on them. */
export class StatusError extends Error {
  override readonly name = 'StatusError';
  readonly status: StatusBody & { readonly code: number };

  constructor(code: number, reason: string, message: string, details?: object, metadata: JsonObject = {}) {
    super(message);
    this.status = {
      kind: 'Status',
      apiVersion: 'v1',
      metadata,
      status: 'Failure',
      message,
      ...(reason === '' ? {} : { reason }),
      ...(details === undefined ? {} : { details }),
      code,
    };
  }
}

/** `secrets`, `trustdomains.keyturn.kyma-project.io`. */
export function groupResource(subject: Pick<Subject, 'group' | 'plural'>): string {
  return subject.group === '' ? subject.plural : `${subject.plural}.${subject.group}`;
}

/** Real servers leave empty fields out of `details`. */
function detailsOf(subject: Pick<Subject, 'group' | 'plural'>, name: string | undefined, more: object = {}) {
  return {
    ...(name === undefined || name === '' ? {} : { name }),
    ...(subject.group === '' ? {} : { group: subject.group }),
    kind: subject.plural,
    ...more,
  };
}

export function badRequest(message: string): StatusError {
  return new StatusError(400, 'BadRequest', message);
}

export function unauthorized(): StatusError {
  return new StatusError(401, 'Unauthorized', 'Unauthorized');
}

export function forbidden(
  subject: Pick<Subject, 'group' | 'plural'>,
  name: string,
  why: string,
  more?: object,
): StatusError {
  const named = name === '' ? groupResource(subject) : `${groupResource(subject)} "${name}"`;
  return new StatusError(403, 'Forbidden', `${named} is forbidden: ${why}`, detailsOf(subject, name, more));
}

export function forbiddenPath(why: string): StatusError {
  return new StatusError(403, 'Forbidden', `forbidden: ${why}`, {});
}

export function notFound(subject: Pick<Subject, 'group' | 'plural'>, name: string): StatusError {
  return new StatusError(404, 'NotFound', `${groupResource(subject)} "${name}" not found`, detailsOf(subject, name));
}

/** There is no such resource or subresource. */
export function resourceNotFound(): StatusError {
  return new StatusError(404, 'NotFound', 'the server could not find the requested resource', {});
}

export function methodNotAllowed(): StatusError {
  const message = 'the server does not allow this method on the requested resource';
  return new StatusError(405, 'MethodNotAllowed', message, {});
}

/** @param leaving the object that is there is on its way out */
export function alreadyExists(subject: Subject, name: string, leaving = false): StatusError {
  const message = `${leaving ? 'object is being deleted: ' : ''}${groupResource(subject)} "${name}" already exists`;
  return new StatusError(409, 'AlreadyExists', message, detailsOf(subject, name));
}

export function conflict(subject: Pick<Subject, 'group' | 'plural'>, name: string, why: string): StatusError {
  const message = `Operation cannot be fulfilled on ${groupResource(subject)} "${name}": ${why}`;
  return new StatusError(409, 'Conflict', message, detailsOf(subject, name));
}

/** The object has another resourceVersion by now. */
export function modified(subject: Pick<Subject, 'group' | 'plural'>, name: string): StatusError {
  return conflict(
    subject,
    name,
    'the object has been modified; please apply your changes to the latest version and try again',
  );
}

export function expired(message: string): StatusError {
  return new StatusError(410, 'Expired', message);
}

/** @param continueToken starts an inconsistent rest of the list, where the client prefers that to a fresh one */
export function expiredContinue(continueToken: string): StatusError {
  return new StatusError(410, 'Expired', EXPIRED_CONTINUE, undefined, { continue: continueToken });
}

const EXPIRED_CONTINUE =
  'The provided continue parameter is too old to display a consistent list result. You can start a new list without ' +
  'the continue parameter, or use the continue token in this response to retrieve the remainder of the results. ' +
  'Continuing with the provided token results in an inconsistent list - objects that were created, modified, or ' +
  'deleted between the time the first chunk was returned and now may show up in the list.';

/** Protobuf is named for built-in kinds, as a real server does, which speaks it. */
export function bodyTypes(custom: boolean): readonly string[] {
  return ['application/json', 'application/yaml', ...(custom ? [] : ['application/vnd.kubernetes.protobuf'])];
}

export function notAcceptable(custom: boolean): StatusError {
  const message = `406: Not Acceptable\n\nAvailable representations: ${bodyTypes(custom).join(', ')}`;
  return new StatusError(406, 'NotAcceptable', message, {});
}

export function unsupportedMediaType(accepted: readonly string[]): StatusError {
  const list = accepted.join(', ');
  const message = `the body of the request was in an unknown format - accepted media types include: ${list}`;
  return new StatusError(415, 'UnsupportedMediaType', message);
}

/** Options of the request itself are no good: `ListOptions.meta.k8s.io "" is invalid: ...`. */
export function invalidOptions(kind: string, errors: readonly FieldError[]): StatusError {
  return invalid({ group: 'meta.k8s.io', plural: '', kind }, '', errors);
}

/** What is wrong with one field. `reason` is one of `FieldValueInvalid`, `FieldValueRequired`, ... */
export interface FieldError extends StatusCause {
  readonly field: string;
}

export function invalid(subject: Subject, name: string, errors: readonly FieldError[]): StatusError {
  const told = [...new Set(errors.map(({ field, message }) => `${field}: ${message}`))];
  const all = told.length === 1 ? (told[0] ?? '') : `[${told.join(', ')}]`;
  const details = {
    ...(name === '' ? {} : { name }),
    ...(subject.group === '' ? {} : { group: subject.group }),
    kind: subject.kind,
    causes: errors.map(({ field, reason, message }) => ({ reason, message, field })),
  };
  const title = subject.group === '' ? subject.kind : `${subject.kind}.${subject.group}`;
  return new StatusError(422, 'Invalid', `${title} "${name}" is invalid: ${all}`, details);
}

export function tooLargeResourceVersion(asked: number, current: number): StatusError {
  return new StatusError(504, 'Timeout', `Timeout: Too large resource version: ${asked}, current: ${current}`, {
    causes: [{ reason: 'ResourceVersionTooLarge', message: 'Too large resource version' }],
    retryAfterSeconds: 1,
  });
}

export function internalError(message: string): StatusError {
  return new StatusError(500, 'InternalError', `Internal error occurred: ${message}`, { causes: [{ message }] });
}

/** The value, or the refusal as an exception. `subject` is named in its details. */
export function orThrow<T>(answer: Answer<T>, subject?: Pick<Subject, 'group' | 'plural' | 'kind'>, name?: string): T {
  if (answer.ok) return answer.value;
  throw errorOf(answer.refusal, subject, name);
}

export function errorOf(refusal: Refusal, subject?: Subject, name?: string): StatusError {
  const { code, reason, message, causes } = refusal;
  const more = causes === undefined ? (code === 422 ? {} : undefined) : { causes };
  if (subject === undefined || code === 400) return new StatusError(code, reason, message, more);
  // A 422 names the kind where every other answer names the resource.
  const kind = code === 422 ? { kind: subject.kind } : {};
  return new StatusError(code, reason, message, detailsOf(subject, name, { ...kind, ...more }));
}
