import { REASONS } from '../../api/reasons.ts';
import type { TrustDomain } from '../../api/trust-domain.ts';
import { keyOf, refOf } from '../../kubernetes/resource.ts';
import type { Presentable } from '../output.ts';
import { approximately, someOf, tableLines } from '../table.ts';
import type { IssuerRate } from './issuer-rate.ts';
import type { NextSteps } from './next-steps.ts';
import type { Rehearsal } from './rehearse-rotation.ts';

/** What `keyturn plan` found. */
export interface Plan {
  readonly domain: TrustDomain;
  readonly next: NextSteps;
  readonly rotation: Rehearsal;
  /** `null`: nothing was issued lately that could be measured. */
  readonly rate: IssuerRate | null;
  /** The rate that the rehearsal went by. */
  readonly perSecond: number;
}

/** The plan in every form. Times are for people; a program reads `afterMs`. */
export function planResult(plan: Plan): Presentable {
  const { domain, next, rotation, rate, perSecond } = plan;
  const name = keyOf(refOf(domain));
  return {
    names: [`trustdomain/${domain.metadata.name}`],
    value: {
      trustDomain: { namespace: domain.metadata.namespace, name: domain.metadata.name },
      next,
      rotation: { ...rotation, issuer: { perSecond, measured: rate?.measured ?? 0, from: rate?.from ?? 'assumed' } },
    },
    lines: (wide) => [
      `TrustDomain ${name}`,
      '',
      'What happens next',
      ...gatewayLines(next),
      ...runtimeLines(next, wide),
      '',
      'What would happen if a new root came now',
      ...rotationLines(plan, wide),
    ],
  };
}

function gatewayLines({ gateway }: NextSteps): readonly string[] {
  const { action, waits, waitsFor, breaks, kept } = gateway;
  return [
    `  gateway: ${action ?? 'nothing is to be done now'}`,
    ...waits.map((text) => `    ${text}`),
    ...(waitsFor.length === 0 ? [] : [`    the next server certificate waits for ${someOf(waitsFor)}`]),
    ...(breaks.length === 0 ? [] : [`    given up, so they may break at the switch: ${someOf(breaks)}`]),
    ...kept.map(({ root, use, by }) => `    root ${root} stays: ${meaning(use)}${by === '' ? '' : ` (${by})`}`),
  ];
}

function runtimeLines({ runtimes }: NextSteps, wide: boolean): readonly string[] {
  if (runtimes.length === 0) return ['  runtimes: none belongs to the fleet'];
  const columns = [
    { head: 'RUNTIMES', cell: (row: NextSteps['runtimes'][number]) => `${row.names.length}` },
    { head: 'NEXT', cell: (row: NextSteps['runtimes'][number]) => row.what },
    { head: 'WHY', cell: (row: NextSteps['runtimes'][number]) => row.reasons.join(',') || '-' },
    { head: 'WHO', cell: (row: NextSteps['runtimes'][number]) => someOf(row.names, wide ? 1_000 : 3) },
  ];
  const reasons = [...new Set(runtimes.flatMap((row) => row.reasons))];
  return [
    ...tableLines(columns, runtimes, wide).map((line) => `  ${line}`),
    ...reasons.map((reason) => `  ${reason}: ${meaning(reason)}`),
  ];
}

function rotationLines({ rotation, domain, rate, perSecond }: Plan, wide: boolean): readonly string[] {
  const { steps, refused, heldUpBy, kept, settles } = rotation;
  if (refused.length > 0) {
    return refused.map((reason) => `  It would not enter: ${meaning(reason)} ${REASONS[reason].next}.`);
  }
  const columns = [
    { head: 'AFTER', cell: (step: Rehearsal['steps'][number]) => approximately(step.afterMs) },
    { head: 'STEP', cell: (step: Rehearsal['steps'][number]) => step.what },
    {
      head: 'RUNTIMES',
      cell: (step: Rehearsal['steps'][number]) => (step.runtimes === 0 ? '-' : `${step.runtimes}`),
    },
  ];
  const lastMs = steps.at(-1)?.afterMs ?? 0;
  const { proof, paused } = domain.spec;
  return [
    ...tableLines(columns, folded(steps, wide), wide).map((line) => `  ${line}`),
    ...heldUpLines(heldUpBy, proof.unprovableAfter),
    ...kept.map(({ root, use, by }) => `  root ${root} would stay: ${meaning(use)}${by === '' ? '' : ` (${by})`}`),
    ...(paused ? [`  ${meaning('Paused')} ${REASONS.Paused.next}.`] : []),
    settles
      ? `  Everything is on the new root after about ${approximately(lastMs)}, and the older roots have left.`
      : '  As things are it would not come to its end.',
    rate === null
      ? `  The issuer's rate is not known yet; ${perSecond} a second was assumed.`
      : `  The issuer's rate, measured over ${rate.measured} ${rate.from}: ${perSecond.toFixed(1)} a second.`,
    '  Counted are delays, margins and the issuer; the writes themselves come on top.',
  ];
}

/** Of many waves the first, the last and how many there are between. */
function folded(steps: Rehearsal['steps'], wide: boolean): Rehearsal['steps'] {
  const isRepeated = ({ what }: Rehearsal['steps'][number]): boolean => /^wave |^runtimes /.test(what);
  if (wide || steps.filter(isRepeated).length <= 12) return steps;
  const repeated = steps.filter(isRepeated);
  const shown = new Set([...repeated.slice(0, 4), ...repeated.slice(-3)]);
  const left = repeated.length - shown.size;
  let told = false;
  return steps.flatMap((step) => {
    if (!isRepeated(step) || shown.has(step)) return [step];
    if (told) return [];
    told = true;
    return [{ ...step, what: `and so on, ${left} more steps of this kind (see them with -o wide)`, runtimes: 0 }];
  });
}

function heldUpLines(heldUpBy: Rehearsal['heldUpBy'], unprovableAfter: string): readonly string[] {
  if (heldUpBy.length === 0) return [];
  const byReason = new Map<string, string[]>();
  for (const { name, reason } of heldUpBy) {
    const key = reason ?? '';
    byReason.set(key, [...(byReason.get(key) ?? []), name]);
  }
  return [
    ...[...byReason].map(
      ([reason, names]) =>
        `  The switch would wait for ${someOf(names)}: ${reason === '' ? 'it is not proven what they use.' : meaning(reason)}`,
    ),
    `  After ${unprovableAfter} it would go on without them, and they may break.`,
  ];
}

function meaning(reason: string): string {
  return reason in REASONS ? REASONS[reason as keyof typeof REASONS].meaning : reason;
}
