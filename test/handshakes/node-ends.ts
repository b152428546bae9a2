import type { AddressInfo } from 'node:net';
import { connect, createServer, type Server } from 'node:tls';
import { probeEndpoint, probeIdentity } from '../../src/rotation/gateway/probe.ts';
import { type Clients, type Outcome, type Servers, serverName } from './matrix.ts';

const requestText = `GET / HTTP/1.1\r\nHost: ${serverName}\r\nConnection: close\r\n\r\n`;
const timeoutMs = 5000;
const never = new AbortController().signal;

/** Servers of `node:tls`; `close` ends them all. */
export function nodeServers(): Servers & { close(): Promise<void> } {
  const servers: Server[] = [];
  return {
    listen: async ({ pair, bundlePem }) => {
      const server = createServer(
        { key: pair.keyPem, cert: pair.certificatePem, ca: bundlePem, requestCert: true, minVersion: 'TLSv1.3' },
        (socket) => {
          socket.on('error', () => undefined);
          socket.on('data', () => socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n'));
        },
      );
      server.on('tlsClientError', () => undefined);
      servers.push(server);
      await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
      return (server.address() as AddressInfo).port;
    },
    close: async () => {
      await Promise.all(servers.map((server) => new Promise((done) => server.close(done))));
    },
  };
}

/** A client of `node:tls` that verifies, as a watcher would. */
export const nodeClients: Clients = {
  request: (port, { pair, bundlePem }) =>
    new Promise<Outcome>((resolve) => {
      const socket = connect({
        host: '127.0.0.1',
        port,
        servername: serverName,
        ca: bundlePem,
        key: pair.keyPem,
        cert: pair.certificatePem,
        minVersion: 'TLSv1.3',
        timeout: timeoutMs,
      });
      let shookHands = false;
      let received = '';
      const finish = (outcome: Outcome): void => {
        resolve(outcome);
        socket.destroy();
      };
      socket.on('secureConnect', () => {
        shookHands = true;
        socket.write(requestText);
      });
      socket.on('data', (chunk) => {
        received += chunk.toString();
        if (received.startsWith('HTTP/1.1 200')) finish('answered');
      });
      socket.on('timeout', () => finish('unclear: no answer in time'));
      socket.on('error', (error: NodeJS.ErrnoException) => {
        if (socket.authorizationError != null) finish('client refuses');
        else finish(shookHands ? 'server refuses' : `unclear: ${error.code ?? error.message}`);
      });
      // Node's own server says no by hanging up, without an alert.
      socket.on('end', () => finish(shookHands && received === '' ? 'server refuses' : 'unclear: hung up'));
    }),
};

/** The gateway probe: it judges nothing, so only the server's judgement shows. */
export const probeClients: Clients = {
  request: async (port, { pair }) => {
    const target = { host: '127.0.0.1', port, serverName, path: '/' };
    const answer = await probeEndpoint(target, probeIdentity(pair), timeoutMs, never);
    if (answer.outcome === 'accepted') return 'answered';
    return answer.outcome === 'refused' ? 'server refuses' : `unclear: ${answer.why}`;
  },
};
