import { createHash, X509Certificate } from 'node:crypto';
import { encodePem } from './pem.ts';
import { type CertificateDefect, type CertificateFields, readCertificateFields } from './read-certificate.ts';

/**
 * A certificate as its bytes say it, and nothing else (S6). Immutable; one value per digest for as long as it is remembered,
 * so that comparing by `digest` and holding by reference agree.
 */
export interface Certificate extends CertificateFields {
  /** SHA-256 of the DER, lower-case hex: the identity of a certificate. */
  readonly digest: string;
  /** SHA-256 of the subjectPublicKeyInfo, lower-case hex: the identity of a key. A renewed root keeps it. */
  readonly keyId: string;
  /** The certificate in the one form in which it is written: 64 columns, final newline. */
  readonly pem: string;
  /** For people; never compared. */
  readonly subjectText: string;
  /** Issuer and subject are the same name. It says nothing of the signature: see `isSelfSigned`. */
  readonly selfIssued: boolean;
  /** `P-256`, `P-384`, `P-521`, `RSA-2048`, …, or OpenSSL's name of anything else. */
  readonly keyAlgorithm: string;
}

export type { CertificateDefect } from './read-certificate.ts';

export type CertificateResult =
  | { readonly ok: true; readonly certificate: Certificate }
  | { readonly ok: false; readonly defect: CertificateDefect; readonly detail: string };

/** About 100 MB at the very most; a fleet of 10,000 has some 10,000 leaves and as many again while they are re-issued. */
const rememberedCertificates = 40_000;
const remembered = new Map<string, Certificate>();

/** Parses one DER certificate, strictly, once per digest. Never throws. */
export function parseCertificate(der: Uint8Array): CertificateResult {
  const digest = sha256Hex(der);
  const known = remembered.get(digest);
  if (known !== undefined) {
    // Moved to the end: what is used stays, what nobody has asked for longest goes first.
    remembered.delete(digest);
    remembered.set(digest, known);
    return { ok: true, certificate: known };
  }
  const read = readCertificateFields(der);
  if (!read.ok) return read;
  let openSsl: X509Certificate;
  let keyAlgorithm: string;
  try {
    openSsl = new X509Certificate(der);
    keyAlgorithm = keyAlgorithmOf(openSsl);
  } catch (error) {
    return {
      ok: false,
      defect: 'RefusedByOpenSsl',
      detail: error instanceof Error ? error.message : 'no reason given',
    };
  }
  const certificate: Certificate = Object.freeze({
    ...read.fields,
    digest,
    keyId: sha256Hex(read.publicKeyInfo),
    pem: encodePem('CERTIFICATE', der),
    subjectText: oneLine(openSsl.subject),
    selfIssued: read.fields.issuer === read.fields.subject,
    keyAlgorithm,
  });
  remembered.set(digest, certificate);
  if (remembered.size > rememberedCertificates) {
    const oldest = remembered.keys().next();
    if (oldest.done !== true) remembered.delete(oldest.value);
  }
  return { ok: true, certificate };
}

/** Whether `nowMs` (epoch) lies within the validity. RFC 5280 counts both ends in; they have whole seconds. */
export function isValidAt(certificate: Pick<Certificate, 'notBeforeMs' | 'notAfterMs'>, nowMs: number): boolean {
  return nowMs >= certificate.notBeforeMs && nowMs < certificate.notAfterMs + 1000;
}

export function sha256Hex(bytes: Uint8Array): string {
  return createHash('sha256').update(bytes).digest('hex');
}

function keyAlgorithmOf(certificate: X509Certificate): string {
  const { asymmetricKeyType: type, asymmetricKeyDetails: details } = certificate.publicKey;
  if (type === 'rsa') return `RSA-${details?.modulusLength ?? 0}`;
  if (type !== 'ec') return type ?? 'unknown';
  const curves: Readonly<Record<string, string>> = { prime256v1: 'P-256', secp384r1: 'P-384', secp521r1: 'P-521' };
  const curve = details?.namedCurve ?? 'unknown';
  return curves[curve] ?? curve;
}

function oneLine(name: string | undefined): string {
  return (name ?? '').split('\n').join(', ');
}
