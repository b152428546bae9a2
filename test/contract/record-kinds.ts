import type { AuditEvent } from '../../bench/requests/audit-log.ts';
import { onRequestSeen, type RequestSeen } from '../../src/sandbox/api-server/request-seen.ts';
import { requestKind } from './request-kind.ts';

/** The kind of a request as the embedded API server tells of it. */
export function kindSeen({ method, path, query, contentType, accept }: RequestSeen): string {
  const search = new URLSearchParams(query).toString();
  return requestKind({
    method,
    url: search === '' ? path : `${path}?${search}`,
    contentType: contentType === '' ? undefined : contentType,
    accept,
  });
}

/** Kinds of all requests from now on to embedded API servers of this process; the set grows as they come. */
export function kindsSeenFromNowOn(): ReadonlySet<string> {
  const kinds = new Set<string>();
  onRequestSeen((seen) => kinds.add(kindSeen(seen)));
  return kinds;
}

/** One line of a real API server's audit log, with what a kind is made of. */
export interface AuditedRequest {
  readonly verb: string;
  readonly user: AuditEvent['user'];
  readonly requestURI: string;
  /** Not there where the policy says so, as for Secrets (S4). */
  readonly requestObject?: unknown;
}

const methods: Readonly<Record<string, string>> = {
  get: 'GET',
  list: 'GET',
  watch: 'GET',
  create: 'POST',
  update: 'PUT',
  patch: 'PATCH',
  delete: 'DELETE',
  deletecollection: 'DELETE',
};

/**
 * The kind of a request by an audit log. That has no headers: an apply is known by its `force`, which our client always
 * sends, and of other patches ours are merge patches but for those whose body is seen to be a list.
 */
export function kindAudited({ verb, requestURI, requestObject }: AuditedRequest): string {
  const method = methods[verb] ?? verb.toUpperCase();
  const { searchParams } = new URL(requestURI, 'https://server');
  const form = searchParams.has('force') ? 'apply' : Array.isArray(requestObject) ? 'json' : 'merge';
  return requestKind({
    method,
    url: requestURI,
    contentType: method === 'PATCH' ? `application/${form}-patch+json` : undefined,
  });
}

/** Kinds of the requests of one user, sorted. */
export function kindsOf(events: readonly AuditedRequest[], usernames: readonly string[]): readonly string[] {
  const own = events.filter(({ user }) => usernames.includes(user.username));
  return [...new Set(own.map(kindAudited))].sort();
}
