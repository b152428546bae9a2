import { SECRET_KEY } from '../../api/names.ts';
import type { Clock } from '../../controller/clock.ts';
import type { SecretObject } from '../../kubernetes/resource.ts';
import type { Certificate } from '../../pki/certificate.ts';
import { issueLeaf, issueRoot } from '../../pki/issue.ts';
import type { Digest, KeyId } from '../decide/values.ts';
import { dataOf } from '../observe/secret-data.ts';
import type { ProbePair } from './probe.ts';

/**
 * Certificates to show to the gateway, one per root. They are signed while the root's key is at hand, and live in this
 * process only: an earlier root, whose key is gone, can be asked about for as long as the process runs.
 */
export interface ProbeIdentities {
  /** Signs one for the root, once. */
  provide(root: Certificate, rootSecret: SecretObject): Promise<void>;
  /** Forgets those whose root has left. */
  keepOnly(digests: readonly Digest[]): void;
  /** By the key of their root; one per key. */
  all(): readonly { readonly keyId: KeyId; readonly pair: ProbePair }[];
  /** Of an authority that exists for this purpose only. */
  throwaway(): Promise<ProbePair>;
}

const dayMs = 86_400_000;
const name = 'keyturn-probe';

export function probeIdentities(clock: Clock): ProbeIdentities {
  const pairs = new Map<Digest, { readonly keyId: KeyId; readonly pair: ProbePair }>();
  let stranger: Promise<ProbePair> | undefined;

  return {
    async provide(root, rootSecret) {
      if (pairs.has(root.digest)) return;
      const pair = await issueLeaf({
        rootCertificatePem: dataOf(rootSecret, SECRET_KEY.certificate),
        rootKeyPem: dataOf(rootSecret, SECRET_KEY.privateKey),
        subject: { commonName: name },
        dnsNames: [name],
        notBeforeMs: root.notBeforeMs,
        notAfterMs: root.notAfterMs,
        usages: ['clientAuth'],
        keyAlgorithm: 'P-256',
      });
      pairs.set(root.digest, { keyId: root.keyId, pair: { certificatePem: pair.certificatePem, keyPem: pair.keyPem } });
    },
    keepOnly(digests) {
      for (const digest of pairs.keys()) if (!digests.includes(digest)) pairs.delete(digest);
    },
    all() {
      // Later ones win: of two roots with one key the newer was signed for last.
      return [...new Map([...pairs.values()].map((one) => [one.keyId, one])).values()];
    },
    throwaway() {
      stranger ??= makeStranger(clock.nowMs());
      return stranger;
    },
  };
}

async function makeStranger(nowMs: number): Promise<ProbePair> {
  const validity = { notBeforeMs: nowMs - dayMs, notAfterMs: nowMs + 3650 * dayMs };
  const root = await issueRoot({ subject: { commonName: `${name}-stranger` }, ...validity, keyAlgorithm: 'P-256' });
  const { certificatePem, keyPem } = await issueLeaf({
    rootCertificatePem: root.certificatePem,
    rootKeyPem: root.keyPem,
    subject: { commonName: name },
    dnsNames: [name],
    ...validity,
    usages: ['clientAuth'],
    keyAlgorithm: 'P-256',
  });
  return { certificatePem, keyPem };
}
