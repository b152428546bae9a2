import { createHash } from 'node:crypto';
import { type ConnectionOptions, connect, type TLSSocket } from 'node:tls';
import type { IssuedPair } from '../../../src/pki/issue.ts';

export const path = '/v2/lifecycle-manager/event';

/** What a client makes of one connection. */
export type Asked =
  | {
      readonly outcome: 'answered';
      readonly status: number;
      readonly protocol: string | null;
      readonly alpn: string | false | null;
      /** SHA-256 of the server's certificate. */
      readonly server: string;
      readonly resumed: boolean;
    }
  /** After the server's certificate was seen. `how` is the alert, or `closed` where there was none. */
  | { readonly outcome: 'refused'; readonly how: string; readonly server: string }
  /** No handshake came about. */
  | { readonly outcome: 'no handshake'; readonly how: string };

export interface Question extends Pick<ConnectionOptions, 'minVersion' | 'maxVersion' | 'ALPNProtocols' | 'session'> {
  readonly host: string;
  readonly port: number;
  readonly servername: string;
  readonly pair?: Pick<IssuedPair, 'certificatePem' | 'keyPem'>;
  readonly headers?: Readonly<Record<string, string>>;
  readonly onSession?: (session: Buffer) => void;
}

/** How a client of HTTP/2 begins: the preface, and settings that say nothing. */
const greeting = 'PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n\0\0\0\x04\0\0\0\0\0';
/** By then a server that refuses has said so: its alert comes after the client's end of the handshake. */
const alertMs = 100;
const timeoutMs = 5_000;

/**
 * One request over a connection of its own. It is written only after a while without an alert, since a server that closes
 * before it has read everything resets the connection, and the alert may be lost with that.
 */
export function ask({ host, port, servername, pair, headers = {}, onSession, ...options }: Question): Promise<Asked> {
  return new Promise((resolve) => {
    const socket = connect({
      host,
      port,
      servername,
      rejectUnauthorized: false,
      ...(pair === undefined ? {} : { cert: pair.certificatePem, key: pair.keyPem }),
      ALPNProtocols: ['http/1.1'],
      ...options,
    });
    let server: string | undefined;
    let received = '';
    const finish = (asked: Asked): void => {
      clearTimeout(timer);
      socket.removeAllListeners();
      socket.on('error', () => undefined);
      socket.destroy();
      resolve(asked);
    };
    const failed = (how: string): void =>
      finish(server === undefined ? { outcome: 'no handshake', how } : { outcome: 'refused', how, server });
    const timer = setTimeout(() => failed(`nothing within ${timeoutMs} ms`), timeoutMs);
    if (onSession !== undefined) socket.on('session', onSession);
    socket.on('secureConnect', () => {
      server = digestOf(socket);
      setTimeout(
        () => socket.write(socket.alpnProtocol === 'h2' ? greeting : requestText(servername, headers)),
        alertMs,
      );
    });
    socket.on('data', (chunk: Buffer) => {
      received += chunk.toString('latin1');
      const status = /^HTTP\/1\.1 (\d{3}) /.exec(received)?.[1];
      // A server of HTTP/2 greets with settings.
      const settings = socket.alpnProtocol === 'h2';
      if (server === undefined || (status === undefined && !settings)) return;
      finish({
        outcome: 'answered',
        status: Number(status ?? 0),
        protocol: socket.getProtocol(),
        alpn: socket.alpnProtocol,
        server,
        resumed: socket.isSessionReused(),
      });
    });
    socket.on('error', (error: NodeJS.ErrnoException) => failed(alertIn(error.code ?? error.message)));
    socket.on('close', () => failed('closed'));
  });
}

/** `ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED` is `CERTIFICATE_REQUIRED`; whatever is no alert is a close. */
function alertIn(code: string): string {
  return /_ALERT_(.+)$/.exec(code)?.[1] ?? 'closed';
}

function digestOf(socket: TLSSocket): string {
  const certificate = socket.getPeerX509Certificate();
  return createHash('sha256')
    .update(certificate?.raw ?? '')
    .digest('hex');
}

function requestText(host: string, headers: Readonly<Record<string, string>>): string {
  const lines = Object.entries({ Host: host, Connection: 'close', ...headers }).map(
    ([name, text]) => `${name}: ${text}`,
  );
  return `GET ${path} HTTP/1.1\r\n${lines.join('\r\n')}\r\n\r\n`;
}
