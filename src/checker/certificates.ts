import { createHash, X509Certificate } from 'node:crypto';
import { pemBlocks } from './pem.ts';
import { findPrivateKeys, keyIdentity, publicKeyIdentity } from './private-keys.ts';

export interface Certificate {
  readonly x509: X509Certificate;
  /** SHA-256 of the DER, lower-case hex. */
  readonly digest: string;
  readonly keyIdentity: string;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly namesItsIssuersKey: boolean;
}

/** A trust bundle as a set with an order. Two texts with the same certificates in the same order are the same bundle. */
export interface Bundle {
  readonly identity: string;
  readonly certificates: readonly Certificate[];
}

// OBJECT IDENTIFIER 2.5.29.35 as it stands in DER. X509Certificate does not tell extensions; the bytes do.
const authorityKeyIdentifier = Buffer.from('0603551d23', 'hex');

/** Reads each text once and checks each signature once. */
export class CertificateReader {
  readonly #byDer = new Map<string, Certificate | null>();
  readonly #byText = new Map<string, readonly Certificate[]>();
  readonly #bundles = new Map<string, Bundle>();
  readonly #signed = new Map<string, boolean>();
  readonly #keyFields = new Map<string, string>();
  readonly #keysInText = new Map<string, readonly string[]>();

  /** The certificates of a text, in its order; a block that is none is left out. */
  certificatesIn(text: string): readonly Certificate[] {
    return computed(this.#byText, text, () =>
      pemBlocks(text)
        .filter(({ label }) => label === 'CERTIFICATE')
        .map(({ der }) => this.#parse(der))
        .filter((certificate) => certificate !== null),
    );
  }

  bundleOf(text: string): Bundle {
    const certificates = this.certificatesIn(text);
    const identity = certificates.map(({ digest }) => digest).join(' ');
    return computed(this.#bundles, identity, () => ({ identity, certificates }));
  }

  /** The name of the private key that a field such as `tls.key` holds. */
  keyIdentity(text: string): string {
    return computed(this.#keyFields, text, () => keyIdentity(text));
  }

  /** The names of all private keys anywhere in a text. */
  privateKeysIn(text: string): readonly string[] {
    return computed(this.#keysInText, text, () => findPrivateKeys(text).map(({ identity }) => identity));
  }

  /** Whether `signer` is a CA whose key made the signature on `certificate`, with names and identifiers that fit. */
  signedBy(certificate: Certificate, signer: Certificate): boolean {
    const key = `${certificate.digest} ${signer.digest}`;
    return computed(
      this.#signed,
      key,
      () =>
        signer.x509.ca && certificate.x509.checkIssued(signer.x509) && certificate.x509.verify(signer.x509.publicKey),
    );
  }

  #parse(der: Buffer): Certificate | null {
    const digest = createHash('sha256').update(der).digest('hex');
    return computed(this.#byDer, digest, () => {
      try {
        const x509 = new X509Certificate(der);
        return {
          x509,
          digest,
          keyIdentity: publicKeyIdentity(x509.publicKey),
          notBeforeMs: Date.parse(x509.validFrom),
          notAfterMs: Date.parse(x509.validTo),
          namesItsIssuersKey: x509.raw.includes(authorityKeyIdentifier),
        };
      } catch {
        return null;
      }
    });
  }
}

function computed<T>(known: Map<string, T>, key: string, compute: () => T): T {
  const value = known.get(key);
  if (value !== undefined) return value;
  const fresh = compute();
  known.set(key, fresh);
  return fresh;
}

/** How a report names a certificate: enough to find it, short enough to read. */
export function short(digest: string): string {
  return digest.slice(0, 12);
}
