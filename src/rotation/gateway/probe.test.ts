import { type AddressInfo, createServer, type Server, type Socket } from 'node:net';
import { createServer as createTlsServer, type TLSSocket, type TlsOptions } from 'node:tls';
import { afterEach, describe, expect, test } from 'vitest';
import { material } from '../../../test/pki-material/material.ts';
import type { IssuedPair } from '../../pki/issue.ts';
import { type ProbeAnswer, probeEndpoint, probeIdentity } from './probe.ts';
import { probeRound } from './probe-round.ts';

const ok = 'HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n';
const never = new AbortController().signal;
const servers: Server[] = [];
const sockets = new Set<Socket>();

afterEach(async () => {
  for (const socket of sockets) socket.destroy();
  await Promise.all(servers.splice(0).map((server) => new Promise((done) => server.close(done))));
});

async function listen(server: Server): Promise<number> {
  servers.push(server);
  server.on('connection', (socket) => {
    sockets.add(socket);
    socket.on('error', () => undefined);
    socket.on('close', () => sockets.delete(socket));
  });
  await new Promise<void>((ready) => server.listen(0, '127.0.0.1', ready));
  return (server.address() as AddressInfo).port;
}

/** A gateway that trusts `roots`, and answers a request as `respond` does. */
async function gateway(
  own: IssuedPair,
  roots: readonly IssuedPair[],
  respond: (socket: TLSSocket, request: string) => void = (socket) => socket.end(ok),
  options: TlsOptions = {},
): Promise<number> {
  const ca = roots.map((root) => root.certificatePem);
  const settings = { key: own.keyPem, cert: own.certificatePem, ca, requestCert: true, rejectUnauthorized: true };
  const server = createTlsServer({ ...settings, ...options }, (socket) => {
    socket.on('error', () => undefined);
    socket.on('data', (request) => respond(socket, request.toString()));
  });
  server.on('tlsClientError', () => undefined);
  return listen(server);
}

async function ask(port: number, pair: IssuedPair, timeoutMs = 2000): Promise<ProbeAnswer> {
  const target = { host: '127.0.0.1', port, serverName: 'localhost', path: '/probe' };
  return probeEndpoint(target, probeIdentity(pair), timeoutMs, never);
}

async function parties() {
  const [a, b, nobody] = await Promise.all([material.root('a'), material.root('b'), material.root('throw-away')]);
  const [server, ofA, ofB, ofNobody] = await Promise.all([
    material.leaf(a, 'gateway'),
    material.leaf(a, 'probe'),
    material.leaf(b, 'probe'),
    material.leaf(nobody, 'probe'),
  ]);
  return { a, b, server, ofA, ofB, ofNobody };
}

