import { createPublicKey, generateKeyPair, type KeyObject, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { type Certificate, parseCertificate } from '../../pki/certificate.ts';
import { encodeSigned, encodeSubject, extension, keyIdentifierOf } from '../../pki/encode-certificate.ts';
import type { WantedCertificate, WantedKey } from './wanted-certificate.ts';

/** Who signs: the certificate itself, or an authority whose key is held only as long as it takes (S4). */
export type Signer = 'self' | { readonly certificate: Certificate; readonly key: KeyObject };

const generate = promisify(generateKeyPair);

export async function newKey(wanted: WantedKey): Promise<KeyObject> {
  const pair =
    wanted.kind === 'rsa'
      ? await generate('rsa', { modulusLength: wanted.bits })
      : await generate('ec', { namedCurve: wanted.curve });
  return pair.privateKey;
}

/**
 * Signs as cert-manager's issuers do: valid from this second on, for as long as asked even if the authority ends earlier, with
 * a subject key identifier on authorities only and, unless self-signed, an authority key identifier.
 *
 * @returns `null` when the key of the signer cannot sign
 */
export function signCertificate(
  wanted: WantedCertificate,
  key: KeyObject,
  signer: Signer,
  nowMs: number,
): Certificate | null {
  const publicKeyInfo = publicKeyInfoOf(key);
  const subject = encodeSubject(wanted.subject);
  const names = wanted.dnsNames.length + wanted.ipAddresses.length;
  const notBeforeMs = Math.floor(nowMs / 1000) * 1000;
  const authorityKeyId = signer === 'self' ? null : keyIdOf(signer.certificate);
  const der = encodeSigned(
    {
      serial: newSerial(),
      issuer: signer === 'self' ? subject : Buffer.from(signer.certificate.subject, 'hex'),
      subject,
      publicKeyInfo,
      notBeforeMs,
      notAfterMs: notBeforeMs + wanted.durationMs,
      extensions: [
        ...(wanted.usages.length > 0 ? [extension.keyUsage(wanted.usages)] : []),
        ...(wanted.extendedUsages.length > 0 ? [extension.extendedKeyUsage(wanted.extendedUsages)] : []),
        extension.basicConstraints(wanted.isCa),
        ...(wanted.isCa ? [extension.subjectKeyId(keyIdentifierOf(publicKeyInfo))] : []),
        ...(authorityKeyId === null ? [] : [extension.authorityKeyId(authorityKeyId)]),
        ...(names > 0 ? [extension.names(wanted.dnsNames, wanted.ipAddresses, subject.length === 2)] : []),
      ],
    },
    signer === 'self' ? key : signer.key,
  );
  const parsed = der === null ? null : parseCertificate(der);
  return parsed?.ok === true ? parsed.certificate : null;
}

export function publicKeyInfoOf(key: KeyObject): Uint8Array {
  return createPublicKey(key).export({ type: 'spki', format: 'der' });
}

/** None where the authority has none: Go leaves the extension out then. */
function keyIdOf({ subjectKeyId }: Certificate): Uint8Array | null {
  return subjectKeyId === null ? null : Buffer.from(subjectKeyId, 'hex');
}

// Positive and without a leading zero byte, as DER wants an integer.
function newSerial(): Uint8Array {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
}
