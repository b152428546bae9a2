import { isWrite, type KubeRequest } from './request.ts';
import { qualifiedName } from './resource.ts';

/**
 * Whether the same request may be sent again: `now` (at most after reading the object anew), `later`
 * (after a back-off) or `no` (it would fail the same way).
 */
export type Retry = 'no' | 'later' | 'now';

/**
 * For a write: `refused` means that it was surely not applied and will not be; `unknown` means that it
 * may have been, or may still be. The fences of a rotation rest on this: unknown counts as written.
 */
export type Outcome = 'refused' | 'unknown';

export interface KubeErrorFacts {
  readonly reason: string;
  readonly retry: Retry;
  readonly outcome: Outcome;
  readonly status?: number | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly fieldConflicts?: readonly FieldConflict[];
  readonly cause?: unknown;
}

/** A field that somebody else owns, as a 409 of a server-side apply tells it. */
export interface FieldConflict {
  readonly field: string;
  /** The server's words; they name the other manager. */
  readonly message: string;
}

/** Any failed request. Messages name verb, resource, object and cause, and never hold credentials or bodies. */
export class KubeError extends Error {
  override readonly name = 'KubeError';
  /** HTTP status; undefined where no answer came. */
  readonly status: number | undefined;
  /** The server's reason (`Conflict`, `NotFound`), or one of {@link NoAnswerReason}. */
  readonly reason: string;
  readonly retry: Retry;
  readonly outcome: Outcome;
  readonly retryAfterMs: number | undefined;
  readonly fieldConflicts: readonly FieldConflict[];

  constructor(message: string, facts: KubeErrorFacts) {
    super(message, facts.cause === undefined ? undefined : { cause: facts.cause });
    this.status = facts.status;
    this.reason = facts.reason;
    this.retry = facts.retry;
    this.outcome = facts.outcome;
    this.retryAfterMs = facts.retryAfterMs;
    this.fieldConflicts = facts.fieldConflicts ?? [];
  }
}

/** Why there is no answer of the server. */
export type NoAnswerReason =
  | 'Unreachable'
  | 'TlsFailed'
  | 'ConnectionLost'
  | 'TimedOut'
  | 'Aborted'
  | 'ClientClosed'
  | 'CredentialsFailed'
  | 'MalformedResponse';

export function isNotFound(error: unknown): error is KubeError {
  return error instanceof KubeError && error.status === 404;
}

/** The object has another resourceVersion, or (see {@link isFieldConflict}) another owner of a field. */
export function isConflict(error: unknown): error is KubeError {
  return error instanceof KubeError && error.status === 409 && error.reason !== 'AlreadyExists';
}

export function isFieldConflict(error: unknown): error is KubeError {
  return isConflict(error) && error.fieldConflicts.length > 0;
}

export function isAlreadyExists(error: unknown): error is KubeError {
  return error instanceof KubeError && error.status === 409 && error.reason === 'AlreadyExists';
}

/** 401 or 403: fresh credentials may help, this client will not get better by itself (B45). */
export function isDenied(error: unknown): error is KubeError {
  return error instanceof KubeError && (error.status === 401 || error.status === 403);
}

export function isAborted(error: unknown): error is KubeError {
  return error instanceof KubeError && error.reason === 'Aborted';
}

/** Whether a write that threw this may have been applied. Anything that is no KubeError counts as unknown. */
export function mayHaveBeenWritten(error: unknown): boolean {
  return !(error instanceof KubeError) || error.outcome === 'unknown';
}

/** `get secrets istio-system/klm-watcher`: what the request was about, with no query and no body. */
export function describe(request: KubeRequest): string {
  if (request.resource === undefined) return `${request.verb} ${request.path}`;
  const segments = request.path.split('/').map(decodeURIComponent);
  const at = segments.lastIndexOf(request.resource.plural);
  const namespace = segments[at - 2] === 'namespaces' ? segments[at - 1] : undefined;
  const [name, ...subresource] = segments.slice(at + 1);
  const what = [qualifiedName(request.resource), ...subresource].join('/');
  if (name === undefined) return `${request.verb} ${what}${namespace === undefined ? '' : ` in ${namespace}`}`;
  return `${request.verb} ${what} ${namespace === undefined ? '' : `${namespace}/`}${name}`;
}

