import type { TrustDomain } from '../../api/trust-domain.ts';
import type { Judgement } from '../../checker/judge.ts';
import { keyOf, refOf } from '../../kubernetes/resource.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Presentable } from '../output.ts';
import { type Column, counted, someOf, tableLines } from '../table.ts';

export interface Verified {
  readonly domain: TrustDomain;
  readonly judgement: Judgement;
  readonly runtimes: readonly string[];
  /** Runtimes that have no Secret yet: they present nothing and refuse nobody. */
  readonly without: readonly string[];
  /** 0: looked once. */
  readonly forMs: number;
}

interface Unseen {
  readonly cluster: string;
  readonly what: string;
  readonly detail: string;
}

interface Finding {
  readonly rule: string;
  readonly who: string;
  readonly forMs: number;
  readonly detail: string;
}

const columns: readonly Column<Finding>[] = [
  { head: 'RULE', cell: ({ rule }) => rule },
  { head: 'WHO', cell: ({ who }) => who },
  { head: 'WHAT', cell: ({ detail }) => detail },
  { head: 'FOR', cell: ({ forMs }) => `${forMs} ms`, wide: true },
];

/** How the command ends for a script. */
export function exitCodeOf({ judgement, runtimes, without }: Verified): ExitCode {
  if (judgement.violations.length > 0) return EXIT.violated;
  const nothing = runtimes.length > without.length && (judgement.judged.S1 === 0 || judgement.judged.S2 === 0);
  return judgement.gaps.length > 0 || nothing ? EXIT.unseen : EXIT.done;
}

/** Clusters that were not seen, each told once: one that is lost is missed by each of its watches. */
const mostUnseen = 5;

/** What was found, in one line. */
export function verdict(verified: Verified): string {
  const { domain, judgement, runtimes, forMs } = verified;
  const { judged, violations } = judgement;
  const code = exitCodeOf(verified);
  const what = `TrustDomain ${keyOf(refOf(domain))}, ${counted(runtimes.length, 'runtime')}${forMs === 0 ? ', as it stands now' : `, over ${forMs / 1_000} s`}`;
  const found = `${counted(violations.length, 'violation')}; judged were ${counted(judged.S1, 'client certificate')} at the gateway (S1), ${counted(judged.S2, 'server certificate')} at runtimes (S2), ${counted(judged.S3, 'webhook certificate')} (S3)`;
  if (code !== EXIT.unseen) return `${what}: ${found}`;
  return `${what}: no verdict, since ${missed(verified)}. In what was seen: ${found}`;
}

function missed({ judgement: { gaps }, forMs }: Verified): string {
  const clusters = [...new Set(gaps.map(({ cluster }) => cluster))];
  const lost = clusters.filter((cluster) => cluster !== 'hub');
  const who = [
    ...(lost.length < clusters.length ? ['the hub'] : []),
    ...(lost.length === 0 ? [] : [`${counted(lost.length, 'runtime')} (${someOf(lost)})`]),
  ];
  if (who.length === 0) return 'no certificate in use was found that could be judged';
  return `${who.join(' and ')} could not be ${forMs === 0 ? 'looked at' : 'watched to the end'}`;
}

function unseenLines(unseen: readonly Unseen[], wide: boolean): readonly string[] {
  const first = [...new Map([...unseen].reverse().map((gap) => [gap.cluster, gap])).values()].reverse();
  const shown = wide ? unseen : first.slice(0, mostUnseen);
  const left = wide ? 0 : first.length - shown.length;
  return [
    ...shown.map(({ cluster, what, detail }) => `Not seen: ${what} of ${cluster}: ${detail}`),
    ...(left === 0 ? [] : [`and ${left} more that were not seen: see them with -o wide`]),
  ];
}

/** What the checker found. */
export function verifyResult(verified: Verified): Presentable {
  const { domain, judgement, runtimes, without, forMs } = verified;
  const { judged, gaps } = judgement;
  const findings = judgement.violations.map(({ rule, runtime, endpoint, atMs, untilMs, detail }): Finding => {
    const who = [runtime, endpoint].filter((party) => party !== undefined).join(' at ');
    return { rule, who: who === '' ? '-' : who, forMs: untilMs - atMs, detail };
  });
  const unseen = gaps.map(({ cluster, what, detail }) => ({ cluster, what, detail }));
  const ok = exitCodeOf(verified) === EXIT.done;
  return {
    names: [...new Set(judgement.violations.map(({ runtime }) => runtime))].flatMap((runtime) =>
      runtime === undefined ? [] : [`runtimetrust/${runtime}`],
    ),
    value: {
      trustDomain: { namespace: domain.metadata.namespace, name: domain.metadata.name },
      ok,
      seconds: forMs / 1_000,
      runtimes: runtimes.length,
      withoutSecret: without,
      judged,
      violations: findings,
      unseen,
    },
    lines: (wide) => [
      ...(findings.length === 0 ? [] : [...tableLines(columns, findings, wide), '']),
      ...unseenLines(unseen, wide),
      ...(without.length === 0 ? [] : [`Without a Secret yet, so nothing to judge: ${without.join(', ')}`]),
      verdict(verified),
    ],
  };
}
