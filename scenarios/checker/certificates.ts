import { createHash, X509Certificate } from 'node:crypto';
import { pemBlocks } from './pem.ts';
import { publicKeyIdentity } from './private-keys.ts';

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

  /** The certificates of a text, in its order; a block that is none is left out. */
  certificatesIn(text: string): readonly Certificate[] {
    let certificates = this.#byText.get(text);
    if (certificates === undefined) {
      certificates = pemBlocks(text)
        .filter(({ label }) => label === 'CERTIFICATE')
        .map(({ der }) => this.#parse(der))
        .filter((certificate) => certificate !== null);
      this.#byText.set(text, certificates);
    }
    return certificates;
  }

  bundleOf(text: string): Bundle {
    const certificates = this.certificatesIn(text);
    const identity = certificates.map(({ digest }) => digest).join(' ');
    let bundle = this.#bundles.get(identity);
    if (bundle === undefined) {
      bundle = { identity, certificates };
      this.#bundles.set(identity, bundle);
    }
    return bundle;
  }

  /** Whether `signer` is a CA whose key made the signature on `certificate`, with names and identifiers that fit. */
  signedBy(certificate: Certificate, signer: Certificate): boolean {
    const key = `${certificate.digest} ${signer.digest}`;
    let signed = this.#signed.get(key);
    if (signed === undefined) {
      signed =
        signer.x509.ca && certificate.x509.checkIssued(signer.x509) && certificate.x509.verify(signer.x509.publicKey);
      this.#signed.set(key, signed);
    }
    return signed;
  }

  #parse(der: Buffer): Certificate | null {
    const digest = createHash('sha256').update(der).digest('hex');
    let certificate = this.#byDer.get(digest);
    if (certificate === undefined) {
      try {
        const x509 = new X509Certificate(der);
        certificate = {
          x509,
          digest,
          keyIdentity: publicKeyIdentity(x509.publicKey),
          notBeforeMs: Date.parse(x509.validFrom),
          notAfterMs: Date.parse(x509.validTo),
          namesItsIssuersKey: x509.raw.includes(authorityKeyIdentifier),
        };
      } catch {
        certificate = null;
      }
      this.#byDer.set(digest, certificate);
    }
    return certificate;
  }
}

/** How a report names a certificate: enough to find it, short enough to read. */
export function short(digest: string): string {
  return digest.slice(0, 12);
}