/** The error for an answer of 400 or above. `body` is the parsed `Status`, or whatever came instead. */
export function errorFromAnswer(
  request: KubeRequest,
  status: number,
  body: unknown,
  headers: Readonly<Record<string, unknown>>,
): KubeError {
  const told = record(body);
  const reason = text(told['reason']) ?? REASONS[status] ?? 'Failed';
  const message = redact(text(told['message']) ?? 'the answer carries no message');
  const fieldConflicts = conflictsIn(told);
  const { retry, outcome } = judge(request, status, reason, message, fieldConflicts.length > 0);
  return new KubeError(`Cannot ${describe(request)}: ${status} ${reason}: ${message}`, {
    reason,
    status,
    retry,
    outcome,
    fieldConflicts,
    retryAfterMs: retryAfter(told, headers),
  });
}

/**
 * The error for a request without a usable answer.
 * @param sent whether the request had begun to go out. Before that, nothing can have been applied.
 */
export function errorWithoutAnswer(
  request: KubeRequest,
  reason: NoAnswerReason,
  detail: string,
  sent: boolean,
  cause?: unknown,
): KubeError {
  const write = isWrite(request.verb);
  const retry = reason === 'Aborted' || reason === 'ClientClosed' ? 'no' : retryWithoutAnswer(reason, write);
  const outcome = write && sent ? 'unknown' : 'refused';
  return new KubeError(`Cannot ${describe(request)}: ${detail}`, { reason, retry, outcome, cause });
}

function retryWithoutAnswer(reason: NoAnswerReason, write: boolean): Retry {
  // A kept-alive connection that the server has just closed is the usual cause; a read may simply go again.
  return reason === 'ConnectionLost' && !write ? 'now' : 'later';
}

const REASONS: Readonly<Record<number, string>> = {
  400: 'BadRequest',
  401: 'Unauthorized',
  403: 'Forbidden',
  404: 'NotFound',
  409: 'Conflict',
  410: 'Gone',
  413: 'RequestEntityTooLarge',
  422: 'Invalid',
  429: 'TooManyRequests',
  500: 'InternalError',
  502: 'BadGateway',
  503: 'ServiceUnavailable',
  504: 'Timeout',
};

function judge(
  request: KubeRequest,
  status: number,
  reason: string,
  message: string,
  ownedByOther: boolean,
): { readonly retry: Retry; readonly outcome: Outcome } {
  if (status >= 500) {
    // The server calls a field outside the schema its own fault (500). It is ours, and repeating it changes nothing.
    if (message.includes('field not declared in schema')) return { retry: 'no', outcome: 'refused' };
    return { retry: 'later', outcome: isWrite(request.verb) ? 'unknown' : 'refused' };
  }
  switch (status) {
    case 401:
    case 403:
    case 429:
      return { retry: 'later', outcome: 'refused' };
    case 408:
      return { retry: 'later', outcome: isWrite(request.verb) ? 'unknown' : 'refused' };
    case 409:
      return { retry: ownedByOther || reason === 'AlreadyExists' ? 'no' : 'now', outcome: 'refused' };
    case 410:
      return { retry: 'now', outcome: 'refused' };
    default:
      return { retry: 'no', outcome: 'refused' };
  }
}

function conflictsIn(status: Readonly<Record<string, unknown>>): readonly FieldConflict[] {
  const causes = record(status['details'])['causes'];
  if (!Array.isArray(causes)) return [];
  return causes
    .map(record)
    .filter((cause) => cause['reason'] === 'FieldManagerConflict')
    .map((cause) => ({ field: text(cause['field']) ?? '', message: text(cause['message']) ?? '' }));
}

function retryAfter(status: Readonly<Record<string, unknown>>, headers: Readonly<Record<string, unknown>>) {
  const seconds = Number(record(status['details'])['retryAfterSeconds'] ?? headers['retry-after']);
  return Number.isFinite(seconds) && seconds > 0 ? seconds * 1000 : undefined;
}

/** The server repeats parts of a body that it cannot read, and that body may be a Secret (S4). */
function redact(message: string): string {
  return message
    .slice(0, 2000)
    .replace(/-----BEGIN [\s\S]*/g, '[removed]')
    .replace(/[A-Za-z0-9+/]{40,}[=]*/g, '[removed]');
}

function record(value: unknown): Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null ? (value as Readonly<Record<string, unknown>>) : {};
}

function text(value: unknown): string | undefined {
  return typeof value === 'string' && value !== '' ? value : undefined;
}
