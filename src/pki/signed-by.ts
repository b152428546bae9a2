import { createPublicKey, X509Certificate } from 'node:crypto';
import type { Certificate } from './certificate.ts';

/** Why one certificate does not stand as the signer of another. */
export type NotSignedBecause =
  | 'AnotherIssuerName'
  | 'AnotherKeyId'
  | 'AnotherIssuerSerial'
  | 'SignerIsNoCa'
  | 'SignerMayNotSign'
  | 'WeakSignature'
  | 'SignatureDoesNotVerify';

// Go and OpenSSL refuse MD5 and SHA-1 below a root; a certificate signed so is accepted by nobody who matters.
const weakAlgorithms: ReadonlySet<string> = new Set([
  '1.2.840.113549.1.1.4',
  '1.2.840.113549.1.1.5',
  '1.2.840.10045.4.1',
]);

const rememberedSignatures = 100_000;
const signatures = new Map<string, boolean>();

/**
 * Whether `signer` signed `certificate` in the eyes of every verifier at once: names equal byte by byte, key identifiers
 * equal where both stand there, the signer may sign, and the signature verifies. Time plays no part in it (S6).
 *
 * It is the strictest of Go, OpenSSL and BoringSSL, so a yes is a yes with each of them. What a root's extended key usage
 * allows they judge differently, and it is left out: Envoy takes a client certificate of a root that names serverAuth only.
 */
export function isSignedBy(certificate: Certificate, signer: Certificate): boolean {
  return whyNotSignedBy(certificate, signer) === null;
}

/** `null` when signed; else the first reason, in the order in which verifiers look. */
export function whyNotSignedBy(certificate: Certificate, signer: Certificate): NotSignedBecause | null {
  const mismatch = mismatchOfNames(certificate, signer);
  if (mismatch !== null) return mismatch;
  if (!signer.isCa) return 'SignerIsNoCa';
  if (signer.keyUsage !== null && !signer.keyUsage.includes('keyCertSign')) return 'SignerMayNotSign';
  if (certificate.digest !== signer.digest && weakAlgorithms.has(certificate.signatureAlgorithm))
    return 'WeakSignature';
  return signatureVerifies(certificate, signer) ? null : 'SignatureDoesNotVerify';
}

/** What a verifier looks at before it tries a key: name, key identifier where both have one, serial number where named. */
function mismatchOfNames(certificate: Certificate, signer: Certificate): NotSignedBecause | null {
  if (certificate.issuer !== signer.subject) return 'AnotherIssuerName';
  const { authorityKeyId, authoritySerial } = certificate;
  if (authorityKeyId !== null && signer.subjectKeyId !== null && authorityKeyId !== signer.subjectKeyId) {
    return 'AnotherKeyId';
  }
  // It ties a leaf to one generation of a renewed root: the same key with another serial number is no signer then.
  return authoritySerial !== null && authoritySerial !== signer.serial ? 'AnotherIssuerSerial' : null;
}

/** A root: it signed itself. */
export function isSelfSigned(certificate: Certificate): boolean {
  return isSignedBy(certificate, certificate);
}

/** The first of `roots` that signed it, in whatever company. What verifiers make of a bundle is `signerTakenFrom`. */
export function signerOf(certificate: Certificate, roots: Iterable<Certificate>): Certificate | null {
  for (const root of roots) {
    if (isSignedBy(certificate, root)) return root;
  }
  return null;
}

/**
 * The signer that every verifier settles on with this bundle, `null` when one of them would not. OpenSSL and Envoy take the
 * first root whose name and key identifier fit, and look no further if the signature is another's or the root has expired:
 * so a leaf without authority key identifier, or a namesake without subject key identifier, hides a signer that stands behind.
 * Whether what they settle on is still valid is told by `effectiveEndMs`.
 */
export function signerTakenFrom(bundle: Iterable<Certificate>, certificate: Certificate): Certificate | null {
  for (const root of bundle) {
    if (mismatchOfNames(certificate, root) === null) return isSignedBy(certificate, root) ? root : null;
  }
  return null;
}

/** When a leaf stops working: its own end or its signer's, whichever comes first. Epoch milliseconds. */
export function effectiveEndMs(leaf: Certificate, signer: Certificate): number {
  return Math.min(leaf.notAfterMs, signer.notAfterMs);
}

// Keyed by the signer's key and not by its certificate: a renewed root verifies what it signed before, at no further cost.
function signatureVerifies(certificate: Certificate, signer: Certificate): boolean {
  const key = `${certificate.digest} ${signer.keyId}`;
  const known = signatures.get(key);
  if (known !== undefined) return known;
  let verifies: boolean;
  try {
    verifies = new X509Certificate(certificate.pem).verify(createPublicKey(signer.pem));
  } catch {
    // A key that cannot verify this kind of signature has not made it.
    verifies = false;
  }
  signatures.set(key, verifies);
  if (signatures.size > rememberedSignatures) {
    const oldest = signatures.keys().next();
    if (oldest.done !== true) signatures.delete(oldest.value);
  }
  return verifies;
}