describe('a probe', () => {
  test('that gets an HTTP answer of any status was accepted, and knows the certificate that it met', async () => {
    const { a, server, ofA } = await parties();
    const seen: string[] = [];
    const port = await gateway(server, [a], (socket, request) => {
      seen.push(request);
      socket.end('HTTP/1.1 404 Not Found\r\n\r\n');
    });
    expect(await ask(port, ofA)).toEqual({
      outcome: 'accepted',
      httpStatus: 404,
      serverDigest: server.certificate.digest,
    });
    expect(seen[0]).toMatch(/^GET \/probe HTTP\/1\.1\r\nHost: localhost\r\n/);
  });

  test('is refused though the handshake completed, when the server does not know its signer', async () => {
    const { a, server, ofB } = await parties();
    const serverDigest = server.certificate.digest;
    expect(await ask(await gateway(server, [a]), ofB)).toMatchObject({ outcome: 'refused', by: 'close', serverDigest });
  });

  test('is refused by an alert that speaks of certificates', async () => {
    const { a, server } = await parties();
    const port = await gateway(server, [a]);
    const target = { host: '127.0.0.1', port, serverName: 'localhost', path: '/' };
    const { createSecureContext } = await import('node:tls');
    const nameless = createSecureContext({ minVersion: 'TLSv1.3' });
    expect(await probeEndpoint(target, nameless, 2000, never)).toMatchObject({
      outcome: 'refused',
      by: 'alert',
      why: 'CERTIFICATE_REQUIRED',
    });
  });

  test('is refused when the server knows only a namesake of its signer, which OpenSSL puts in other words', async () => {
    const { a, b, server } = await parties();
    const bare = await material.leaf(b, 'bare', { authorityKeyId: false });
    const port = await gateway(server, [a, b]);
    expect(await ask(port, bare)).toMatchObject({ outcome: 'refused' });
  });

  test('is new each time: the certificate is shown again and no session resumed', async () => {
    const { a, server, ofA } = await parties();
    const resumed: boolean[] = [];
    const port = await gateway(server, [a], (socket) => {
      resumed.push(socket.isSessionReused() || socket.getPeerCertificate().raw === undefined);
      socket.end(ok);
    });
    const target = { host: '127.0.0.1', port, serverName: 'localhost', path: '/' };
    const identity = probeIdentity(ofA);
    for (let time = 0; time < 3; time++) await probeEndpoint(target, identity, 2000, never);
    expect(resumed).toEqual([false, false, false]);
  });

  test('learns nothing from an endpoint that goes away between the handshake and the answer', async () => {
    const { a, server, ofA } = await parties();
    const port = await gateway(server, [a], (socket) => {
      servers[0]?.close();
      servers.length = 0;
      socket.destroy();
    });
    expect(await ask(port, ofA)).toMatchObject({ outcome: 'unanswered', why: 'ECONNREFUSED' });
  });

  test('learns nothing from a connection that is reset before the server has spoken', async () => {
    const { ofA } = await parties();
    const port = await listen(createServer((socket) => socket.once('data', () => socket.resetAndDestroy())));
    expect(await ask(port, ofA)).toEqual({ outcome: 'unanswered', why: 'ECONNRESET', serverDigest: null });
  });

  test('learns nothing from a closed port, a name that nobody has, or a server of an older TLS', async () => {
    const { a, server, ofA } = await parties();
    const old = await gateway(server, [a], undefined, { maxVersion: 'TLSv1.2' });
    expect(await ask(old, ofA)).toMatchObject({ outcome: 'unanswered', serverDigest: null });
    const port = await listen(createServer());
    await new Promise((done) => servers.pop()?.close(done));
    expect(await ask(port, ofA)).toMatchObject({ outcome: 'unanswered', why: 'ECONNREFUSED' });
  });

  test('learns nothing when no answer comes in time, but has seen the server certificate', async () => {
    const { a, server, ofA } = await parties();
    const port = await gateway(server, [a], () => undefined);
    expect(await ask(port, ofA, 150)).toEqual({
      outcome: 'unanswered',
      why: 'no answer within 150 ms',
      serverDigest: server.certificate.digest,
    });
  });

  test('learns nothing from an answer that is not HTTP, or breaks off within the status line', async () => {
    const { a, server, ofA } = await parties();
    const babble = await gateway(server, [a], (socket) => socket.end('x'.repeat(2000)));
    expect(await ask(babble, ofA)).toMatchObject({ outcome: 'unanswered', why: 'the answer is not HTTP/1' });
    const cut = await gateway(server, [a], (socket) => socket.end('HTTP/1.'));
    expect(await ask(cut, ofA)).toMatchObject({ outcome: 'unanswered' });
  });

  test('ends at once with the reason of its signal', async () => {
    const { a, server, ofA } = await parties();
    const stop = new AbortController();
    const port = await gateway(server, [a], () => stop.abort(new Error('shutting down')));
    const target = { host: '127.0.0.1', port, serverName: 'localhost', path: '/' };
    await expect(probeEndpoint(target, probeIdentity(ofA), 5000, stop.signal)).rejects.toThrow('shutting down');
    await expect(probeEndpoint(target, probeIdentity(ofA), 5000, stop.signal)).rejects.toThrow('shutting down');
  });
});

