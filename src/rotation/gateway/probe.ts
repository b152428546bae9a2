import { createHash } from 'node:crypto';
import { connect, createSecureContext, type SecureContext, type TLSSocket } from 'node:tls';
import { onAbort } from '../../kubernetes/on-abort.ts';

/** One place at which the gateway answers: a ready pod, or an address from the policy. */
export interface ProbeTarget {
  readonly host: string;
  readonly port: number;
  /** SNI and `Host`: the Gateway's host, without which it has no certificate to show. */
  readonly serverName: string;
  readonly path: string;
}

/** Certificate and key in PEM, presented to the gateway. */
export interface ProbePair {
  readonly certificatePem: string;
  readonly keyPem: string;
}

/**
 * What a request with a client certificate met. In TLS 1.3 a completed handshake proves nothing, since the server judges the
 * certificate afterwards: only an HTTP answer, with whatever status, is an acceptance.
 */
export type ProbeAnswer =
  | { readonly outcome: 'accepted'; readonly httpStatus: number; readonly serverDigest: string }
  | {
      readonly outcome: 'refused';
      /** `close`: the connection ended without an alert, twice in a row. Some servers say no in this way. */
      readonly by: 'alert' | 'close';
      readonly why: string;
      readonly serverDigest: string;
    }
  /** Nothing was learnt of the certificate; the server's own may have been seen all the same. */
  | { readonly outcome: 'unanswered'; readonly why: string; readonly serverDigest: string | null };

// RFC 8446, 6.2: the alerts by which a server judges a certificate. Any other speaks of something else, and is no refusal.
const alertsOfCertificates: readonly string[] = [
  'BAD_CERTIFICATE',
  'UNSUPPORTED_CERTIFICATE',
  'CERTIFICATE_REVOKED',
  'CERTIFICATE_EXPIRED',
  'CERTIFICATE_UNKNOWN',
  'UNKNOWN_CA',
  'ACCESS_DENIED',
  'CERTIFICATE_REQUIRED',
  // After our part of the handshake: OpenSSL tried a namesake of the signer, and its key does not fit the signature.
  'DECRYPT_ERROR',
];

/** A status line is short; a peer that sends this much without one does not speak HTTP/1. */
const longestStatusLine = 1024;

/** Reads the pair once for any number of probes. */
export function probeIdentity(pair: ProbePair): SecureContext {
  return createSecureContext({
    cert: pair.certificatePem,
    key: pair.keyPem,
    minVersion: 'TLSv1.3',
    maxVersion: 'TLSv1.3',
  });
}

/**
 * Makes one request over a connection of its own, without session resumption, so that the certificate is shown and judged.
 * The server's certificate is recorded and not verified: which one it presents is what the probe is to find out.
 *
 * A connection that closes after the handshake without an alert may be a refusal, or an endpoint that is just going away;
 * a second attempt tells them apart, since one that is gone does not shake hands again.
 *
 * @throws the reason of `signal`, when that aborts
 */
export async function probeEndpoint(
  target: ProbeTarget,
  identity: SecureContext,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  const first = await request(target, identity, timeoutMs, signal);
  if (first.outcome !== 'refused' || first.by === 'alert') return first;
  return request(target, identity, timeoutMs, signal);
}

function request(
  target: ProbeTarget,
  identity: SecureContext,
  timeoutMs: number,
  signal: AbortSignal,
): Promise<ProbeAnswer> {
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const socket = connect({
      host: target.host,
      port: target.port,
      servername: target.serverName,
      secureContext: identity,
      ALPNProtocols: ['http/1.1'],
      rejectUnauthorized: false,
    });
    let serverDigest: string | null = null;
    let received = '';

    const finish = (settle: () => void): void => {
      clearTimeout(timer);
      forget();
      socket.removeAllListeners();
      // An error after the answer concerns nobody, but unheard it would end the process.
      socket.on('error', () => undefined);
      socket.destroy();
      settle();
    };
    const answer = (value: ProbeAnswer): void => finish(() => resolve(value));
    const ended = (why: string): void => {
      const silent = serverDigest !== null && received === '';
      if (silent && serverDigest !== null) answer({ outcome: 'refused', by: 'close', why, serverDigest });
      else answer({ outcome: 'unanswered', why, serverDigest });
    };

    const timer = setTimeout(
      () => answer({ outcome: 'unanswered', why: `no answer within ${timeoutMs} ms`, serverDigest }),
      timeoutMs,
    );
    const forget = onAbort(signal, () => finish(() => reject(signal.reason)));

    socket.once('secureConnect', () => {
      serverDigest = digestOfPeer(socket);
      socket.write(requestText(target));
    });
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      const status = /^HTTP\/1\.[01] (\d{3})[ \r]/.exec(received)?.[1];
      if (status !== undefined && serverDigest !== null) {
        answer({ outcome: 'accepted', httpStatus: Number(status), serverDigest });
      } else if (received.length > longestStatusLine) {
        answer({ outcome: 'unanswered', why: 'the answer is not HTTP/1', serverDigest });
      }
    });
    socket.once('error', (error: NodeJS.ErrnoException) => {
      const code = error.code ?? error.name;
      const judged = alertsOfCertificates.find((alert) => code.endsWith(`_ALERT_${alert}`));
      if (judged !== undefined && serverDigest !== null) {
        answer({ outcome: 'refused', by: 'alert', why: judged, serverDigest });
      } else if (code === 'ECONNRESET' || code === 'EPIPE') {
        ended(code);
      } else {
        answer({ outcome: 'unanswered', why: code, serverDigest });
      }
    });
    // `close` follows an `error` that was handled above; `end` alone is a server that hung up politely.
    socket.once('end', () => ended('closed without an answer'));
    socket.once('close', () => ended('closed without an answer'));
  });
}

function digestOfPeer(socket: TLSSocket): string | null {
  const certificate = socket.getPeerX509Certificate();
  return certificate === undefined ? null : createHash('sha256').update(certificate.raw).digest('hex');
}

function requestText({ path, serverName }: ProbeTarget): string {
  return `GET ${path} HTTP/1.1\r\nHost: ${serverName}\r\nUser-Agent: keyturn-probe\r\nConnection: close\r\n\r\n`;
}
