import { createPrivateKey } from 'node:crypto';
import type { KubeObject, SecretObject } from '../../kubernetes/resource.ts';
import { parseBundle } from '../../pki/bundle.ts';
import type { Certificate } from '../../pki/certificate.ts';
import { parsePair } from '../../pki/pair.ts';
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
  | { readonly ok: false; readonly reason: string; readonly message: string };

/** Name of the Secret of an issuer of the kind `ca`; undefined for any other. */
export function authoritySecretName(issuer: KubeObject): string | undefined {
  const spec = (issuer['spec'] ?? {}) as { readonly ca?: { readonly secretName?: string } };
  return spec.ca?.secretName;
}

/**
 * Reads who signs. Of the authority's `tls.crt` the first certificate signs, as cert-manager has it, and its key must be that
 * of `tls.key`; the root is whichever is self-issued.
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
  if (secret === undefined) {
    return {
      ok: false,
      reason: 'ErrGetKeyPair',
      message: `Error getting keypair for CA issuer: secret "${secretName}" not found`,
    };
  }
  const { 'tls.crt': certificate = '', 'tls.key': key = '', 'ca.crt': ca = '' } = secret.data ?? {};
  const keyPem = Buffer.from(key, 'base64');
  const pair = parsePair({ certificatePem: Buffer.from(certificate, 'base64'), keyPem });
  if (!pair.ok) {
    const why = pair.defects.map(({ detail }) => detail).join(', ');
    return { ok: false, reason: 'ErrInvalidKeyPair', message: `Error getting keypair for CA issuer: ${why}` };
  }
  const { leaf, chain } = pair.pair;
  if (!leaf.isCa) {
    return {
      ok: false,
      reason: 'ErrInvalidKeyPair',
      message: 'Signing CA is not a CA: its certificate lacks that mark',
    };
  }
  const all = [leaf, ...chain, ...parseBundle(Buffer.from(ca, 'base64')).certificates];
  const root = all.find(({ selfIssued }) => selfIssued) ?? all.at(-1) ?? leaf;
  return {
    ok: true,
    signer: { certificate: leaf, key: createPrivateKey(keyPem) },
    chain: [leaf, ...chain].filter(({ digest }) => digest !== root.digest),
    root,
  };
}
