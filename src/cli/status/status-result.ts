import type { RuntimeTrust } from '../../api/runtime-trust.ts';
import type { TrustDomain } from '../../api/trust-domain.ts';
import { keyOf, refOf } from '../../kubernetes/resource.ts';
import { conditionOf, isTrue } from '../hub/conditions.ts';
import { isTainted } from '../hub/tainted.ts';
import { withoutNoise } from '../hub/without-noise.ts';
import type { Presentable } from '../output.ts';
import type { Paint } from '../screen.ts';
import { approximately, type Column, share, short, tableLines, wrapped } from '../table.ts';

/** One trust domain with the records of its runtimes, as its operator tells it. */
export interface DomainNow {
  readonly domain: TrustDomain;
  readonly records: readonly RuntimeTrust[];
}

export interface StatusOptions {
  readonly all: boolean;
  readonly paint: Paint;
  readonly nowMs: number;
  /** The room that there is, see `Screen`. */
  readonly columns: number;
  readonly rows: number;
}

/** Columns before a fact. */
const margin = 13;
/** Lines that a screen full of runtimes would push away. */
const mostRows = 40;

/** What `keyturn status` shows. Reads statuses only, so it needs no right to any Secret. */
export function statusResult(all: readonly DomainNow[], options: StatusOptions): Presentable {
  // Trust domains share the room.
  const rows = Math.floor((options.rows - (all.length - 1)) / all.length);
  return {
    value: all.map(({ domain, records }) => ({
      trustDomain: withoutNoise(domain),
      runtimes: records.map(withoutNoise),
    })),
    names: all.flatMap(({ domain, records }) => [
      `trustdomain/${domain.metadata.name}`,
      ...records.map(({ metadata }) => `runtimetrust/${metadata.name}`),
    ]),
    lines: (wide) =>
      all.flatMap((now, index) => [...(index === 0 ? [] : ['']), ...oneDomain(now, wide, { ...options, rows })]),
  };
}

function oneDomain(now: DomainNow, wide: boolean, options: StatusOptions): readonly string[] {
  const above = domainLines(now, options);
  // The head of the table and a blank line above it stand there as well.
  const room = Math.max(0, options.rows - above.length - 2);
  return [...above, ...runtimeLines(now, wide, options.all || wide, room)];
}

function domainLines({ domain, records }: DomainNow, { paint, nowMs, columns }: StatusOptions): readonly string[] {
  const { status = {}, spec } = domain;
  const { root, server, candidate, runtimes, bundle = [] } = status;
  const ready = conditionOf(status.conditions, 'Ready');
  const word = ready === undefined ? 'no status yet: does an operator run?' : `${ready.reason}`;
  const total = runtimes?.total ?? records.length;
  const signer = bundle.find(({ keyId }) => keyId === server?.signer);
  const taint = (keyId: string): string => (isTainted(domain, keyId) ? ' (tainted)' : '');
  const facts: readonly (readonly [string, string])[] = [
    [
      'root',
      root === undefined
        ? 'none admitted'
        : `${short(root.digest)}${taint(root.keyId)}${endText(root.notAfter, nowMs)}`,
    ],
    [
      'bundle',
      bundle.map((one) => short(one.digest) + taint(one.keyId) + (one.trusted ? '' : ' (unproven)')).join(', ') ||
        'none',
    ],
    [
      'server',
      server === undefined
        ? 'none'
        : `${short(server.digest)} of root ${short(signer?.digest)}${endText(server.notAfter, nowMs)}`,
    ],
    ...(candidate === undefined
      ? []
      : [
          [
            'candidate',
            `${short(candidate.digest)}${candidate.waitsForCount === 0 ? '' : `, waits for ${candidate.waitsForCount} of the runtimes`}`,
          ] as const,
        ]),
    [
      'runtimes',
      runtimes === undefined
        ? `${total}`
        : `${total}: ${share(runtimes.bundle, total)} have the bundle, ${share(runtimes.current, total)} a certificate of the root, ${share(runtimes.proven, total)} proven; ${runtimes.issuing} issuing, ${runtimes.unreachable} unreachable`,
    ],
    ...(spec.tainted.length === 0 ? [] : [['tainted', taintedText(domain)] as const]),
    ['next', status.nextStep ?? '-'],
  ];
  const head = `TrustDomain ${keyOf(refOf(domain))}: `;
  const state = spec.paused && word !== 'Paused' ? `${word}, paused` : word;
  return [
    paint('bold', head) + paint(ready?.status === 'True' ? 'green' : 'yellow', state),
    ...facts.flatMap(([name, text]) =>
      wrapped(text, columns - margin).map(
        (line, index) => `  ${(index === 0 ? name : '').padEnd(margin - 4)}  ${line}`,
      ),
    ),
  ];
}

