import { Acceptance, type Verifier } from './acceptance.ts';
import type { Bundle, CertificateReader } from './certificates.ts';
import type { InUse, Pair, PartiesInUse } from './in-use.ts';
import type { Violation } from './violations.ts';

export interface TrustFindings {
  readonly violations: readonly Violation[];
  /** How many (certificate, bundle, time) combinations were judged: a rule that judged none has shown nothing. */
  readonly judged: { readonly S1: number; readonly S2: number; readonly S3: number };
}

/** S1 to S3: each certificate that a party may present against each bundle that its judge may be using meanwhile. */
export function judgeTrust(
  { runtimes, endpoints }: PartiesInUse,
  gatewayHost: string | undefined,
  reader: CertificateReader,
): TrustFindings {
  const violations: Violation[] = [];
  const acceptance = new Acceptance(reader, gatewayHost);
  const judged = { S1: 0, S2: 0, S3: 0 };
  const judge = (
    rule: 'S1' | 'S2' | 'S3',
    verifier: Verifier,
    pairs: readonly InUse<Pair>[],
    bundles: readonly InUse<Bundle>[],
    parties: { readonly runtime: string; readonly endpoint?: string },
  ) => {
    for (const { pair, bundle, fromMs, toMs } of overlaps(pairs, bundles)) {
      judged[rule] += 1;
      for (const refusal of pairRefusals(pair, bundle, fromMs, toMs)) {
        violations.push({ rule, ...parties, atMs: refusal.fromMs, untilMs: refusal.toMs, detail: refusal.detail });
      }
    }
    function pairRefusals(pair: Pair, bundle: Bundle, fromMs: number, toMs: number) {
      const span = { fromMs, toMs };
      if (pair.leaf === null) return [{ ...span, detail: 'no readable certificate is presented' }];
      if (!pair.keyMatches) return [{ ...span, detail: 'certificate and private key do not match' }];
      return acceptance.refusals(pair.leaf, bundle, verifier, span);
    }
  };

  for (const [runtime, { pairs, bundles, webhookBundles }] of runtimes) {
    for (const [endpoint, gateway] of endpoints) {
      judge('S1', 'gateway', pairs, gateway.bundles, { runtime, endpoint });
      judge('S2', 'runtime', gateway.servers, bundles, { runtime, endpoint });
    }
    const webhooks = Math.max(0, ...webhookBundles.map(({ value }) => value.length));
    for (let index = 0; index < webhooks; index += 1) {
      const bundlesOfOne = webhookBundles.flatMap(({ value, ...times }) => {
        const bundle = value[index];
        return bundle === undefined ? [] : [{ ...times, value: bundle }];
      });
      judge('S3', 'api-server', pairs, bundlesOfOne, { runtime });
    }
  }
  return { violations, judged };
}

interface Overlap {
  readonly pair: Pair;
  readonly bundle: Bundle;
  readonly fromMs: number;
  readonly toMs: number;
}

/** One sweep over both lists: each is sorted by its start, and only what can still overlap is looked at again. */
function* overlaps(pairs: readonly InUse<Pair>[], bundles: readonly InUse<Bundle>[]): Generator<Overlap> {
  let open: InUse<Bundle>[] = [];
  let next = 0;
  for (const pair of pairs) {
    open = open.filter(({ toMs }) => toMs > pair.fromMs);
    for (let bundle = bundles[next]; bundle !== undefined && bundle.fromMs < pair.toMs; bundle = bundles[next]) {
      open.push(bundle);
      next += 1;
    }
    for (const bundle of open) {
      const fromMs = Math.max(pair.fromMs, bundle.fromMs);
      const toMs = Math.min(pair.toMs, bundle.toMs);
      if (fromMs < toMs) yield { pair: pair.value, bundle: bundle.value, fromMs, toMs };
    }
  }
}
