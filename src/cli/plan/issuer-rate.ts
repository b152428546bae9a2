import type { KubeObject } from '../../kubernetes/resource.ts';

/** How fast the issuer was when it last worked. */
export interface IssuerRate {
  /** Certificates a second, over the last run of issuances. */
  readonly perSecond: number;
  /** Issuances that this was measured over. */
  readonly measured: number;
  readonly from: 'CertificateRequests' | 'Certificates';
}

interface RequestShape {
  readonly status?: {
    readonly conditions?: readonly {
      readonly type?: string;
      readonly status?: string;
      readonly lastTransitionTime?: string;
    }[];
    readonly notBefore?: string;
  };
}

/** A longer pause ends one run of issuances: what came before it says nothing of the rate. */
const pauseMs = 60_000;
/** Of fewer, with times in whole seconds, no rate can be told. */
const fewest = 3;

/**
 * Measures the rate at which certificates were issued, from the times that the issuer left behind.
 *
 * @returns `null` where there is too little to measure
 */
export function issuerRate(requests: readonly KubeObject[], certificates: readonly KubeObject[]): IssuerRate | null {
  const spans = requests.flatMap((request) => {
    const endMs = readyAtMs(request);
    const beginMs = Date.parse(request.metadata.creationTimestamp ?? '');
    return Number.isNaN(endMs) || Number.isNaN(beginMs) ? [] : [{ beginMs, endMs }];
  });
  const ends = certificates.flatMap((certificate) => {
    // An issuer does not back-date, so this is when it signed.
    const atMs = Date.parse((certificate as RequestShape).status?.notBefore ?? '');
    return Number.isNaN(atMs) ? [] : [{ beginMs: atMs, endMs: atMs }];
  });
  return measured(spans, 'CertificateRequests') ?? measured(ends, 'Certificates');
}

function measured(
  spans: readonly { readonly beginMs: number; readonly endMs: number }[],
  from: IssuerRate['from'],
): IssuerRate | null {
  const sorted = [...spans].sort((a, b) => a.endMs - b.endMs);
  let first = sorted.length - 1;
  while (first > 0 && (sorted[first]?.endMs ?? 0) - (sorted[first - 1]?.endMs ?? 0) <= pauseMs) first -= 1;
  const run = sorted.slice(Math.max(0, first));
  if (run.length < fewest) return null;
  const beginMs = Math.min(...run.map((span) => span.beginMs));
  // Times have whole seconds: a run within one second took up to one.
  const tookMs = Math.max(1_000, (run.at(-1)?.endMs ?? 0) - beginMs);
  return { perSecond: run.length / (tookMs / 1_000), measured: run.length, from };
}

function readyAtMs(request: KubeObject): number {
  const ready = (request as RequestShape).status?.conditions?.find(
    ({ type, status }) => type === 'Ready' && status === 'True',
  );
  return Date.parse(ready?.lastTransitionTime ?? '');
}
