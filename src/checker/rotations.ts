import type { Certificate, CertificateReader } from './certificates.ts';
import type { History, SecretVersion } from './history.ts';
import { newestAt, type PartiesInUse, versionsByRuntime } from './in-use.ts';
import { hasLeft } from './membership.ts';

/** One change of the root Secret's certificate, and how long each step of following it took, from that change on. */
export interface Rotation {
  readonly atMs: number;
  /** `return`: this key was the root's before, and another one's in between. */
  readonly kind: 'rekey' | 'renew' | 'return';
  readonly rootDigest: string;
  /** Begun while the rotation before it was certainly not yet proven everywhere, see `provenBy`. */
  readonly overlapping: boolean;
  /** Neither overlapping nor overlapped by the next one: the only ones whose times say something about speed. */
  readonly unhurried: boolean;
  /** Every runtime's Secret holds a bundle with this root. */
  readonly bundleMs: number | null;
  /** Every runtime's Secret in the hub holds a pair of this root or a later one: the issuer's own time. */
  readonly issuerMs: number | null;
  /** Every runtime's Secret holds such a pair. */
  readonly pairMs: number | null;
  /** The longest time from a runtime's issuer having its pair until the runtime's Secret held it. */
  readonly pairAfterIssuerMs: number | null;
  /** The gateway Secret holds a server certificate of this root or a later one. */
  readonly serverWrittenMs: number | null;
  /** Every endpoint presents such a certificate. */
  readonly serverMs: number | null;
  /** From every runtime's Secret holding the bundle until the switch is written; holds the policy's proof delay. */
  readonly switchAfterBundleMs: number | null;
  /** The root before this one has left the gateway Secret's bundle. */
  readonly oldRootLeftMs: number | null;
}

interface Root {
  readonly atMs: number;
  readonly certificate: Certificate;
}

/**
 * All rotations: every version of the root Secret whose certificate differs from the version before; the first version
 * is no rotation.
 *
 * A rotation is *proven everywhere* at an instant when each runtime that has a pair then uses one signed by that root (or
 * a later one that exists by then), and each gateway endpoint presents a server certificate of it (or it itself). Counted
 * is the newest value that may be in place, without the grace in which an older one lingers, at the very instant at which
 * the next rotation begins; runtimes without a pair yet, or gone, do not count. Each of these choices can only make a
 * rotation count as proven sooner, so the number of overlapping rotations is never too high.
 */
