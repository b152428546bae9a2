import { applyTrustDomain, domainPath, recordsPath } from '../../scenarios/hub-objects.ts';
import { rootSource } from '../../scenarios/root-source.ts';
import { until } from '../../scenarios/until.ts';
import type { RuntimeTrust } from '../../src/api/runtime-trust.ts';
import type { TrustDomain, TrustDomainSpecWritten } from '../../src/api/trust-domain.ts';
import { pause } from '../../world/wait.ts';
import type { AuditedFleet } from './audited-fleet.ts';
import { countByKind, countOf, isRead, isStandingCost, type SeenRequest } from './count-requests.ts';
import { startOperatorOn } from './operator-run.ts';
import { type Requests, type WatchedRequests, watchedRequests } from './watched-requests.ts';

/** Requests of one unhurried rotation, as the API servers counted them. */
export interface RotationRequests {
  readonly seconds: number;
  readonly runtimes: number;
  /** Of each runtime, in the order of the fleet. */
  readonly perRuntime: readonly RuntimeRequests[];
  /** Certificates that cert-manager signed, for all runtimes. */
  readonly signed: number;
  readonly hub: {
    /** Of the records of single runtimes. */
    readonly recordReads: number;
    /** Other gets and lists, without the looks for the gateway's pods: of what all runtimes have in common. */
    readonly sharedReads: number;
    /** Lists of pods and Services: one of each in every probe round while the gateway is unproven. */
    readonly probeLooks: number;
    readonly writes: number;
    readonly byKind: Readonly<Record<string, number>>;
  };
  readonly refused: number;
}

export interface RuntimeRequests {
  readonly runtime: string;
  /** Requests to have the certificate issued again. */
  readonly reissues: number;
  readonly caBundleWrites: number;
  readonly secretWrites: number;
  /** Status writes of its RuntimeTrust, and those among them that left it as it was. */
  readonly statusWrites: number;
  readonly emptyStatusWrites: number;
  /** Gets in its cluster. */
  readonly reads: number;
}

/** Requests while nothing happens. */
export interface RestRequests {
  readonly seconds: number;
  readonly driftIntervalMs: number;
  /** To the hub, apart from watches and the Lease. */
  readonly hub: number;
  readonly hubByKind: Readonly<Record<string, number>>;
  readonly watchesBegun: number;
  readonly leaseRequests: number;
  /** Looks at a runtime in one drift interval, the mean over the runtimes. */
  readonly looksPerInterval: number;
  /** Gets that one look consists of. */
  readonly getsPerLook: number;
  /** Between two looks at one runtime. */
  readonly shortestGapMs: number | null;
  readonly runtimeWrites: number;
}

export interface RequestsBenchOptions {
  /** How long the fleet is watched at rest; `null`: not at all. */
  readonly restMs: number | null;
  readonly rotation: boolean;
  readonly say: (text: string) => void;
  readonly signal: AbortSignal;
}

const writing = ['create', 'update', 'patch', 'delete'];
const restIntervalMs = 30_000;
const propagationDelayMs = 3_000;
const timeoutMs = 120_000;
/** Longer than every wait of the policy below, so that whoever is quiet for it has nothing left to do. */
const quietMs = 5_000;

/** Delays short, all else as a hub has it: drift at its default cannot fall into a rotation of seconds. */
function spec(driftInterval: string): TrustDomainSpecWritten {
  return {
    probe: { delay: '2s' },
    proof: { propagationDelay: `${propagationDelayMs}ms`, unprovableAfter: '1h' },
    skewMargin: '1s',
    drift: { interval: driftInterval },
    issuer: { privateKey: { algorithm: 'ECDSA', size: 256, encoding: 'PKCS8' } },
  };
}

export async function benchRequests(
  fleet: AuditedFleet,
  { restMs, rotation, say, signal }: RequestsBenchOptions,
): Promise<{ readonly rotation: RotationRequests | null; readonly rest: RestRequests | null }> {
  const { hub } = fleet;
  const roots = rootSource(hub.client, signal, Math.random);
  await applyTrustDomain(hub, spec('10m'), signal);
  const firstRoot = await roots.next('first');
  const stopOperator = await startOperatorOn(fleet, signal);
  try {
    const requests = watchedRequests(fleet, signal);
    await untilReady(fleet, firstRoot, signal);
    await requests.untilQuiet(quietMs, timeoutMs);
    say('The fleet is on its first root and at rest');
    let rotated: RotationRequests | null = null;
    if (rotation) {
      const beganMs = performance.now();
      const root = await roots.next('rekey');
      await untilReady(fleet, root, signal);
      const seconds = (performance.now() - beganMs) / 1_000;
      rotated = summedUp(fleet, await requests.untilQuiet(quietMs, timeoutMs), seconds);
      say(`One rotation took ${seconds.toFixed(1)} s`);
    }
    return { rotation: rotated, rest: restMs === null ? null : await atRest(requests, restMs) };
  } finally {
    await stopOperator();
  }

  async function atRest(requests: WatchedRequests, ms: number): Promise<RestRequests> {
    await applyTrustDomain(hub, spec(`${restIntervalMs / 1_000}s`), signal);
    await requests.untilQuiet(quietMs, timeoutMs);
    say(`Watching the fleet at rest for ${ms / 1_000} s`);
    const beganMs = performance.now();
    await pause(ms, signal);
    signal.throwIfAborted();
    return restSummed(await requests.take(), (performance.now() - beganMs) / 1_000, fleet.runtimes.length);
  }
}

