import { constants } from 'node:crypto';
import { once } from 'node:events';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import type { TLSSocket } from 'node:tls';
import type { Clock } from '../../controller/clock.ts';
import { type Certificate, parseCertificate } from '../../pki/certificate.ts';
import type { GatewayCredential } from './credential-feed.ts';
import { forwardedCertificate } from './forwarded-certificate.ts';
import { judgeClient } from './judge-client.ts';
import { type CredentialsInUse, createLoadedCredential } from './loaded-credential.ts';

/** A request of a client whose certificate was accepted, as the backend gets it. */
export interface ForwardedRequest {
  /** Name of the endpoint. */
  readonly endpoint: string;
  readonly method: string;
  readonly path: string;
  readonly headers: IncomingMessage['headers'];
  readonly client: Certificate;
}

export interface EndpointOptions {
  readonly name: string;
  /** SNI; a handshake with another name, or none, fails. */
  readonly serverName: string;
  readonly minVersion: 'TLSv1.2' | 'TLSv1.3';
  readonly maxVersion: 'TLSv1.2' | 'TLSv1.3';
  readonly delayMs: number;
  /** Whether it is always the bundle that is taken first, or either half. */
  readonly bundleFirst: boolean;
  /** Longest time between the taking of one half of a credential and of the other. */
  readonly gapMs: number;
  /** @returns the HTTP status */
  readonly backend: (request: ForwardedRequest) => number;
  readonly onRefused: (why: string) => void;
  readonly clock: Clock;
  readonly random: () => number;
}

/** One endpoint of the gateway, as one Envoy is. */
export interface GatewayEndpoint {
  readonly name: string;
  readonly host: string;
  readonly port: number;
  /** A version of the credential is on its way to it. */
  push(credential: GatewayCredential): void;
  setDelayMs(delayMs: number): void;
  /** What it uses now. Rejects while it is down or paused, since it answers nobody then. */
  inUse(): Promise<CredentialsInUse>;
  /** Neither answers nor takes anything, as a stopped process; connections are accepted by the system all the same. */
  pause(): void;
  resume(): void;
  /** Cuts all connections, forgets everything, and after a while listens again at the same port. */
  restart(downMs: number, current: () => GatewayCredential | undefined, signal: AbortSignal): Promise<void>;
  stop(): Promise<void>;
}

const loopback = '127.0.0.1';
const mostConnections = 10_000;
/** More versions than this on their way to one endpoint are not kept: the oldest is passed over. */
const mostOnTheWay = 200;
const keepAliveMs = 3_600_000;

