import type { Bundle } from '../../pki/bundle.ts';
import type { Certificate } from '../../pki/certificate.ts';
import { isSelfSigned, signerOf } from '../../pki/signed-by.ts';
import type { KeyId, Leaf, Root, ServerLeaf } from '../decide/values.ts';

const roots = new WeakMap<Certificate, Root>();

/** A CA certificate in the words of the decisions. The same certificate gives the same value, so that values compare by reference. */
export function rootValue(certificate: Certificate): Root {
  const known = roots.get(certificate);
  if (known !== undefined) return known;
  const { digest, keyId, subject, subjectKeyId, notBeforeMs, notAfterMs } = certificate;
  const root = { digest, keyId, subject, subjectKeyId, notBeforeMs, notAfterMs };
  roots.set(certificate, root);
  return root;
}

/** @param known every root at hand: a signer outside of them is no signer that can be proven */
export function leafValue(certificate: Certificate, known: Bundle): Leaf {
  const { digest, notBeforeMs, notAfterMs } = certificate;
  return { digest, signer: signerKey(certificate, known), notBeforeMs, notAfterMs };
}

export function serverLeafValue(certificate: Certificate, known: Bundle): ServerLeaf {
  const isRoot = certificate.isCa && isSelfSigned(certificate);
  return { ...leafValue(certificate, known), dnsNames: certificate.dnsNames, isRoot };
}

/** A root presented as a leaf vouches for itself, also where no bundle holds it. */
function signerKey(certificate: Certificate, known: Bundle): KeyId | null {
  const signer = signerOf(certificate, known);
  if (signer !== null) return signer.keyId;
  return certificate.isCa && isSelfSigned(certificate) ? certificate.keyId : null;
}
