import { connect, type TLSSocket } from 'node:tls';
import { onAbort } from '../../kubernetes/on-abort.ts';
import { parseCertificate } from '../../pki/certificate.ts';
import { judgeServer, type Verifier } from './judge-server.ts';
import type { MountedCredential } from './mounted-credential.ts';

export interface Connection {
  /** SHA-256 of the server certificate, hex DER digest. */
  readonly serverDigest: string;
  readonly open: boolean;
  /** One GET. @returns the HTTP status. Rejects when the connection ends before the answer. */
  get(path: string, keep: boolean, signal: AbortSignal): Promise<number>;
  close(): void;
}

export interface DialOptions {
  readonly host: string;
  readonly port: number;
  /** SNI and Host header. */
  readonly serverName: string;
  readonly credential: MountedCredential;
  readonly verifier: Verifier;
  readonly nowMs: () => number;
  readonly signal: AbortSignal;
}

/** An answer to the event of a watcher has no body to speak of. */
const longestAnswer = 65_536;

/** A full handshake, never a resumed one: a resumed session would show neither certificate again. */
export function dial(options: DialOptions): Promise<Connection> {
  const { host, port, serverName, credential, signal } = options;
  return new Promise((resolve, reject) => {
    if (signal.aborted) {
      reject(signal.reason);
      return;
    }
    const socket = connect({
      host,
      port,
      servername: serverName,
      secureContext: credential.context,
      // Node's verifier refuses what a watcher in Go accepts where roots share a subject: `judgeServer` decides instead.
      rejectUnauthorized: false,
    });
    const fail = (why: unknown): void => {
      forget();
      socket.destroy();
      reject(why);
    };
    const forget = onAbort(signal, () => fail(signal.reason));
    // It stays for the life of the socket: unheard, a late error would end the process.
    socket.on('error', (error: NodeJS.ErrnoException) =>
      fail(new Error(`gateway ${host}:${port}: ${error.code ?? error.name}`)),
    );
    socket.once('close', () => fail(new Error(`gateway ${host}:${port}: closed within the handshake`)));
    socket.once('secureConnect', () => {
      const shown = socket.getPeerX509Certificate();
      const parsed = shown === undefined ? undefined : parseCertificate(shown.raw);
      if (parsed?.ok !== true) return fail(new Error('the gateway showed no readable certificate'));
      if (socket.isSessionReused()) return fail(new Error('a TLS session was resumed, which proves nothing'));
      const { bundle } = credential;
      const { verifier, nowMs } = options;
      const refusal = judgeServer(parsed.certificate, { bundle, host: serverName, nowMs: nowMs(), verifier });
      if (refusal !== null) return fail(new Error(`gateway ${host}:${port}: ${refusal}`));
      forget();
      resolve(connectionOn(socket, serverName, parsed.certificate.digest));
    });
  });
}

function connectionOn(socket: TLSSocket, serverName: string, serverDigest: string): Connection {
  return {
    serverDigest,
    get open() {
      return socket.writable && socket.readable && !socket.destroyed;
    },
    close: () => socket.destroy(),
    get: (path, keep, signal) =>
      new Promise((resolve, reject) => {
        if (signal.aborted) return reject(signal.reason);
        let received = '';
        const settle = (act: () => void): void => {
          forget();
          socket.off('data', read);
          socket.off('end', ended);
          socket.off('close', ended);
          act();
        };
        const ended = (): void => {
          socket.destroy();
          settle(() =>
            reject(new Error('the gateway hung up without an answer, as it does to a certificate it refuses')),
          );
        };
        const read = (chunk: Buffer): void => {
          received += chunk.toString('latin1');
          const answer = answerIn(received);
          if (answer !== null) settle(() => resolve(answer));
          else if (received.length > longestAnswer) ended();
        };
        const forget = onAbort(signal, () => {
          socket.destroy();
          settle(() => reject(signal.reason));
        });
        socket.on('data', read);
        socket.once('end', ended);
        socket.once('close', ended);
        if (!socket.writable) return ended();
        socket.write(
          `GET ${path} HTTP/1.1\r\nHost: ${serverName}\r\nUser-Agent: keyturn-traffic\r\nConnection: ${keep ? 'keep-alive' : 'close'}\r\n\r\n`,
        );
      }),
  };
}

/** The status once the whole answer is there: only then may the connection carry another request. */
export function answerIn(received: string): number | null {
  const end = received.indexOf('\r\n\r\n');
  if (end < 0) return null;
  const head = received.slice(0, end);
  const status = /^HTTP\/1\.[01] (\d{3})/.exec(head)?.[1];
  if (status === undefined) return null;
  const body = received.slice(end + 4);
  if (/\r\ntransfer-encoding: *chunked/i.test(head)) return body.endsWith('0\r\n\r\n') ? Number(status) : null;
  const length = Number(/\r\ncontent-length: *(\d+)/i.exec(head)?.[1] ?? 0);
  return body.length >= length ? Number(status) : null;
}