export function rotationsOf(history: History, inUse: PartiesInUse, reader: CertificateReader): Rotation[] {
  const roots: Root[] = [];
  for (const { role, atMs, data } of history.secrets) {
    const certificate = role === 'root' ? reader.certificatesIn(data?.['tls.crt'] ?? '')[0] : undefined;
    if (certificate !== undefined && certificate !== roots.at(-1)?.certificate) roots.push({ atMs, certificate });
  }

  const overlapping = roots.map((root, index) => index >= 2 && !provenBy(root.atMs, roots.slice(index - 1, index)));
  const rotations: Rotation[] = [];
  roots.forEach(({ atMs, certificate }, index) => {
    const before = roots[index - 1];
    if (before === undefined) return;
    const thisOrLater = roots.slice(index);
    const ofThisOrLater = (leaf: Certificate | undefined) => leaf !== undefined && isOf(leaf, thisOrLater);
    rotations.push({
      atMs,
      kind: kindOf(roots, index),
      rootDigest: certificate.digest,
      overlapping: overlapping[index] ?? false,
      unhurried: !(overlapping[index] ?? false) && !(overlapping[index + 1] ?? false),
      ...timings(atMs, before.certificate, certificate, ofThisOrLater),
    });
  });
  return rotations;

  function provenBy(atMs: number, roots: readonly Root[]): boolean {
    for (const [runtime, { pairs }] of inUse.runtimes) {
      const pair = hasLeft(history, runtime, atMs) ? undefined : newestAt(pairs, atMs);
      if (pair?.leaf && !isOf(pair.leaf, roots)) return false;
    }
    for (const { servers } of inUse.endpoints.values()) {
      const server = newestAt(servers, atMs);
      if (server?.leaf && !isOf(server.leaf, roots)) return false;
    }
    return true;
  }

  function isOf(leaf: Certificate, roots: readonly Root[]): boolean {
    return roots.some(({ certificate }) => leaf === certificate || reader.signedBy(leaf, certificate));
  }

  function timings(
    atMs: number,
    oldRoot: Certificate,
    newRoot: Certificate,
    ofThisOrLater: (leaf: Certificate | undefined) => boolean,
  ) {
    const leafOf = ({ data }: SecretVersion) => reader.certificatesIn(data?.['tls.crt'] ?? '')[0];
    const bundleOf = ({ data }: SecretVersion) => reader.bundleOf(data?.['ca.crt'] ?? '').certificates;
    const inRuntimes = present(versionsByRuntime(history, 'runtime'), atMs);
    const inHub = versionsByRuntime(history, 'hub-client');

    const bundleMs = longest(
      [...inRuntimes.values()].map((of) => since(of, atMs, (v) => bundleOf(v).includes(newRoot))),
    );
    const issued = new Map<string, number | null>();
    const delivered = new Map<string, number | null>();
    for (const [runtime, versions] of inRuntimes) {
      delivered.set(
        runtime,
        since(versions, atMs, (version) => ofThisOrLater(leafOf(version))),
      );
      const hub = inHub.get(runtime);
      if (hub !== undefined)
        issued.set(
          runtime,
          since(hub, atMs, (version) => ofThisOrLater(leafOf(version))),
        );
    }
    const afterIssuer = [...issued].map(([runtime, issuedMs]) => {
      const deliveredMs = delivered.get(runtime) ?? null;
      return issuedMs === null || deliveredMs === null ? null : Math.max(0, deliveredMs - issuedMs);
    });

    const gateway = history.secrets.filter(({ role }) => role === 'gateway');
    const serverWrittenMs = since(gateway, atMs, (version) => ofThisOrLater(leafOf(version)));
    const serverMs = longest(
      [...inUse.endpoints.values()].map(({ servers }) => {
        const versions = servers.map(({ sinceMs, value }) => ({ atMs: sinceMs, value }));
        return since(versions, atMs, ({ value }) => ofThisOrLater(value.leaf ?? undefined));
      }),
    );
    return {
      bundleMs,
      issuerMs: longest([...issued.values()]),
      pairMs: longest([...delivered.values()]),
      pairAfterIssuerMs: longest(afterIssuer),
      serverWrittenMs,
      serverMs,
      switchAfterBundleMs:
        bundleMs === null || serverWrittenMs === null || serverWrittenMs < bundleMs ? null : serverWrittenMs - bundleMs,
      oldRootLeftMs: since(gateway, atMs, (version) => version.data !== null && !bundleOf(version).includes(oldRoot)),
    };
  }

  /** Runtimes that held a Secret when the rotation began and have not left by then. */
  function present(byRuntime: Map<string, SecretVersion[]>, atMs: number): Map<string, SecretVersion[]> {
    return new Map(
      [...byRuntime].filter(
        ([runtime, [first]]) => first !== undefined && first.atMs <= atMs && !everLeft(history, runtime),
      ),
    );
  }
}

function kindOf(roots: readonly Root[], index: number): Rotation['kind'] {
  const key = roots[index]?.certificate.keyIdentity;
  if (roots[index - 1]?.certificate.keyIdentity === key) return 'renew';
  return roots.slice(0, index).some(({ certificate }) => certificate.keyIdentity === key) ? 'return' : 'rekey';
}

/** How long after `atMs` the first version stands for which `holds` is true: 0 when one stood already. */
function since<V extends { readonly atMs: number }>(
  versions: readonly V[],
  atMs: number,
  holds: (version: V) => boolean,
): number | null {
  const standing = versions.findLastIndex((version) => version.atMs <= atMs);
  for (const version of versions.slice(Math.max(0, standing))) {
    if (holds(version)) return Math.max(0, version.atMs - atMs);
  }
  return null;
}

/** Null when one of them never came to pass, or when there is none. */
function longest(times: readonly (number | null)[]): number | null {
  let longestMs: number | null = null;
  for (const ms of times) {
    if (ms === null) return null;
    longestMs = Math.max(longestMs ?? 0, ms);
  }
  return longestMs;
}

function everLeft(history: History, runtime: string): boolean {
  return history.marks.some((mark) => mark.kind === 'leave' && mark.runtime === runtime);
}
