import type { Bundle } from '../../pki/bundle.ts';
import { type Certificate, isValidAt } from '../../pki/certificate.ts';
import { signerTakenFrom } from '../../pki/signed-by.ts';

/** Why a client certificate is refused, for people. */
export type Refusal = string;

/**
 * Judges a client certificate as Envoy does: by name and key identifier it settles on the first root that fits and looks no
 * further, then asks for the time; what the root's extended key usage allows it does not ask. Node's own verifier would go by
 * other rules, so it is not asked at all. A chain of more than a leaf and its root is not followed.
 *
 * @returns `null` when it is accepted
 */
export function judgeClient(leaf: Certificate, bundle: Bundle, nowMs: number): Refusal | null {
  if (leaf.extendedKeyUsage !== null && !leaf.extendedKeyUsage.includes('clientAuth')) {
    return 'the certificate is not for clients';
  }
  if (leaf.keyUsage?.some((usage) => usage === 'digitalSignature' || usage === 'keyAgreement') === false) {
    return 'the key of the certificate is not for signing';
  }
  const signer = signerTakenFrom(bundle, leaf);
  if (signer === null) return 'no root of the bundle signed the certificate, or a namesake hides it';
  if (!isValidAt(leaf, nowMs)) return 'the certificate is not valid now';
  return isValidAt(signer, nowMs) ? null : 'the root that signed the certificate is not valid now';
}
