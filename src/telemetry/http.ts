import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';
import { answerHealth, type Health } from '../controller/health.ts';
import type { Metrics } from './metrics.ts';

export interface ListenAddress {
  readonly host: string;
  readonly port: number;
}

export interface TelemetryServer {
  /** http://HOST:PORT, with the port that was given out where 0 was asked for. */
  readonly url: string;
  close(): Promise<void>;
}

/** `127.0.0.1:8080`, `[::1]:8080`; `:8080` and `8080` listen on loopback only. @returns `null` when it is none of these */
export function parseListenAddress(text: string): ListenAddress | null {
  const [, bracketed, plain, digits] = /^(?:(?:\[([0-9a-fA-F:.]+)\]|([^:[\]\s]*)):)?(\d{1,5})$/.exec(text) ?? [];
  if (digits === undefined || Number(digits) > 65_535) return null;
  return { host: bracketed || plain || '127.0.0.1', port: Number(digits) };
}

/**
 * Serves `/livez`, `/readyz` (`?verbose`) and `/metrics`. Nothing there is secret, and nothing can be changed there.
 *
 * @throws when the address cannot be listened on
 */
export async function serveTelemetry(
  { host, port }: ListenAddress,
  parts: { readonly health: Health; readonly metrics: Metrics },
): Promise<TelemetryServer> {
  const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000 }, listener(parts));
  server.maxConnections = 100;
  await new Promise<void>((resolve, reject) => {
    const failed = (cause: Error): void =>
      reject(new Error(`Cannot listen on ${host}:${port} for metrics and health: choose another address`, { cause }));
    server.once('error', failed);
    server.listen(port, host, () => {
      server.off('error', failed);
      resolve();
    });
  });
  const bound = server.address() as AddressInfo;
  const name = bound.family === 'IPv6' ? `[${bound.address}]` : bound.address;
  return {
    url: `http://${name}:${bound.port}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        // A scraper that keeps its connection alive must not hold the end of the process.
        server.closeAllConnections();
      }),
  };
}

function listener({ health, metrics }: { readonly health: Health; readonly metrics: Metrics }): RequestListener {
  return (request, response) => {
    const plain = { 'content-type': 'text/plain; charset=utf-8' };
    if (request.method !== 'GET' && request.method !== 'HEAD') {
      response.writeHead(405, { ...plain, allow: 'GET, HEAD' }).end('Only GET is answered\n');
      return;
    }
    if (answerHealth(health, request, response)) return;
    const [path] = (request.url ?? '').split('?', 1);
    if (path !== '/metrics') {
      response.writeHead(404, plain).end('There are /livez, /readyz and /metrics\n');
      return;
    }
    metrics.render().then(
      (text) => response.writeHead(200, { 'content-type': metrics.contentType }).end(text),
      () => response.writeHead(500, plain).end('The metrics could not be put together\n'),
    );
  };
}