/** Everything is on this root, and no other is left in the bundle. */
async function untilReady({ hub, runtimes }: AuditedFleet, root: string, signal: AbortSignal): Promise<void> {
  const isReady = ({ status }: Pick<TrustDomain | RuntimeTrust, 'status'>): boolean =>
    status?.conditions?.some(({ type, status: holds }) => type === 'Ready' && holds === 'True') ?? false;
  const look = async (): Promise<readonly string[]> => {
    const domain = (await hub.client.send('GET', domainPath, { signal })) as unknown as TrustDomain;
    const list = await hub.client.send('GET', recordsPath, { signal });
    const ready = ((list['items'] ?? []) as readonly RuntimeTrust[]).filter(isReady);
    const settled = isReady(domain) && domain.status?.root?.digest === root && domain.status.bundle?.length === 1;
    return [
      ...(settled ? [] : [`the TrustDomain: ${domain.status?.nextStep ?? 'no status'}`]),
      ...(ready.length === runtimes.length ? [] : [`${runtimes.length - ready.length} runtimes`]),
    ];
  };
  await until('everything on the current root', look, { timeoutMs, signal, everyMs: 500 });
}

function summedUp({ runtimes }: AuditedFleet, requests: Requests, seconds: number): RotationRequests {
  const { hub, signed } = requests;
  const work = hub.filter((request) => !isStandingCost(request));
  const looksForPods = ({ resource }: SeenRequest): boolean => resource === 'pods' || resource === 'services';
  const reads = work.filter(isRead);
  const ofRecords = ({ verb, resource }: SeenRequest): boolean => verb === 'get' && resource === 'runtimetrusts';
  const recordReads = reads.filter(ofRecords).length;
  const probeLooks = reads.filter(looksForPods).length;
  const all = [...work, ...[...requests.runtimes.values()].flat()];
  return {
    seconds,
    runtimes: runtimes.length,
    perRuntime: runtimes.map(({ name }) => runtimeRequests(name, hub, requests.runtimes.get(name) ?? [])),
    signed,
    hub: {
      recordReads,
      sharedReads: reads.length - recordReads - probeLooks,
      probeLooks,
      writes: work.length - reads.length,
      byKind: countByKind(work),
    },
    refused: all.filter(({ code }) => code >= 400 && code !== 404).length,
  };
}

function runtimeRequests(runtime: string, hub: readonly SeenRequest[], own: readonly SeenRequest[]): RuntimeRequests {
  // Only writes: nobody reads the status by itself.
  const record = hub.filter(({ name, resource }) => name === runtime && resource === 'runtimetrusts/status');
  const certificate = hub.filter(({ name }) => name === `${runtime}-webhook-tls`);
  return {
    runtime,
    reissues: countOf(certificate, writing, 'certificates/status'),
    caBundleWrites: countOf(own, writing, 'validatingwebhookconfigurations'),
    secretWrites: countOf(own, writing, 'secrets'),
    statusWrites: countOf(record, writing, 'runtimetrusts/status'),
    emptyStatusWrites: record.filter(({ code, changed }) => code < 300 && changed !== true).length,
    reads: own.filter(isRead).length,
  };
}

function restSummed({ hub, runtimes }: Requests, seconds: number, count: number): RestRequests {
  const work = hub.filter((request) => !isStandingCost(request));
  const own = [...runtimes.values()];
  const looks = own.map((requests) =>
    requests.filter(({ verb, resource }) => verb === 'get' && resource === 'secrets'),
  );
  const gaps = looks.flatMap((ofOne) => ofOne.slice(1).map(({ atMs }, index) => atMs - (ofOne[index]?.atMs ?? atMs)));
  const lookCount = looks.flat().length;
  return {
    seconds,
    driftIntervalMs: restIntervalMs,
    hub: work.length,
    hubByKind: countByKind(work),
    watchesBegun: hub.filter(({ verb }) => verb === 'watch').length,
    leaseRequests: hub.filter(({ resource }) => resource === 'leases').length,
    looksPerInterval: lookCount / count / ((seconds * 1_000) / restIntervalMs),
    getsPerLook: lookCount === 0 ? 0 : own.flat().filter(isRead).length / lookCount,
    shortestGapMs: gaps.length === 0 ? null : Math.min(...gaps),
    runtimeWrites: own.flat().filter((request) => !isRead(request)).length,
  };
}
