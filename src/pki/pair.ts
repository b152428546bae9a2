import { createHash, createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import { type Certificate, type CertificateDefect, parseCertificate } from './certificate.ts';
import { asText, type PemDefect, splitPem } from './pem.ts';
import { isSelfSigned } from './signed-by.ts';

/** What `tls.crt` and `tls.key` of a Secret hold. The key itself is no part of it (S4): only whether it is the right one. */
export interface Pair {
  readonly leaf: Certificate;
  /** What follows the leaf in `tls.crt`, in its order. */
  readonly chain: readonly Certificate[];
  /** Harmless, worth telling: verifiers pass over a root that comes along, and over a pair that is a root itself. */
  readonly notes: readonly PairNote[];
}

export type PairNote = 'RootIncluded' | 'LeafIsRoot' | 'OtherBlocks';

export interface PairDefect {
  readonly reason: PairDefectReason;
  /** For people; holds no byte of the key. */
  readonly detail: string;
}

export type PairDefectReason =
  | PemDefect
  | CertificateDefect
  | 'NoCertificate'
  | 'NoKey'
  | 'KeyUnreadable'
  /** The key belongs to a certificate that stands later in `tls.crt`: servers take the first and refuse the pair. */
  | 'LeafNotFirst'
  | 'KeyDoesNotMatch';

export type PairResult =
  | { readonly ok: true; readonly pair: Pair }
  | { readonly ok: false; readonly defects: readonly PairDefect[] };

export interface PairText {
  readonly certificatePem: string | Uint8Array;
  readonly keyPem: string | Uint8Array;
}

const rememberedMatches = 40_000;
const matches = new Map<string, boolean>();

/** Reads a certificate and its key as TLS servers and clients would, the leaf first. Never throws. */
export function parsePair(text: PairText): PairResult {
  const defects: PairDefect[] = [];
  const notes: PairNote[] = [];
  const certificates: Certificate[] = [];
  for (const block of splitPem(text.certificatePem)) {
    if (block.kind === 'foreign') {
      // Some write the key beside the certificate; it is passed over and not repeated.
      if (!notes.includes('OtherBlocks')) notes.push('OtherBlocks');
    } else if (block.kind === 'broken') {
      defects.push({ reason: block.defect, detail: `block ${block.label} in line ${block.line} of the certificate` });
    } else {
      const result = parseCertificate(block.der);
      if (result.ok) certificates.push(result.certificate);
      else defects.push({ reason: result.defect, detail: `certificate in line ${block.line}: ${result.detail}` });
    }
  }
  const [leaf, ...chain] = certificates;
  if (leaf === undefined && defects.length === 0)
    defects.push({ reason: 'NoCertificate', detail: 'the certificate is empty' });

  const key = readKey(text.keyPem);
  if (!key.ok) defects.push(key.defect);
  if (leaf === undefined || !key.ok || defects.length > 0) return { ok: false, defects };

  if (!keyMatches(leaf, key)) {
    const later = chain.findIndex((certificate) => keyMatches(certificate, key));
    const defect: PairDefect =
      later === -1
        ? { reason: 'KeyDoesNotMatch', detail: `the key is not that of ${leaf.subjectText || 'the certificate'}` }
        : { reason: 'LeafNotFirst', detail: `the key belongs to certificate ${later + 2}, servers take the first` };
    return { ok: false, defects: [defect] };
  }
  if (leaf.selfIssued && isSelfSigned(leaf)) notes.push('LeafIsRoot');
  if (chain.some((certificate) => certificate.selfIssued && isSelfSigned(certificate))) notes.push('RootIncluded');
  return { ok: true, pair: { leaf, chain, notes } };
}

/** The key, or why not. The object stays within this file. */
type ReadKey =
  | { readonly ok: true; readonly key: () => KeyObject; readonly fingerprint: string }
  | { readonly ok: false; readonly defect: PairDefect };

function readKey(keyPem: string | Uint8Array): ReadKey {
  const text = asText(keyPem);
  if (text.trim() === '') return { ok: false, defect: { reason: 'NoKey', detail: 'the private key is empty' } };
  const fingerprint = createHash('sha256').update(text).digest('hex');
  let parsed: KeyObject | undefined;
  const key = (): KeyObject => {
    parsed ??= createPrivateKey(text);
    return parsed;
  };
  // A fingerprint that was matched before was read before: 10,000 RSA keys are not parsed anew in every pass.
  if (matches.has(fingerprint)) return { ok: true, key, fingerprint };
  try {
    key();
  } catch {
    // The reason that OpenSSL gives is left out, so that nothing of the key can be in it (S4).
    return { ok: false, defect: { reason: 'KeyUnreadable', detail: 'the private key is not in PEM, or is encrypted' } };
  }
  return { ok: true, key, fingerprint };
}

function keyMatches(certificate: Certificate, read: ReadKey & { ok: true }): boolean {
  const memo = `${read.fingerprint} ${certificate.keyId}`;
  const known = matches.get(memo);
  if (known !== undefined) return known;
  const matched = new X509Certificate(certificate.pem).checkPrivateKey(read.key());
  remember(memo, matched);
  remember(read.fingerprint, true);
  return matched;
}

function remember(key: string, value: boolean): void {
  matches.set(key, value);
  if (matches.size > rememberedMatches) {
    const oldest = matches.keys().next();
    if (oldest.done !== true) matches.delete(oldest.value);
  }
}
