import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** The service behind the gateway: answers every request with 200. */
export interface Backend {
  readonly port: number;
  requests(): number;
  close(): Promise<void>;
}

export async function startBackend(): Promise<Backend> {
  let requests = 0;
  const server = createServer((request, response) => {
    requests += 1;
    request.resume();
    response.end('ok\n');
  });
  // Envoy keeps its connections longer than Node's default of 5 s; a close that crosses a request would look like a failure.
  server.keepAliveTimeout = 3_600_000;
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    requests: () => requests,
    close: async () => {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
