import { type Certificate, type CertificateDefect, parseCertificate } from './certificate.ts';
import { asText, type PemDefect, splitPem } from './pem.ts';

/**
 * Roots that a party trusts, in the order in which they stand: newest first, each once. A plain list, so that the decisions
 * can build one from values alone.
 */
export type Bundle = readonly Certificate[];

/** A block of a bundle that is no certificate for us, by its place in the text. */
export interface BundleDefect {
  readonly line: number;
  readonly reason: PemDefect | CertificateDefect | 'NotACertificateBlock';
  readonly detail: string;
}

export interface ParsedBundle {
  readonly certificates: Bundle;
  readonly defects: readonly BundleDefect[];
  /**
   * The text is exactly what we would write for these certificates. Only then do all verifiers read the same out of it:
   * a block glued to the one before, say, is read here and by nobody else, so such a text proves nothing until rewritten.
   */
  readonly canonical: boolean;
}

/** Reads the `ca.crt` of a Secret or a `caBundle`. Never throws; a bad block costs nothing but itself (B30, B33). */
export function parseBundle(text: string | Uint8Array): ParsedBundle {
  const certificates: Certificate[] = [];
  const defects: BundleDefect[] = [];
  for (const block of splitPem(text)) {
    if (block.kind === 'broken') {
      defects.push({ line: block.line, reason: block.defect, detail: `block ${block.label}` });
    } else if (block.kind === 'foreign') {
      defects.push({ line: block.line, reason: 'NotACertificateBlock', detail: `block ${block.label}` });
    } else {
      const result = parseCertificate(block.der);
      if (result.ok) certificates.push(result.certificate);
      else defects.push({ line: block.line, reason: result.defect, detail: result.detail });
    }
  }
  const distinct = union(certificates);
  return { certificates: distinct, defects, canonical: encodeBundle(distinct) === asText(text) };
}

/** The bytes that stand for a bundle: equal bundles give equal bytes, and a second parse gives the bundle again (B21, B25). */
export function encodeBundle(bundle: Bundle): string {
  return bundle.map((certificate) => certificate.pem).join('');
}

/** Every certificate of every list once, in the order of its first appearance. */
export function union(...bundles: readonly Bundle[]): Bundle {
  const seen = new Map<string, Certificate>();
  for (const certificate of bundles.flat()) {
    if (!seen.has(certificate.digest)) seen.set(certificate.digest, certificate);
  }
  return [...seen.values()];
}

/**
 * `root` in front of the others. Other generations of its key come along, the later-expiring first: verifiers take the first
 * match, and a leaf must not be judged by the root that ends first. Prepending again changes nothing, so no pass writes for
 * the order alone.
 */
export function prepend(root: Certificate, bundle: Bundle): Bundle {
  const generations = bundle.filter((certificate) => certificate.keyId === root.keyId);
  return laterExpiringFirst(union([root], generations, bundle));
}

/** Of roots with one key the later-expiring stands first; the places that the key holds in the bundle stay as they are. */
export function laterExpiringFirst(bundle: Bundle): Bundle {
  const generations = new Map<string, Certificate[]>();
  for (const certificate of bundle) {
    const same = generations.get(certificate.keyId);
    if (same === undefined) generations.set(certificate.keyId, [certificate]);
    else same.push(certificate);
  }
  // The sort is stable, so equal ends keep their order and the bytes do not flicker.
  for (const same of generations.values()) same.sort((a, b) => b.notAfterMs - a.notAfterMs);
  return bundle.map((certificate) => generations.get(certificate.keyId)?.shift() ?? certificate);
}

/** The bundle without the certificates of these digests. */
export function without(bundle: Bundle, digests: Iterable<string>): Bundle {
  const gone = new Set(digests);
  return bundle.filter((certificate) => !gone.has(certificate.digest));
}

export function contains(bundle: Bundle, certificate: Pick<Certificate, 'digest'>): boolean {
  return bundle.some((held) => held.digest === certificate.digest);
}

export function containsAll(bundle: Bundle, wanted: Bundle): boolean {
  return wanted.every((certificate) => contains(bundle, certificate));
}

/** Trusting the same, in whatever order. */
export function sameSet(a: Bundle, b: Bundle): boolean {
  return containsAll(a, b) && containsAll(b, a);
}
