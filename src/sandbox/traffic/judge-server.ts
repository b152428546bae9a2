import type { Bundle } from '../../pki/bundle.ts';
import { type Certificate, isValidAt } from '../../pki/certificate.ts';
import { coversHost } from '../../pki/covers-host.ts';
import { isSignedBy, signerTakenFrom } from '../../pki/signed-by.ts';

/** Whose rules a client verifies by: Go tries every root that fits, OpenSSL (and with it Node) settles on the first. */
export type Verifier = 'go' | 'openssl';

/**
 * Judges a server certificate by exactly the mounted bundle. A chain of more than a leaf and its root is not followed.
 *
 * @returns why it is refused, or `null`
 */
export function judgeServer(
  server: Certificate,
  { bundle, host, nowMs, verifier }: { bundle: Bundle; host: string; nowMs: number; verifier: Verifier },
): string | null {
  if (!coversHost(server, host)) return `the server certificate does not cover ${host}`;
  if (server.extendedKeyUsage !== null && !server.extendedKeyUsage.includes('serverAuth')) {
    return 'the server certificate is not for servers';
  }
  if (!isValidAt(server, nowMs)) return 'the server certificate is not valid now';
  const signers =
    verifier === 'go'
      ? bundle.filter((root) => isSignedBy(server, root))
      : [signerTakenFrom(bundle, server)].filter((root) => root !== null);
  if (signers.length === 0) return 'no root of the mounted bundle signed the server certificate';
  return signers.some((root) => isValidAt(root, nowMs)) ? null : 'the root of the server certificate is not valid now';
}
