import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { connect, createServer, type Socket } from 'node:net';

/** A TCP proxy on 127.0.0.1 that holds back what flows from the server to its clients. */
export interface DelayingProxy {
  readonly port: number;
  /** Applies to what arrives from now on; the order is kept. */
  setDelayMs(delayMs: number): void;
  close(): Promise<void>;
}

export async function startDelayingProxy(targetPort: number, delayMs: number): Promise<DelayingProxy> {
  const current = { delayMs };
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = connect(targetPort, '127.0.0.1');
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.once('close', () => sockets.delete(socket));
      // One side gone, the other goes; errors arrive as `close`, too.
      socket.on('error', () => {});
      socket.once('close', () => (socket === client ? upstream : client).destroy());
    }
    client.pipe(upstream);
    forwardLate(upstream, client, () => current.delayMs);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    setDelayMs: (next) => {
      current.delayMs = next;
    },
    close: async () => {
      for (const socket of sockets) socket.destroy();
      server.close();
      await once(server, 'close');
    },
  };
}

/** One queue with one timer for its head: timers of different length could overtake each other. */
function forwardLate(from: Socket, to: Socket, delayMs: () => number): void {
  const queue: { readonly dueMs: number; readonly chunk: Buffer }[] = [];
  let timer: NodeJS.Timeout | undefined;
  const drain = () => {
    timer = undefined;
    for (let head = queue[0]; head !== undefined; head = queue[0]) {
      const waitMs = head.dueMs - performance.now();
      if (waitMs > 0) {
        timer = setTimeout(drain, waitMs);
        return;
      }
      to.write(head.chunk);
      queue.shift();
    }
  };
  from.on('data', (chunk: Buffer) => {
    queue.push({ dueMs: performance.now() + delayMs(), chunk });
    if (timer === undefined) drain();
  });
  from.once('close', () => clearTimeout(timer));
}
