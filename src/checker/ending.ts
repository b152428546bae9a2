import type { CertificateReader } from './certificates.ts';
import { endOf, type History } from './history.ts';
import { newestAt, type PartiesInUse } from './in-use.ts';
import { hasLeft } from './membership.ts';

/** Where everything stands at the end, for L1: all lists are empty when the rotation has come to its end. */
export interface Ending {
  readonly rootDigest: string | null;
  /** Runtimes whose newest pair is not of the current root. */
  readonly pairsOfOlderRoots: readonly string[];
  /** Runtimes whose newest bundle differs from the gateway Secret's. */
  readonly otherBundles: readonly string[];
  /** Endpoints whose newest server certificate is not of the current root. */
  readonly serversOfOlderRoots: readonly string[];
  /** Digests of roots that stand in the gateway's bundle beside the current one. */
  readonly rootsLeft: readonly string[];
}

export function endingOf(history: History, inUse: PartiesInUse, reader: CertificateReader): Ending {
  const endMs = endOf(history) - 1;
  const rootSecret = history.secrets.findLast(({ role }) => role === 'root');
  const root = reader.certificatesIn(rootSecret?.data?.['tls.crt'] ?? '')[0];
  const gateway = history.secrets.findLast(({ role }) => role === 'gateway');
  const bundle = reader.bundleOf(gateway?.data?.['ca.crt'] ?? '');

  const pairsOfOlderRoots: string[] = [];
  const otherBundles: string[] = [];
  for (const [runtime, { pairs, bundles }] of inUse.runtimes) {
    if (hasLeft(history, runtime, endMs)) continue;
    const leaf = newestAt(pairs, endMs)?.leaf;
    if (!leaf || root === undefined || !reader.signedBy(leaf, root)) pairsOfOlderRoots.push(runtime);
    if (newestAt(bundles, endMs)?.identity !== bundle.identity) otherBundles.push(runtime);
  }
  const serversOfOlderRoots: string[] = [];
  for (const [endpoint, { servers }] of inUse.endpoints) {
    const leaf = newestAt(servers, endMs)?.leaf;
    if (!leaf || root === undefined || !(leaf === root || reader.signedBy(leaf, root)))
      serversOfOlderRoots.push(endpoint);
  }
  return {
    rootDigest: root?.digest ?? null,
    pairsOfOlderRoots,
    otherBundles,
    serversOfOlderRoots,
    rootsLeft: bundle.certificates.filter((certificate) => certificate !== root).map(({ digest }) => digest),
  };
}
