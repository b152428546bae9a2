import { accepts } from './accepts.ts';
import { mayStay } from './may-stay.ts';
import type { GatewaySecret, KeyId, Root, ServerLeaf } from './values.ts';

/** The certificate kept aside for the next switch. */
export type Candidate = ServerLeaf;

/** What the candidate step wants, and why. */
export type CandidateStep =
  | { readonly step: 'keep'; readonly candidate: Candidate }
  | { readonly step: 'issue'; readonly root: Root; readonly why: CandidateNeed }
  | { readonly step: 'none' };

/** Why the server certificate has to be replaced, in the words of the catalogue. */
export type CandidateNeed =
  | 'ServerCertificateOfOlderRoot'
  | 'ServerCertificateUnusable'
  | 'ServerCertificateIsRoot'
  | 'ServerCertificateNearsItsEnd'
  | 'ServerCertificateMissesHosts';

export interface CandidateSituation {
  readonly secret: GatewaySecret;
  readonly current: Root;
  readonly candidate: Candidate | null;
  readonly hosts: readonly string[];
  readonly revoked: readonly KeyId[];
  readonly tainted: readonly KeyId[];
  readonly nowMs: number;
  /** A leaf is replaced when less than this is left of it or its signer. */
  readonly renewBeforeMs: number;
}

/**
 * Which root does the server move to next? A candidate stays when later roots appear, or a fast sequence of roots would
 * start the wait again and again and the server would never advance (L1). One that can no longer serve is replaced by one of the current root.
 */
export function candidateStep(at: CandidateSituation): CandidateStep {
  const { secret, current, candidate } = at;
  const need = serverNeed(at);
  if (need === null) return { step: 'none' };
  const isTainted = (key: KeyId | null): boolean => at.tainted.some((other) => other === key);
  const usable =
    candidate !== null &&
    candidate.digest !== secret.server?.digest && // Spent: each switch uses a new leaf.
    covers(candidate, at.hosts) &&
    candidate.notAfterMs > at.nowMs + at.renewBeforeMs &&
    accepts(secret.bundle, candidate.signer, at.nowMs, at.renewBeforeMs) &&
    !isClosing(secret, candidate) &&
    !at.revoked.some((key) => key === candidate.signer) &&
    (!isTainted(candidate.signer) || isTainted(current.keyId)) &&
    // The server is on the current root already and needs a fresh leaf of it: a detour over another root gains nothing.
    (secret.server?.signer !== current.keyId || candidate.signer === current.keyId);
  if (isTainted(current.keyId) && !(usable && !isTainted(candidate.signer)) && servesOn(at)) return { step: 'none' };
  if (usable) return { step: 'keep', candidate };
  const bundled = secret.bundle.some((root) => root.digest === current.digest);
  return bundled && !secret.closing.includes(current.digest)
    ? { step: 'issue', root: current, why: need }
    : { step: 'none' };
}

/** From one root to another that is tainted the server moves only when it must: nothing is gained by it. */
function servesOn(at: CandidateSituation): boolean {
  const { server } = at.secret;
  if (server === null || server.signer === at.current.keyId || server.isRoot) return false;
  return covers(server, at.hosts) && mayStay(server, { ...at, gateway: at.secret });
}

/** Why the standing server certificate has to go; `null` when it is as it should be. */
export function serverNeed(at: CandidateSituation): CandidateNeed | null {
  const { server } = at.secret;
  if (server === null || server.notAfterMs <= at.nowMs) return 'ServerCertificateUnusable';
  if (server.signer !== at.current.keyId) return 'ServerCertificateOfOlderRoot';
  if (server.isRoot) return 'ServerCertificateIsRoot';
  if (!covers(server, at.hosts)) return 'ServerCertificateMissesHosts';
  if (server.notAfterMs <= at.nowMs + at.renewBeforeMs) return 'ServerCertificateNearsItsEnd';
  return null;
}

/** Does the leaf cover every host of the Gateway? A wildcard covers one label (RFC 6125, 6.4.3). */
export function covers(leaf: ServerLeaf, hosts: readonly string[]): boolean {
  return hosts.every((host) => leaf.dnsNames.some((name) => namesHost(name.toLowerCase(), host.toLowerCase())));
}

function namesHost(name: string, host: string): boolean {
  if (name === host) return true;
  return (
    name.startsWith('*.') &&
    host.includes('.') &&
    !host.startsWith('*') &&
    host.slice(host.indexOf('.')) === name.slice(1)
  );
}

function isClosing(secret: GatewaySecret, candidate: Candidate): boolean {
  return secret.bundle.some((root) => root.keyId === candidate.signer && secret.closing.includes(root.digest));
}