function taintedText({ status = {} }: DomainNow['domain']): string {
  const replaced = conditionOf(status.conditions, 'TaintedReplaced');
  const { tainted = 0, total = 0 } = status.runtimes ?? {};
  if (replaced === undefined) return 'the operator has not looked at it yet';
  return `${share(tainted, total)} runtimes may present a certificate of a tainted root (${replaced.reason})`;
}

const columns: readonly Column<RuntimeTrust>[] = [
  { head: 'RUNTIME', cell: ({ metadata }) => metadata.name },
  { head: 'READY', cell: ({ status }) => conditionOf(status?.conditions, 'Ready')?.status ?? 'Unknown' },
  { head: 'REASON', cell: ({ status }) => conditionOf(status?.conditions, 'Ready')?.reason ?? '-' },
  { head: 'ROOTS', cell: ({ status }) => `${status?.bundleCount ?? 0}` },
  { head: 'PROOF', cell: ({ status }) => status?.proof ?? 'none' },
  { head: 'WAITS', cell: ({ status }) => status?.waits?.join(',') || '-' },
  { head: 'KEY OF ITS ROOT', cell: ({ status }) => short(status?.root), wide: true },
  { head: 'POSSIBLE VALUES', cell: ({ status }) => `${status?.held?.values.length ?? 0}`, wide: true },
  { head: 'CLIENT ENDS', cell: clientEnd, wide: true },
  { head: 'CLUSTER', cell: ({ status }) => status?.clusterUid ?? '-', wide: true },
];

function runtimeLines({ records }: DomainNow, wide: boolean, whole: boolean, room: number): readonly string[] {
  if (records.length === 0) return [];
  // Who is not in order comes first: in a long list he is who is looked for.
  const [ready, open] = [true, false].map((wanted) =>
    records.filter(({ status }) => isTrue(status?.conditions, 'Ready') === wanted),
  );
  const sorted = [...(open ?? []), ...(ready ?? [])];
  const wanted = whole ? sorted.length : Math.min(sorted.length, mostRows);
  const isTight = wanted > room || (wanted < sorted.length && wanted === room);
  // The line that tells of the others takes one.
  const shown = sorted.slice(0, isTight ? Math.max(0, room - 1) : wanted);
  const left = sorted.length - shown.length;
  const remedy = isTight ? 'a taller window shows more' : 'see them with --all';
  return [
    '',
    ...tableLines(columns, shown, wide),
    ...(left === 0 ? [] : [`and ${left} more, of which ${Math.min(left, ready?.length ?? 0)} are Ready: ${remedy}`]),
  ];
}

function clientEnd({ status }: RuntimeTrust): string {
  const end = status?.held?.values.at(-1)?.client?.notAfterMs;
  return end === undefined ? '-' : new Date(end).toISOString().slice(0, 16);
}

function endText(notAfter: string | undefined, nowMs: number): string {
  if (notAfter === undefined) return '';
  const leftMs = Date.parse(notAfter) - nowMs;
  return leftMs <= 0 ? ', expired' : `, ends in ${approximately(leftMs)}`;
}
