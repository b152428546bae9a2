import { createPrivateKey, type KeyObject } from 'node:crypto';
import type { SecretObject } from '../../kubernetes/resource.ts';
import { leafIn } from './reissue-reason.ts';
import { keyName, type WantedCertificate } from './wanted-certificate.ts';

/** The key of a Secret, where the policy says to keep it and it goes with its certificate; undefined calls for a new one. */
export function existingKey(secret: SecretObject | undefined, wanted: WantedCertificate): KeyObject | undefined {
  if (!wanted.reuseKey || leafIn(secret)?.keyAlgorithm !== keyName(wanted.key)) return undefined;
  return createPrivateKey(Buffer.from(secret?.data?.['tls.key'] ?? '', 'base64'));
}
