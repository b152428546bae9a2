import type { Bundle, Certificate, CertificateReader } from './certificates.ts';
import { short } from './certificates.ts';

/** Who judges the certificate. The verifiers differ where a leaf does not say which key signed it. */
export type Verifier = 'gateway' | 'runtime' | 'api-server';

const presented: Readonly<Record<Verifier, string>> = {
  gateway: 'client',
  runtime: 'server',
  'api-server': 'webhook',
};

export interface Refusal {
  readonly fromMs: number;
  readonly toMs: number;
  readonly detail: string;
}

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

const clientAuth = '1.3.6.1.5.5.7.3.2';
const serverAuth = '1.3.6.1.5.5.7.3.1';
const anyUsage = '2.5.29.37.0';

/** What a verifier makes of a certificate at any time: refused for good, or accepted while these spans last. */
type Opinion = { readonly refused: string } | { readonly signers: string; readonly signersValid: readonly Span[] };

/** Answers for each certificate, bundle and verifier; whatever does not depend on the time is worked out once. */
export class Acceptance {
  readonly #reader: CertificateReader;
  readonly #gatewayHost: string | undefined;
  readonly #opinions: Readonly<Record<Verifier, Map<Bundle, Map<Certificate, Opinion>>>> = {
    gateway: new Map(),
    runtime: new Map(),
    'api-server': new Map(),
  };

  constructor(reader: CertificateReader, gatewayHost: string | undefined) {
    this.#reader = reader;
    this.#gatewayHost = gatewayHost;
  }

  /** The parts of `span` in which a verifier that trusts `bundle` refuses `leaf`, each with the reason. */
  refusals(leaf: Certificate, bundle: Bundle, verifier: Verifier, span: Span): Refusal[] {
    const opinion = this.#opinionOn(leaf, bundle, verifier);
    const named = `${presented[verifier]} certificate ${short(leaf.digest)}`;
    if ('refused' in opinion) return [{ ...span, detail: `${named} ${opinion.refused}` }];

    const { signers, signersValid } = opinion;
    if (covers(leaf.notBeforeMs, leaf.notAfterMs, span) && signersValid.some((v) => covers(v.fromMs, v.toMs, span))) {
      return [];
    }
    const outside = without(span, [{ fromMs: leaf.notBeforeMs, toMs: leaf.notAfterMs }]);
    const refused = outside.map((part) => ({ ...part, detail: `${named} is used outside its own validity` }));
    for (const valid of outside.length === 0 ? [span] : without(span, outside)) {
      for (const part of without(valid, signersValid)) {
        refused.push({ ...part, detail: `${named} is signed by root ${signers}, which is expired or not yet valid` });
      }
    }
    return refused;
  }

  /** A reader gives the same object for the same certificate or bundle, so that identity is enough here. */
  #opinionOn(leaf: Certificate, bundle: Bundle, verifier: Verifier): Opinion {
    let onBundle = this.#opinions[verifier].get(bundle);
    if (onBundle === undefined) {
      onBundle = new Map();
      this.#opinions[verifier].set(bundle, onBundle);
    }
    let opinion = onBundle.get(leaf);
    if (opinion === undefined) {
      opinion = this.#opinionOf(leaf, bundle, verifier);
      onBundle.set(leaf, opinion);
    }
    return opinion;
  }

  #opinionOf(leaf: Certificate, bundle: Bundle, verifier: Verifier): Opinion {
    const usage = verifier === 'gateway' ? clientAuth : serverAuth;
    const usages = leaf.x509.keyUsage as readonly string[] | undefined;
    if (usages !== undefined && usages.length > 0 && !usages.includes(usage) && !usages.includes(anyUsage)) {
      return { refused: 'does not allow this use' };
    }
    const host = verifier === 'runtime' ? this.#gatewayHost : undefined;
    if (host !== undefined && leaf.x509.checkHost(host, { subject: 'never' }) === undefined) {
      return { refused: `does not cover host ${host}` };
    }
    const signers = signersIn(leaf, bundle, verifier, this.#reader);
    if (signers.length === 0) return { refused: 'is signed by no root of the bundle' };
    return {
      signers: signers.map(({ digest }) => short(digest)).join(', '),
      signersValid: signers.map(({ notBeforeMs, notAfterMs }) => ({ fromMs: notBeforeMs, toMs: notAfterMs })),
    };
  }
}

function signersIn(
  leaf: Certificate,
  bundle: Bundle,
  verifier: Verifier,
  reader: CertificateReader,
): readonly Certificate[] {
  const signers = bundle.certificates.filter((root) => reader.signedBy(leaf, root));
  if (verifier !== 'gateway' || leaf.namesItsIssuersKey) return signers;
  // Measured: without an authority key identifier Envoy tries only the first root of the issuer's name.
  const first = bundle.certificates.find(({ x509 }) => x509.subject === leaf.x509.issuer);
  return signers.filter((root) => root.keyIdentity === first?.keyIdentity);
}

function covers(fromMs: number, toMs: number, span: Span): boolean {
  return fromMs <= span.fromMs && span.toMs <= toMs;
}

/** What remains of `span` when all of `taken` is cut out of it. */
export function without(span: Span, taken: readonly Span[]): Span[] {
  let rest: Span[] = [{ fromMs: span.fromMs, toMs: span.toMs }];
  for (const { fromMs, toMs } of taken) {
    rest = rest.flatMap((part) => [
      ...(part.fromMs < Math.min(fromMs, part.toMs)
        ? [{ fromMs: part.fromMs, toMs: Math.min(fromMs, part.toMs) }]
        : []),
      ...(part.toMs > Math.max(toMs, part.fromMs) ? [{ fromMs: Math.max(toMs, part.fromMs), toMs: part.toMs }] : []),
    ]);
  }
  return rest;
}
