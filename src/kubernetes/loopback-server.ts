import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { ClusterConfig } from './kubeconfig.ts';

/** A real HTTP server on loopback for tests of what happens on the wire. */
export interface LoopbackServer extends AsyncDisposable {
  readonly config: ClusterConfig;
  readonly port: number;
  /** `METHOD target` of each request so far. */
  readonly seen: string[];
  /** Connections accepted so far. */
  connections(): number;
  /** Cuts all connections with no farewell. */
  drop(): void;
}

export type Respond = (request: IncomingMessage, response: ServerResponse, body: string) => void;

export async function startLoopback(respond: Respond): Promise<LoopbackServer> {
  const seen: string[] = [];
  const sockets = new Set<Socket>();
  let accepted = 0;
  const server = createServer((request, response) => {
    seen.push(`${request.method} ${request.url}`);
    const chunks: Buffer[] = [];
    request.on('data', (chunk: Buffer) => chunks.push(chunk));
    request.on('end', () => respond(request, response, Buffer.concat(chunks).toString('utf8')));
  });
  server.on('connection', (socket) => {
    accepted += 1;
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.address() as AddressInfo;
  return {
    config: { server: `http://127.0.0.1:${port}`, insecureSkipTlsVerify: false },
    port,
    seen,
    connections: () => accepted,
    drop: () => {
      for (const socket of sockets) socket.resetAndDestroy();
    },
    async [Symbol.asyncDispose]() {
      const closed = new Promise((resolve) => server.close(resolve));
      for (const socket of sockets) socket.destroy();
      await closed;
    },
  };
}

export function answerJson(response: ServerResponse, status: number, body: unknown): void {
  response.writeHead(status, { 'content-type': 'application/json' });
  response.end(JSON.stringify(body));
}
