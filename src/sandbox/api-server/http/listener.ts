import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer } from 'node:https';
import type { AddressInfo, Socket } from 'node:net';

export interface ListenerOptions {
  readonly certificatePem: string;
  readonly keyPem: string;
  /** Signs the client certificates that are taken. */
  readonly clientCaPem: string;
  readonly onRequest: (request: IncomingMessage, response: ServerResponse) => void;
}

export interface Listener {
  readonly port: number;
  /** Closes the port and cuts every connection. */
  unplug(): Promise<void>;
  /** Takes the same port again. */
  plugIn(): Promise<void>;
}

/** An HTTPS server on loopback that can be taken off the network and put back. */
export async function startListener(options: ListenerOptions): Promise<Listener> {
  const sockets = new Set<Socket>();
  const server = createServer({
    cert: options.certificatePem,
    key: options.keyPem,
    ca: options.clientCaPem,
    requestCert: true,
    // Who has no certificate may have a token; a bad certificate is answered 401, as a real server does.
    rejectUnauthorized: false,
    minVersion: 'TLSv1.2',
    ALPNProtocols: ['http/1.1'],
    keepAliveTimeout: 90_000,
    // Watches are requests that take as long as they like.
    requestTimeout: 0,
  });
  server.on('request', options.onRequest);
  server.on('connection', (socket: Socket) => {
    socket.setNoDelay(true);
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  // A client that gives up in the handshake is its own affair.
  server.on('tlsClientError', () => undefined);
  server.on('clientError', (_error, socket) => socket.destroy());

  const listen = (port: number): Promise<void> =>
    new Promise((resolve, reject) => {
      server.once('error', reject);
      server.listen(port, '127.0.0.1', () => {
        server.off('error', reject);
        resolve();
      });
    });
  await listen(0);
  const { port } = server.address() as AddressInfo;
  // Calls come one after the other, however fast they are made.
  let turn: Promise<void> = Promise.resolve();
  const inTurn = (action: () => Promise<void>): Promise<void> => {
    turn = turn.then(action, action);
    return turn;
  };
  return {
    port,
    unplug: () =>
      inTurn(async () => {
        if (!server.listening) return;
        const closed = new Promise<void>((resolve) => server.close(() => resolve()));
        for (const socket of sockets) socket.resetAndDestroy();
        await closed;
      }),
    plugIn: () =>
      inTurn(async () => {
        if (!server.listening) await listen(port);
      }),
  };
}
