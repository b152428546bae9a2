import { createPrivateKey, type KeyObject, X509Certificate } from 'node:crypto';
import type { KubeObject, SecretObject } from '../../kubernetes/resource.ts';
import { parseBundle, union } from '../../pki/bundle.ts';
import type { Certificate } from '../../pki/certificate.ts';
import { isSelfSigned, isSignedBy } from '../../pki/signed-by.ts';
import type { Signer } from './sign-certificate.ts';

/** What an Issuer or ClusterIssuer can do now. */
export type SignerReading =
  | {
      readonly ok: true;
      readonly signer: Signer;
      /** What follows the leaf in `tls.crt`, and what stands in `ca.crt`; for `self` the certificate itself. */
      readonly chain: readonly Certificate[];
      readonly root: Certificate | null;
    }
  | NotReady
  /** It calls itself ready, and every request to it fails. */
  | { readonly ok: 'fails'; readonly message: string };

/** Its condition Ready is False, and requests wait. */
interface NotReady {
  readonly ok: false;
  readonly reason: string;
  readonly message: string;
}

/** Name of the Secret of an issuer of the kind `ca`; undefined for any other. */
export function authoritySecretName(issuer: KubeObject): string | undefined {
  const spec = (issuer['spec'] ?? {}) as { readonly ca?: { readonly secretName?: string } };
  return spec.ca?.secretName;
}

/**
 * Reads who signs. Of the authority's `tls.crt` the first certificate signs, as cert-manager has it; the rest of it and the
 * first certificate of `ca.crt` must make one chain with it. Whether the key is that of the certificate shows at the first
 * signature only.
 */
export function readSigner(issuer: KubeObject, secret: SecretObject | undefined): SignerReading {
  const spec = (issuer['spec'] ?? {}) as { readonly selfSigned?: unknown };
  const secretName = authoritySecretName(issuer);
  if (secretName === undefined) {
    if (spec.selfSigned === undefined) {
      return { ok: false, reason: 'ErrConfig', message: 'Only issuers of the kinds selfSigned and ca are known here' };
    }
    return { ok: true, signer: 'self', chain: [], root: null };
  }
  if (secret === undefined) return noPair(`secrets "${secretName}" not found`);
  const text = (key: string): Buffer => Buffer.from(secret.data?.[key] ?? '', 'base64');
  const { certificates, defects } = parseBundle(text('tls.crt'));
  const [signer] = certificates;
  if (signer === undefined || defects.length > 0) return noPair(`no certificate can be read in secret "${secretName}"`);
  const key = readKey(text('tls.key'));
  if (key === undefined) return noPair(`no private key can be read in secret "${secretName}"`);
  if (!signer.isCa) {
    return {
      ok: false,
      reason: 'ErrInvalidKeyPair',
      message: 'Error getting keypair for CA issuer: certificate is not a CA',
    };
  }
  if (!new X509Certificate(signer.pem).checkPrivateKey(key)) {
    const message =
      "Error signing certificate: error creating x509 certificate: x509: provided PrivateKey doesn't match parent's PublicKey";
    return { ok: 'fails', message };
  }
  const chain = singleChain(signer, union(certificates, parseBundle(text('ca.crt')).certificates.slice(0, 1)));
  if (chain === undefined) {
    return { ok: 'fails', message: 'Error signing certificate: certificate chain is malformed or broken' };
  }
  return {
    ok: true,
    signer: { certificate: signer, key },
    chain: chain.filter((one) => !isSelfSigned(one)),
    root: chain.at(-1) ?? signer,
  };
}

function noPair(why: string): NotReady {
  return { ok: false, reason: 'ErrGetKeyPair', message: `Error getting keypair for CA issuer: ${why}` };
}

function readKey(pem: Buffer): KeyObject | undefined {
  try {
    return createPrivateKey(pem);
  } catch {
    // What OpenSSL says of it may hold a part of it (S4).
    return undefined;
  }
}

/** From the signer up, each signed by the next; undefined where one is left over. */
function singleChain(signer: Certificate, all: readonly Certificate[]): readonly Certificate[] | undefined {
  const chain = [signer];
  for (let next = above(signer, all); next !== undefined; next = above(next, all)) chain.push(next);
  return chain.length === all.length ? chain : undefined;
}

function above(certificate: Certificate, all: readonly Certificate[]): Certificate | undefined {
  if (isSelfSigned(certificate)) return undefined;
  return all.find((one) => one !== certificate && isSignedBy(certificate, one));
}
