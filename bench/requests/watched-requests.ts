import { kcp, kymaSystem } from '../../scenarios/hub-objects.ts';
import { pause } from '../../world/wait.ts';
import { type AuditEvent, type AuditReader, auditReader } from './audit-log.ts';
import type { AuditedFleet } from './audited-fleet.ts';
import { isStandingCost, requestsOf, type SeenRequest } from './count-requests.ts';

/** Names by which API servers know the operator. It shares them with nobody, so nobody else's requests are counted. */
const operatorOnHub = `system:serviceaccount:${kcp}:keyturn`;
const operatorOnRuntime = `system:serviceaccount:${kymaSystem}:keyturn`;

/** The operator's requests in some span of time. */
export interface Requests {
  readonly hub: readonly SeenRequest[];
  /** By runtime. */
  readonly runtimes: ReadonlyMap<string, readonly SeenRequest[]>;
  /** Certificates that cert-manager was seen to sign. */
  readonly signed: number;
}

export interface WatchedRequests {
  /** Since the last call. */
  take(): Promise<Requests>;
  /** Waits until the operator has made no request beside watches and the Lease for some time; then forgets all of them so far. */
  untilQuiet(quietMs: number, timeoutMs: number): Promise<Requests>;
}

export function watchedRequests({ hub, runtimes }: AuditedFleet, signal: AbortSignal): WatchedRequests {
  const readerOf = ({ name, auditLog }: { readonly name: string; readonly auditLog?: string }): AuditReader => {
    if (auditLog === undefined) throw new Error(`The API server ${name} keeps no audit log`);
    return auditReader(auditLog);
  };
  const hubLog = readerOf(hub);
  const runtimeLogs = new Map(runtimes.map((runtime) => [runtime.name, readerOf(runtime)]));

  const take = async (): Promise<Requests> => {
    const events = await hubLog.next();
    const perRuntime = new Map<string, readonly SeenRequest[]>();
    for (const [name, log] of runtimeLogs) perRuntime.set(name, requestsOf(await log.next(), operatorOnRuntime));
    return { hub: requestsOf(events, operatorOnHub), runtimes: perRuntime, signed: signedIn(events) };
  };
  return {
    take,
    async untilQuiet(quietMs, timeoutMs) {
      const endMs = performance.now() + timeoutMs;
      let all: Requests = { hub: [], runtimes: new Map(), signed: 0 };
      let quietSinceMs = performance.now();
      while (performance.now() - quietSinceMs < quietMs) {
        if (performance.now() > endMs)
          throw new Error(`The operator did not come to rest within ${timeoutMs / 1000} s`);
        await pause(250, signal);
        signal.throwIfAborted();
        const more = await take();
        all = together(all, more);
        if (activeIn(more)) quietSinceMs = performance.now();
      }
      return all;
    },
  };
}

function activeIn({ hub, runtimes }: Requests): boolean {
  return [hub, ...runtimes.values()].flat().some((request) => !isStandingCost(request));
}

function together(a: Requests, b: Requests): Requests {
  const names = new Set([...a.runtimes.keys(), ...b.runtimes.keys()]);
  return {
    hub: [...a.hub, ...b.hub],
    runtimes: new Map(
      [...names].map((name) => [name, [...(a.runtimes.get(name) ?? []), ...(b.runtimes.get(name) ?? [])]]),
    ),
    signed: a.signed + b.signed,
  };
}

/** A CertificateRequest is made for each certificate that is signed, by cert-manager and by nobody else. */
function signedIn(events: readonly AuditEvent[]): number {
  return events.filter(
    ({ verb, objectRef, stage, responseStatus }) =>
      verb === 'create' &&
      stage === 'ResponseComplete' &&
      objectRef?.resource === 'certificaterequests' &&
      objectRef.subresource === undefined &&
      responseStatus?.code === 201,
  ).length;
}
