import type { AuditEvent } from './audit-log.ts';

/** One request as an API server saw it. */
export interface SeenRequest {
  readonly verb: string;
  /** With its subresource: `certificates/status`. */
  readonly resource: string;
  readonly name: string;
  /** HTTP status. */
  readonly code: number;
  readonly atMs: number;
  /** `false`: a write that left the object as it was; `null` where the log does not say. */
  readonly changed: boolean | null;
}

/** The requests of one user. A watch is written down twice, when it begins and when it ends, and counts once. */
export function requestsOf(events: readonly AuditEvent[], username: string): readonly SeenRequest[] {
  const seen = new Map<string, SeenRequest>();
  for (const event of events) {
    if (event.user.username !== username || seen.has(event.auditID)) continue;
    const { resource = '', subresource, name = '' } = event.objectRef ?? {};
    const [sent, stored] = [versionOf(event.requestObject), versionOf(event.responseObject)];
    seen.set(event.auditID, {
      verb: event.verb,
      resource: subresource === undefined ? resource : `${resource}/${subresource}`,
      name,
      code: event.responseStatus?.code ?? 0,
      atMs: Date.parse(event.requestReceivedTimestamp),
      changed: sent === undefined || stored === undefined ? null : sent !== stored,
    });
  }
  return [...seen.values()];
}

/** Beside the watches and the Lease, which an idle operator keeps up as well. */
export function isStandingCost({ verb, resource }: SeenRequest): boolean {
  return verb === 'watch' || resource === 'leases';
}

export function isRead({ verb }: SeenRequest): boolean {
  return verb === 'get' || verb === 'list' || verb === 'watch';
}

/** How often each kind of request was made, such as `update secrets`. */
export function countByKind(requests: readonly SeenRequest[]): Readonly<Record<string, number>> {
  const counts = new Map<string, number>();
  for (const { verb, resource } of requests) {
    const kind = `${verb} ${resource}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
  }
  return Object.fromEntries([...counts].sort(([a], [b]) => a.localeCompare(b)));
}

/** @param verbs any of these */
export function countOf(requests: readonly SeenRequest[], verbs: readonly string[], resource: string): number {
  return requests.filter((request) => verbs.includes(request.verb) && request.resource === resource).length;
}

function versionOf(object: AuditEvent['requestObject']): string | undefined {
  return object?.metadata?.resourceVersion;
}