export async function startEndpoint(options: EndpointOptions): Promise<GatewayEndpoint> {
  const { name, clock, random } = options;
  const loaded = createLoadedCredential();
  const gate = createGate();
  const accepted = new WeakMap<TLSSocket, Certificate>();
  const connections = new Set<Socket>();
  let delayMs = options.delayMs;
  let down = false;

  const tls = createHttpsServer(
    {
      requestCert: true,
      // Node's verifier differs from Envoy's where roots share a subject: `judgeClient` decides instead.
      rejectUnauthorized: false,
      ca: [],
      minVersion: options.minVersion,
      maxVersion: options.maxVersion,
      secureOptions: constants.SSL_OP_NO_TICKET,
      SNICallback: (serverName, done) => {
        const ready = loaded.ready();
        if (ready !== undefined && serverName.toLowerCase() === options.serverName) done(null, ready.context);
        else done(new Error(ready === undefined ? 'No credential has arrived yet' : 'No such host'));
      },
    },
    (request, response) => {
      const client = accepted.get(request.socket as TLSSocket);
      if (client === undefined) request.socket.destroy();
      else void gate.whenOpen().then(() => answer(options, client, request, response));
    },
  );
  // It must be longer than the pauses of a client, or a close that crosses a request would look like a failure.
  tls.keepAliveTimeout = keepAliveMs;
  tls.on('tlsClientError', () => undefined);
  tls.on('clientError', (_, socket) => socket.destroy());
  tls.on('secureConnection', (socket: TLSSocket) => {
    socket.on('error', () => undefined);
    const verdict = judge(socket, loaded.ready()?.bundle ?? [], clock.nowMs());
    if (typeof verdict !== 'string') {
      accepted.set(socket, verdict);
      return;
    }
    options.onRefused(verdict);
    // Node cannot send the alert that Envoy sends once the handshake is over, so it says no by hanging up.
    socket.resume();
    socket.end();
    socket.destroySoon();
  });

  const front = createServer((socket) => {
    connections.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => connections.delete(socket));
    void gate.whenOpen().then(() => {
      if (socket.destroyed) return;
      tls.emit('connection', socket);
    });
  });
  front.maxConnections = mostConnections;
  const listen = async (port: number): Promise<number> => {
    front.listen(port, loopback);
    await once(front, 'listening');
    return (front.address() as AddressInfo).port;
  };
  const close = async (): Promise<void> => {
    for (const socket of connections) socket.destroy();
    if (!front.listening) return;
    const closed = once(front, 'close');
    front.close();
    await closed;
  };
  const port = await listen(0);

  let life = new AbortController();
  const onTheWay: { readonly credential: GatewayCredential; readonly dueMs: number }[] = [];
  let taking = false;
  /** One version after the other, in their order, and each as two halves of which either may come first. */
  const take = async (signal: AbortSignal): Promise<void> => {
    for (let next = onTheWay.shift(); next !== undefined; next = onTheWay.shift()) {
      const { credential, dueMs } = next;
      await clock.delay(dueMs - clock.monotonicMs(), signal);
      const halves = [loaded.takePair, loaded.takeBundle];
      if (options.bundleFirst || random() < 0.5) halves.reverse();
      for (const [index, half] of halves.entries()) {
        if (index > 0 && options.gapMs > 0) await clock.delay(random() * options.gapMs, signal);
        await gate.whenOpen();
        if (signal.aborted) return;
        if (!half(credential, clock.nowMs())) break;
      }
    }
  };
  const push = (credential: GatewayCredential): void => {
    if (down || life.signal.aborted) return;
    onTheWay.push({ credential, dueMs: clock.monotonicMs() + delayMs });
    if (onTheWay.length > mostOnTheWay) onTheWay.shift();
    if (taking) return;
    taking = true;
    const { signal } = life;
    void take(signal)
      .catch(() => undefined)
      .finally(() => {
        if (life.signal === signal) taking = false;
      });
  };
  const end = async (): Promise<void> => {
    life.abort();
    onTheWay.length = 0;
    gate.open();
    await close();
    loaded.forget();
  };

  return {
    name,
    host: loopback,
    port,
    push,
    setDelayMs: (ms) => {
      delayMs = ms;
    },
    async inUse() {
      if (down || !gate.isOpen())
        throw new Error(`Endpoint ${name} does not answer: it is ${down ? 'down' : 'paused'}`);
      return loaded.inUse();
    },
    pause: gate.shut,
    resume: gate.open,
    async restart(downMs, current, signal) {
      if (down) throw new Error(`Endpoint ${name} is being restarted already`);
      down = true;
      try {
        await end();
        await clock.delay(downMs, signal);
        await listen(port);
      } finally {
        down = false;
      }
      life = new AbortController();
      taking = false;
      const credential = current();
      if (credential !== undefined) push(credential);
    },
    async stop() {
      down = true;
      await end();
      tls.closeAllConnections();
    },
  };
}

function judge(socket: TLSSocket, bundle: Parameters<typeof judgeClient>[1], nowMs: number): Certificate | string {
  const shown = socket.getPeerX509Certificate();
  if (shown === undefined) return 'no certificate was shown';
  const parsed = parseCertificate(shown.raw);
  if (!parsed.ok) return `the certificate cannot be read: ${parsed.detail}`;
  return judgeClient(parsed.certificate, bundle, nowMs) ?? parsed.certificate;
}

function answer(
  { name, backend }: EndpointOptions,
  client: Certificate,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  request.resume();
  const { method = 'GET', url = '/' } = request;
  // What a client sends under this name is replaced, never passed on.
  const headers = { ...request.headers, 'x-forwarded-client-cert': forwardedCertificate(client) };
  const forwarded = { endpoint: name, method, path: url.split('?')[0] ?? '/', headers, client };
  request.once('end', () => {
    if (response.destroyed) return;
    response.writeHead(backend(forwarded), { 'content-type': 'text/plain', 'content-length': '0' });
    response.end();
  });
}

/** A gate that is open or shut; whoever comes while it is shut waits. */
function createGate() {
  let waiting: (() => void)[] | undefined;
  return {
    isOpen: () => waiting === undefined,
    whenOpen: (): Promise<void> =>
      waiting === undefined ? Promise.resolve() : new Promise((resolve) => waiting?.push(resolve)),
    shut: (): void => {
      waiting ??= [];
    },
    open: (): void => {
      const woken = waiting ?? [];
      waiting = undefined;
      for (const wake of woken) wake();
    },
  };
}