describe('a round of probes', () => {
  test('tells for each endpoint which roots it accepts, that it refuses a stranger, and what it presents', async () => {
    const { a, b, server, ofA, ofB, ofNobody } = await parties();
    const newer = await material.leaf(b, 'gateway');
    const [both, onlyA, anyone] = [
      await gateway(newer, [b, a]),
      await gateway(server, [a]),
      await gateway(server, [a], undefined, { rejectUnauthorized: false }),
    ];
    const closed = await listen(createServer());
    await new Promise((done) => servers.pop()?.close(done));
    const [keyA, keyB] = [a.certificate.keyId, b.certificate.keyId];

    const answers = await probeRound(
      {
        endpoints: [both, onlyA, anyone, closed].map((port) => ({ host: '127.0.0.1', port })),
        serverName: 'localhost',
        path: '/',
        probePairs: [
          { keyId: keyA, pair: ofA },
          { keyId: keyB, pair: ofB },
        ],
        throwawayPair: ofNobody,
        timeoutMs: 2000,
        concurrency: 3,
      },
      never,
    );

    expect(answers).toMatchObject([
      { accepted: [keyA, keyB], refused: [], throwaway: 'refused', serverDigests: [newer.certificate.digest] },
      { accepted: [keyA], refused: [keyB], throwaway: 'refused', serverDigests: [server.certificate.digest] },
      { accepted: [keyA, keyB], refused: [], throwaway: 'accepted', serverDigests: [server.certificate.digest] },
      {
        accepted: [],
        unanswered: [keyA, keyB],
        throwaway: 'unanswered',
        serverDigests: [],
        reasons: ['ECONNREFUSED'],
      },
    ]);
  });

  test('reports both certificates of an endpoint that changes in the middle of it', async () => {
    const { a, b, server, ofA, ofB, ofNobody } = await parties();
    const newer = await material.leaf(b, 'gateway');
    let connections = 0;
    const port = await gateway(server, [a, b]);
    const [listening] = servers.slice(-1) as ReturnType<typeof createTlsServer>[];
    listening?.on('connection', () => {
      connections += 1;
      const ca = [a.certificatePem, b.certificatePem];
      if (connections === 2) listening.setSecureContext({ key: newer.keyPem, cert: newer.certificatePem, ca });
    });
    const [answer] = await probeRound(
      {
        endpoints: [{ host: '127.0.0.1', port }],
        serverName: 'localhost',
        path: '/',
        probePairs: [
          { keyId: a.certificate.keyId, pair: ofA },
          { keyId: b.certificate.keyId, pair: ofB },
        ],
        throwawayPair: ofNobody,
        timeoutMs: 2000,
        concurrency: 1,
      },
      never,
    );
    expect(answer?.serverDigests).toContain(newer.certificate.digest);
    expect(answer?.serverDigests.length).toBe(2);
  });

  test('has no more requests under way than it may', async () => {
    const { a, server, ofA, ofNobody } = await parties();
    let under = 0;
    let most = 0;
    const port = await gateway(server, [a], (socket) => {
      under += 1;
      most = Math.max(most, under);
      setTimeout(() => {
        under -= 1;
        socket.end(ok);
      }, 20);
    });
    const probePairs = Array.from({ length: 8 }, (_, index) => ({ keyId: String(index), pair: ofA }));
    const endpoints = [{ host: '127.0.0.1', port }];
    const request = { endpoints, serverName: 'localhost', path: '/', probePairs, throwawayPair: ofNobody };
    const [answer] = await probeRound({ ...request, timeoutMs: 2000, concurrency: 2 }, never);
    expect(answer?.accepted.length).toBe(8);
    expect(most).toBe(2);
  });
});
