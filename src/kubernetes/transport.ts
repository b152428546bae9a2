import { setMaxListeners } from 'node:events';
import { type Dispatcher, Pool } from 'undici';
import type { Answer, CallOptions, StreamAnswer } from './answer.ts';
import { type CredentialReader, type Credentials, credentialReader } from './credentials.ts';
import { errorWithoutAnswer, type KubeError } from './errors.ts';
import { exchange } from './exchange.ts';
import type { ClusterConfig } from './kubeconfig.ts';
import { type KubeRequest, requestTarget } from './request.ts';
import { qualifiedName } from './resource.ts';
import { openStream } from './stream.ts';
import { tlsSettings } from './tls.ts';

/** One finished request, for metrics. */
export interface RequestRecord {
  readonly verb: string;
  /** `secrets`, `leases.coordination.k8s.io`; empty for paths such as `/version`. */
  readonly resource: string;
  /** 0 where no answer came. */
  readonly status: number;
  readonly durationMs: number;
}

export interface TransportOptions {
  /** Connections for ordinary requests; watches have their own. @default 8 */
  readonly connections?: number;
  /** @default 30000 */
  readonly timeoutMs?: number;
  /** @default 10000 */
  readonly connectTimeoutMs?: number;
  /**
   * How long a connection may rest. Below the 90 s after which an API server closes it, since a write that meets
   * the closing has an unknown outcome; undici's own 4 s would cost a handshake on nearly every visit.
   * @default 75000
   */
  readonly keepAliveMs?: number;
  readonly userAgent?: string;
  readonly onRequest?: (record: RequestRecord) => void;
}

/** Carries requests to one cluster. Statuses of 400 and above are answers, not errors. */
export interface Transport {
  /** @throws {KubeError} where no answer came */
  send(request: KubeRequest, options: CallOptions): Promise<Answer>;
  /** @throws {KubeError} where no answer came */
  stream(request: KubeRequest, options: CallOptions): Promise<StreamAnswer>;
  /** Requests sent so far, by `verb resource`; also those without an answer. */
  counts(): Readonly<Record<string, number>>;
  /** Refuses new requests, ends streams, lets running requests finish (each is bounded by its time-out). */
  close(): Promise<void>;
}

/** Larger answers are refused: pages of a list are far below, and a remote cluster is not trusted with our memory. */
const MAX_ANSWER_BYTES = 64 * 1024 * 1024;

interface Connections {
  readonly credentials: Credentials;
  readonly requests: Pool;
  readonly streams: Pool;
  /** Ends with its last use; rejections are the caller's business. */
  readonly running: Set<Promise<unknown>>;
  /** Ends every connection, also one whose handshake hangs: undici would leave that to its time-out. */
  readonly end: () => void;
}

