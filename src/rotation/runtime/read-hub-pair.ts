import { SECRET_KEY } from '../../api/names.ts';
import type { SecretObject } from '../../kubernetes/resource.ts';
import { type Bundle, parseBundle } from '../../pki/bundle.ts';
import { parsePair } from '../../pki/pair.ts';
import type { HubPair } from '../decide/may-deliver-pair.ts';
import { leafValue } from '../observe/as-values.ts';
import { dataOf } from '../observe/secret-data.ts';

/**
 * The pair that an issuer put into a Secret, judged by its bytes: the status of a Certificate is another object that
 * is written at another time (B1). `null` until a certificate can be read.
 */
export function readHubPair(secret: SecretObject | undefined, known: Bundle): HubPair | null {
  const certificatePem = dataOf(secret, SECRET_KEY.certificate);
  const pair = parsePair({ certificatePem, keyPem: dataOf(secret, SECRET_KEY.privateKey) });
  if (pair.ok) return { ...leafValue(pair.pair.leaf, known), keyMatches: true };
  const leaf = parseBundle(certificatePem).certificates[0];
  return leaf === undefined ? null : { ...leafValue(leaf, known), keyMatches: false };
}
