import { createPrivateKey } from 'node:crypto';
import type { Certificate } from '../../src/pki/certificate.ts';
import { type IssuedPair, issueLeaf, issueRoot, type LeafRequest, type RootRequest } from '../../src/pki/issue.ts';

const dayMs = 86_400_000;
/** Back-dated, so that no test fails in the second in which its certificates are made. Whole seconds, as X.509 has them. */
const madeMs = Math.floor(Date.now() / 1000) * 1000 - 60_000;

/** One subject for all roots, as the generations of a real root have it. */
const subject = { commonName: 'klm-watcher-selfsigned-ca', organization: 'SAP SE', country: 'DE' };

type RootWishes = Partial<Omit<RootRequest, 'keyPem'>> & {
  /** Same key as this root: a renewal. */
  readonly renews?: IssuedPair;
};
type LeafWishes = Partial<Omit<LeafRequest, 'rootCertificatePem' | 'rootKeyPem'>>;

const made = new Map<string, Promise<IssuedPair>>();
const digestOf = (pair: IssuedPair): string => pair.certificate.digest;

/**
 * Roots and leaves for tests: P-256, valid from a minute ago for 90 and 30 days, all roots of one subject. Each is made once
 * in a process: the same name and wishes give the same pair, another name another key.
 */
export const material = {
  root(name: string, wishes: RootWishes = {}): Promise<IssuedPair> {
    const { renews, ...rest } = wishes;
    return once(`root ${name} ${JSON.stringify(rest)} ${renews === undefined ? '' : digestOf(renews)}`, () =>
      issueRoot({
        subject,
        notBeforeMs: madeMs,
        notAfterMs: madeMs + 90 * dayMs,
        keyAlgorithm: 'P-256',
        ...rest,
        ...(renews === undefined ? {} : { keyPem: renews.keyPem }),
      }),
    );
  },

  /** A leaf for client and server, named `name`, for `localhost` unless told otherwise. */
  leaf(root: IssuedPair, name: string, wishes: LeafWishes = {}): Promise<IssuedPair> {
    return once(`leaf ${name} ${JSON.stringify(wishes)} ${digestOf(root)}`, () =>
      issueLeaf({
        rootCertificatePem: root.certificatePem,
        rootKeyPem: root.keyPem,
        subject: { commonName: name },
        dnsNames: ['localhost'],
        notBeforeMs: madeMs,
        notAfterMs: madeMs + 30 * dayMs,
        keyAlgorithm: 'P-256',
        ...wishes,
      }),
    );
  },

  /** The pairs as a bundle, in this order. */
  bundle(...roots: readonly IssuedPair[]): readonly Certificate[] {
    return roots.map((root) => root.certificate);
  },

  /** The same key in another form of PEM. */
  keyAs(pair: IssuedPair, type: 'pkcs8' | 'pkcs1' | 'sec1'): string {
    return createPrivateKey(pair.keyPem)
      .export({ type: type as 'pkcs8', format: 'pem' })
      .toString();
  },

  madeMs,
  dayMs,
} as const;

function once(key: string, make: () => Promise<IssuedPair>): Promise<IssuedPair> {
  const known = made.get(key);
  if (known !== undefined) return known;
  const making = make();
  made.set(key, making);
  return making;
}