export function createTransport(config: ClusterConfig, options: TransportOptions = {}): Transport {
  const { timeoutMs = 30_000, userAgent = 'keyturn', onRequest } = options;
  const url = new URL(config.server);
  const basePath = url.pathname.replace(/\/+$/, '');
  const reader = credentialReader(config);
  const counts = new Map<string, number>();
  const closing = new AbortController();
  let open: Connections | undefined;
  const retiring = new Set<Promise<unknown>>();

  /** Ends connections once nothing runs on them. undici's own close would also wait for a hanging handshake. */
  const retire = ({ running, requests, streams, end }: Connections): void => {
    const done: Promise<unknown> = Promise.allSettled(running)
      .then(() => Promise.all([requests.destroy(), streams.destroy()]))
      .then(end)
      .finally(() => retiring.delete(done));
    retiring.add(done);
  };

  const connect = async (request: KubeRequest, signal: AbortSignal): Promise<Connections> => {
    if (closing.signal.aborted) throw errorWithoutAnswer(request, 'ClientClosed', 'the client is closed', false);
    const credentials = await currentCredentials(reader, request, signal);
    if (closing.signal.aborted) throw errorWithoutAnswer(request, 'ClientClosed', 'the client is closed', false);
    if (open?.credentials === credentials) return open;
    const previous = open;
    // A token travels with each request; only a new certificate needs new connections.
    if (previous !== undefined && samePair(previous.credentials, credentials)) {
      open = { ...previous, credentials };
      return open;
    }
    try {
      open = { credentials, ...openPools(config, credentials, url.origin, options) };
    } catch (cause) {
      // Read between the swap of two files, a key may not fit its certificate: the next request reads anew (B51).
      reader.invalidate();
      throw credentialsError(request, cause);
    }
    if (previous !== undefined) retire(previous);
    return open;
  };

  const dispatchOptions = (request: KubeRequest, credentials: Credentials): Dispatcher.DispatchOptions => {
    const headers: Record<string, string> = { ...request.headers, 'user-agent': userAgent };
    if (credentials.authorization !== undefined) headers['authorization'] = credentials.authorization;
    return {
      path: basePath + requestTarget(request),
      method: request.method,
      headers,
      body: request.body ?? null,
      // Our own time limit covers the whole call; undici's would only cover parts of it.
      headersTimeout: 0,
      bodyTimeout: 0,
    };
  };

  const recorded = async <A extends { readonly status: number }>(
    request: KubeRequest,
    running: Set<Promise<unknown>>,
    run: () => Promise<A>,
  ) => {
    const resource = request.resource === undefined ? '' : qualifiedName(request.resource);
    const name = resource === '' ? `${request.verb} ${request.path}` : `${request.verb} ${resource}`;
    counts.set(name, (counts.get(name) ?? 0) + 1);
    const begin = performance.now();
    const exchanged = run();
    running.add(exchanged);
    let status = 0;
    try {
      const answer = await exchanged;
      status = answer.status;
      return answer;
    } finally {
      running.delete(exchanged);
      onRequest?.({ verb: request.verb, resource, status, durationMs: performance.now() - begin });
    }
  };

  /** A 401 may only mean that a token has been rotated: read the credentials anew and, if they differ, try once more. */
  const withFreshCredentials = async <A extends { readonly status: number }>(
    request: KubeRequest,
    signal: AbortSignal,
    run: (connections: Connections) => Promise<A>,
    discard: (answer: A) => void,
  ): Promise<A> => {
    const connections = await connect(request, signal);
    const answer = await recorded(request, connections.running, () => run(connections));
    if (answer.status !== 401) return answer;
    if (open?.credentials === connections.credentials) reader.invalidate();
    const again = await connect(request, signal);
    if (again.credentials === connections.credentials) return answer;
    discard(answer);
    return recorded(request, again.running, () => run(again));
  };

  return {
    async send(request, call) {
      const limitMs = call.timeoutMs ?? timeoutMs;
      const deadline = performance.now() + limitMs;
      return withFreshCredentials(
        request,
        call.signal,
        (connections) =>
          exchange(connections.requests, request, dispatchOptions(request, connections.credentials), {
            signal: call.signal,
            timeoutMs: Math.max(0, deadline - performance.now()),
          }),
        () => undefined,
      );
    },
    async stream(request, call) {
      return withFreshCredentials(
        request,
        call.signal,
        (connections) =>
          openStream(connections.streams, request, dispatchOptions(request, connections.credentials), {
            signals: [call.signal, closing.signal],
            timeoutMs: call.timeoutMs ?? timeoutMs,
          }),
        (answer) => answer.close(),
      );
    },
    counts: () => Object.fromEntries(counts),
    async close() {
      if (!closing.signal.aborted) closing.abort(new Error('the client is closed'));
      if (open !== undefined) retire(open);
      open = undefined;
      await Promise.allSettled(retiring);
    },
  };
}

function openPools(
  config: ClusterConfig,
  credentials: Credentials,
  origin: string,
  options: TransportOptions,
): Omit<Connections, 'credentials'> {
  const ending = new AbortController();
  // Each connection listens, and a fleet's worth of watches is no leak.
  setMaxListeners(0, ending.signal);
  const shared = {
    keepAliveTimeout: options.keepAliveMs ?? 75_000,
    pipelining: 1,
    // HTTP/2 was measured slower for both reads and applies.
    allowH2: false,
    connect: {
      timeout: options.connectTimeoutMs ?? 10_000,
      signal: ending.signal,
      ...(origin.startsWith('https:') ? tlsSettings(config, credentials) : {}),
    },
  };
  return {
    requests: new Pool(origin, { ...shared, connections: options.connections ?? 8, maxResponseSize: MAX_ANSWER_BYTES }),
    // A watch holds its connection for minutes: in the other pool a few watches would starve every request.
    streams: new Pool(origin, { ...shared, connections: null }),
    running: new Set(),
    end: () => ending.abort(),
  };
}

async function currentCredentials(reader: CredentialReader, request: KubeRequest, signal: AbortSignal) {
  try {
    return await reader.current(signal);
  } catch (cause) {
    throw signal.aborted
      ? errorWithoutAnswer(request, 'Aborted', 'it was aborted', false)
      : credentialsError(request, cause);
  }
}

function credentialsError(request: KubeRequest, cause: unknown): KubeError {
  const detail = cause instanceof Error ? cause.message : 'the credentials cannot be read';
  return errorWithoutAnswer(request, 'CredentialsFailed', detail, false, cause);
}

function samePair(a: Credentials, b: Credentials): boolean {
  return (
    a.clientCertificate?.certificate === b.clientCertificate?.certificate &&
    a.clientCertificate?.key === b.clientCertificate?.key
  );
}
