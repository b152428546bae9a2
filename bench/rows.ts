import type { ApiServerBench } from './api-server/bench-api-server.ts';
import type { CiRun } from './ci/bench-ci.ts';
import type { DecideBench } from './decide/bench-decide.ts';
import type { ParsingBench } from './decide/bench-parsing.ts';
import type { Runs } from './measure.ts';
import type { RestRequests, RotationRequests, RuntimeRequests } from './requests/bench-requests.ts';
import type { SandboxBench } from './sandbox/bench-sandbox.ts';
import type { TransportRow } from './transport/bench-transport.ts';

/** One line of the table. */
export interface Row {
  readonly part: PartName;
  readonly what: string;
  readonly value: number;
  /** `x` is a ratio: how many times better than the other. */
  readonly unit: 'ms' | 'us' | 's' | 'requests' | 'requests/s' | 'looks' | 'x';
  /** The value may be no more than this. */
  readonly atMost?: number;
  readonly note?: string;
}

/** What runs when nothing is named. */
export const usualParts = ['decide', 'parsing', 'sandbox', 'api-server', 'requests', 'rest', 'transport'] as const;
export const partNames = [...usualParts, 'ci'] as const;
export type PartName = (typeof partNames)[number];

export function decideRows({
  runtimes,
  all,
  allFirst,
  afterEvent,
  observeFleet,
  awaited,
}: DecideBench): readonly Row[] {
  const part = 'decide';
  const wall = ({ medianWallMs }: Runs): string => `wall ${medianWallMs.toFixed(3)} ms`;
  const gateway = (what: string, runs: Runs): Row => ({
    part,
    what: `gateway after one event, ${what}`,
    value: runs.medianCpuMs,
    unit: 'ms',
    atMost: 1,
    note: wall(runs),
  });
  return [
    {
      part,
      what: `gateway and ${runtimes} runtimes, CPU of one core`,
      value: all.medianCpuMs,
      unit: 'ms',
      atMost: 2_000,
      note: `${wall(all)}; switch awaits ${awaited}`,
    },
    { part, what: 'the same for the first time', value: allFirst.cpuMs, unit: 'ms', atMost: 2_000 },
    {
      part,
      what: 'one runtime after one event',
      value: afterEvent.runtime.medianCpuMs,
      unit: 'ms',
      atMost: 1,
      note: wall(afterEvent.runtime),
    },
    {
      part,
      what: 'the fleet put together from watched records',
      value: observeFleet.medianCpuMs,
      unit: 'ms',
      note: `${wall(observeFleet)}; before each of the following`,
    },
    gateway('in rotation', afterEvent.gatewayInRotation),
    gateway('at rest', afterEvent.gatewayAtRest),
    gateway('nobody proven, a tenth given up', afterEvent.gatewayGivenUp),
  ];
}

export function parsingRows({ certificates, cold, again, standing }: ParsingBench): readonly Row[] {
  const each = (cpuMs: number) => (cpuMs * 1_000) / certificates;
  const forTenThousand = (cpuMs: number) => `${((cpuMs / certificates) * 10).toFixed(1)} s CPU for 10,000`;
  const row = (what: string, cpuMs: number): Row => ({
    part: 'parsing',
    what,
    value: each(cpuMs),
    unit: 'us',
    note: forTenThousand(cpuMs),
  });
  return [
    row(`a client pair for the first time (of ${certificates})`, cold.cpuMs),
    row('the same pair again', again.medianCpuMs),
    row("a runtime's Secret, bundle and pair known", standing.medianCpuMs),
  ];
}

export function rotationRows({
  perRuntime,
  signed,
  hub,
  runtimes,
  seconds,
  refused,
}: RotationRequests): readonly Row[] {
  const most = (count: (one: RuntimeRequests) => number): number => Math.max(...perRuntime.map(count));
  const row = (what: string, value: number, atMost?: number, note?: string): Row => ({
    part: 'requests',
    what,
    value,
    unit: 'requests',
    ...(atMost === undefined ? {} : { atMost }),
    ...(note === undefined ? {} : { note }),
  });
  return [
    row(
      're-issues asked for, per runtime',
      most(({ reissues }) => reissues),
      1,
    ),
    row('certificates signed, per runtime', signed / runtimes, 1),
    row(
      'caBundle writes per runtime',
      most(({ caBundleWrites }) => caBundleWrites),
      3,
    ),
    row(
      'Secret writes per runtime',
      most(({ secretWrites }) => secretWrites),
      3,
    ),
    row(
      'RuntimeTrust status writes per runtime',
      most(({ statusWrites }) => statusWrites),
    ),
    row(
      '  of them without a change',
      most(({ emptyStatusWrites }) => emptyStatusWrites),
      0,
    ),
    row(
      'reads in the cluster per runtime',
      most(({ reads }) => reads),
    ),
    row('hub reads of its record per runtime', hub.recordReads / runtimes),
    row(
      'hub reads for all together',
      hub.sharedReads,
      undefined,
      `in ${seconds.toFixed(0)} s, for ${runtimes} runtimes`,
    ),
    row('hub writes per runtime, all kinds', hub.writes / runtimes),
    row("looks for the gateway's pods", hub.probeLooks, undefined, 'while it is unproven, whatever the fleet'),
    row('refused with a conflict or otherwise', refused),
  ];
}

