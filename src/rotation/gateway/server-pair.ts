import { durationMs } from '../../api/duration.ts';
import { SECRET_KEY } from '../../api/names.ts';
import type { TrustDomainSpec } from '../../api/trust-domain.ts';
import type { SecretObject } from '../../kubernetes/resource.ts';
import { type IssuedPair, issueLeaf } from '../../pki/issue.ts';
import { dataOf } from '../observe/secret-data.ts';

/**
 * Signs a server certificate with the key in the root Secret, which is held for this call only (S4).
 *
 * It begins when its root begins: a certificate used in the second of its issue fails on a slower clock, and no verifier
 * trusts the root earlier anyway.
 *
 * @param nowMs epoch milliseconds
 */
export function issueServerPair(
  rootSecret: SecretObject,
  spec: TrustDomainSpec['serverCertificate'],
  hosts: readonly string[],
  rootNotBeforeMs: number,
  nowMs: number,
): Promise<IssuedPair> {
  const [host] = hosts;
  return issueLeaf({
    rootCertificatePem: dataOf(rootSecret, SECRET_KEY.certificate),
    rootKeyPem: dataOf(rootSecret, SECRET_KEY.privateKey),
    // A common name holds at most 64 characters; nobody matches hosts by it.
    ...(host === undefined || host.length > 64 ? {} : { subject: { commonName: host } }),
    dnsNames: hosts,
    notBeforeMs: rootNotBeforeMs,
    notAfterMs: nowMs + durationMs(spec.duration),
    usages: ['serverAuth'],
    keyAlgorithm: spec.keyAlgorithm,
  });
}
