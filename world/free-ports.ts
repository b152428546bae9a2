import { once } from 'node:events';
import { type AddressInfo, createServer } from 'node:net';

/** Ports handed out by this process: the kernel may offer one again before the child that it is meant for listens. */
const given = new Set<number>();

/** Ports on 127.0.0.1 that nothing listens on now. */
export async function freePorts(count: number): Promise<number[]> {
  const ports: number[] = [];
  while (ports.length < count) {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    const { port } = server.address() as AddressInfo;
    server.close();
    await once(server, 'close');
    if (given.has(port)) continue;
    given.add(port);
    ports.push(port);
  }
  return ports;
}

export async function freePort(): Promise<number> {
  const [port] = await freePorts(1);
  return port as number;
}
