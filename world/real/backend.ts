import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The service behind the gateway: answers every request with 200, once it has come whole. */
export interface Backend {
  readonly port: number;
  requests(): number;
  /** Of the latest request. */
  headers(): IncomingHttpHeaders | undefined;
  close(): Promise<void>;
}

export async function startBackend(): Promise<Backend> {
  let requests = 0;
  let headers: IncomingHttpHeaders | undefined;
  const server = createServer((request, response) => {
    requests += 1;
    headers = request.headers;
    request.resume();
    request.on('end', () => response.end('ok\n'));
  });
  // Envoy keeps its connections longer than Node's default of 5 s; a close that crosses a request would look like a failure.
  server.keepAliveTimeout = 3_600_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    requests: () => requests,
    headers: () => headers,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