export function restRows(rest: RestRequests): readonly Row[] {
  const part = 'rest';
  const span = `in ${rest.seconds.toFixed(0)} s`;
  return [
    {
      part,
      what: `hub requests ${span}`,
      value: rest.hub,
      unit: 'requests',
      atMost: 0,
      note: `beside ${rest.watchesBegun} watches begun and ${rest.leaseRequests} for the Lease`,
    },
    {
      part,
      what: `looks per runtime and drift interval of ${rest.driftIntervalMs / 1_000} s`,
      value: rest.looksPerInterval,
      unit: 'looks',
      // Intervals are jittered by a fifth, so a short span holds that many more at most.
      atMost: 1.25,
      note: `${rest.getsPerLook.toFixed(1)} gets a look; shortest gap ${((rest.shortestGapMs ?? 0) / 1_000).toFixed(1)} s`,
    },
    { part, what: `writes to runtimes ${span}`, value: rest.runtimeWrites, unit: 'requests', atMost: 0 },
  ];
}

export function transportRows(rows: readonly TransportRow[]): readonly Row[] {
  return rows.flatMap(({ operation, ours, official, throughputRatio, cpuRatio }): readonly Row[] => [
    {
      part: 'transport',
      what: `${operation}: requests a second beside the official client`,
      value: throughputRatio,
      unit: 'x',
      note: `${ours.requestsPerSecond.toFixed(0)} : ${official.requestsPerSecond.toFixed(0)} a second`,
    },
    {
      part: 'transport',
      what: `${operation}: CPU per request, theirs by ours`,
      value: cpuRatio,
      unit: 'x',
      note: `${ours.cpuMsPerRequest.toFixed(2)} : ${official.cpuMsPerRequest.toFixed(2)} ms`,
    },
  ]);
}

export function sandboxRows({ runtimes, rotatedMs, medianRotatedMs, medianFirstRootMs }: SandboxBench): readonly Row[] {
  const part = 'sandbox';
  const runs = rotatedMs.map((ms) => (ms / 1_000).toFixed(1)).join(', ');
  return [
    {
      part,
      what: `from the command to the first rotated fleet of ${runtimes}`,
      value: medianRotatedMs / 1_000,
      unit: 's',
      atMost: 10,
      note: `median of ${runs}`,
    },
    { part, what: '  of it until everything is on the first root', value: medianFirstRootMs / 1_000, unit: 's' },
  ];
}

export function apiServerRows({ embedded, real }: ApiServerBench): readonly Row[] {
  return embedded.flatMap((ours, index): readonly Row[] => {
    const theirs = real[index];
    if (theirs === undefined) return [];
    const perSecond = `${ours.requestsPerSecond.toFixed(0)} : ${theirs.requestsPerSecond.toFixed(0)} a second`;
    if (ours.perCore === null || theirs.perCore === null) return [];
    return [
      {
        part: 'api-server',
        what: `${ours.operation}: requests per second and core, embedded beside real`,
        value: ours.perCore / theirs.perCore,
        unit: 'x',
        note: `${ours.perCore.toFixed(0)} : ${theirs.perCore.toFixed(0)}; ${perSecond}`,
      },
    ];
  });
}

export function ciRows(runs: readonly CiRun[]): readonly Row[] {
  return runs.map(({ revision, seconds, lastLine }) => ({
    part: 'ci',
    what: `.ci/run of ${revision} on a clean clone, with parts that are built`,
    value: seconds,
    unit: 's',
    // What CI may take, parts built from nothing included.
    atMost: 2_700,
    note: lastLine,
  }));
}

/** Whether the row keeps to its bound; `null` where it has none. */
export function holds({ value, atMost }: Row): boolean | null {
  return atMost === undefined ? null : value <= atMost;
}

export function table(rows: readonly Row[]): string {
  const cells = rows.map((row) => [
    row.part,
    row.what,
    `${shown(row.value)} ${row.unit === 'requests' || row.unit === 'looks' ? '' : row.unit}`.trimEnd(),
    row.atMost === undefined ? '' : `at most ${row.atMost}`,
    { true: 'yes', false: 'NO', null: '' }[String(holds(row)) as 'true' | 'false' | 'null'],
    row.note ?? '',
  ]);
  const lines = [['part', 'what', 'value', 'bound', 'holds', ''], ...cells];
  const widths = lines[0]?.map((_, column) => Math.max(...lines.map((line) => line[column]?.length ?? 0))) ?? [];
  return lines
    .map((line) =>
      line
        .map((cell, column) => (column === 2 ? cell.padStart(widths[column] ?? 0) : cell.padEnd(widths[column] ?? 0)))
        .join('  ')
        .trimEnd(),
    )
    .join('\n');
}

function shown(value: number): string {
  if (Number.isInteger(value)) return String(value);
  return value >= 100 ? value.toFixed(0) : value >= 1 ? value.toFixed(1) : value.toFixed(3);
}
