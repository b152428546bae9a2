import type { Bundle, Certificate, CertificateReader } from './certificates.ts';
import { short } from './certificates.ts';

/** Who judges the certificate. The verifiers differ where a leaf does not say which key signed it. */
export type Verifier = 'gateway' | 'runtime' | 'api-server';

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

/** The parts of `span` in which a verifier that trusts `bundle` refuses `leaf`, each with the reason. */
export function refusals(
  leaf: Certificate,
  bundle: Bundle,
  verifier: Verifier,
  host: string | undefined,
  span: Span,
  reader: CertificateReader,
): Refusal[] {
  const named = `${verifier === 'gateway' ? 'client' : verifier === 'runtime' ? 'server' : 'webhook'} certificate ${short(leaf.digest)}`;
  const usage = verifier === 'gateway' ? clientAuth : serverAuth;
  const usages = leaf.x509.keyUsage as readonly string[] | undefined;
  if (usages !== undefined && usages.length > 0 && !usages.includes(usage) && !usages.includes(anyUsage)) {
    return [{ ...span, detail: `${named} does not allow this use` }];
  }
  if (host !== undefined && leaf.x509.checkHost(host, { subject: 'never' }) === undefined) {
    return [{ ...span, detail: `${named} does not cover host ${host}` }];
  }

  const signers = signersIn(leaf, bundle, verifier, reader);
  if (signers.length === 0) {
    return [{ ...span, detail: `${named} is signed by no root of the bundle` }];
  }
  const refused: Refusal[] = [];
  let leafValid: Span[] = [span];
  const ownValidity = { fromMs: leaf.notBeforeMs, toMs: leaf.notAfterMs };
  for (const outside of without(span, [ownValidity])) {
    refused.push({ ...outside, detail: `${named} is used outside its own validity` });
    leafValid = leafValid.flatMap((valid) => without(valid, [outside]));
  }
  const signersValid = signers.map(({ notBeforeMs, notAfterMs }) => ({ fromMs: notBeforeMs, toMs: notAfterMs }));
  const names = signers.map(({ digest }) => short(digest)).join(', ');
  for (const valid of leafValid) {
    for (const outside of without(valid, signersValid)) {
      refused.push({ ...outside, detail: `${named} is signed by root ${names}, which is expired or not yet valid` });
    }
  }
  return refused;
}

function signersIn(
  leaf: Certificate,
  bundle: Bundle,
  verifier: Verifier,
  reader: CertificateReader,
): readonly Certificate[] {
  const signers = bundle.certificates.filter((root) => reader.signedBy(leaf, root));
  // Go accepts a certificate that is itself in the bundle (KLM's gateway presents its root).
  if (verifier !== 'gateway' && bundle.certificates.includes(leaf) && !signers.includes(leaf))
    return [leaf, ...signers];
  if (verifier !== 'gateway' || leaf.namesItsIssuersKey) return signers;
  // Measured: without an authority key identifier Envoy tries only the first root of the issuer's name.
  const first = bundle.certificates.find(({ x509 }) => x509.subject === leaf.x509.issuer);
  return signers.filter((root) => root.keyIdentity === first?.keyIdentity);
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
