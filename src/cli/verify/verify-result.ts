import type { TrustDomain } from '../../api/trust-domain.ts';
import type { Judgement } from '../../checker/judge.ts';
import { keyOf, refOf } from '../../kubernetes/resource.ts';
import { EXIT, type ExitCode } from '../exit-code.ts';
import type { Presentable } from '../output.ts';
import { type Column, tableLines } from '../table.ts';

export interface Verified {
  readonly domain: TrustDomain;
  readonly judgement: Judgement;
  readonly runtimes: readonly string[];
  /** Runtimes that have no Secret yet: they present nothing and refuse nobody. */
  readonly without: readonly string[];
  /** 0: looked once. */
  readonly forMs: number;
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
      ...unseen.map(({ cluster, what, detail }) => `Not seen: ${what} of ${cluster}: ${detail}`),
      ...(without.length === 0 ? [] : [`Without a Secret yet, so nothing to judge: ${without.join(', ')}`]),
      `TrustDomain ${keyOf(refOf(domain))}, ${runtimes.length} runtimes${forMs === 0 ? ', as it stands now' : `, over ${forMs / 1_000} s`}: ${findings.length} violations; judged were ${judged.S1} client certificates at the gateway (S1), ${judged.S2} server certificates at runtimes (S2), ${judged.S3} webhook certificates (S3)`,
    ],
  };
}
