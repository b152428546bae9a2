import { Agent, request } from 'undici';
import { pause } from './wait.ts';

/** Where an API server is and who asks. */
export interface ClusterAccess {
  readonly server: string;
  readonly caPem: string;
  readonly token: string;
}

/** A JSON object of any kind. */
export interface KubernetesObject {
  readonly apiVersion?: string;
  readonly kind?: string;
  readonly metadata?: {
    readonly name?: string;
    readonly namespace?: string;
    readonly resourceVersion?: string;
    readonly uid?: string;
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
  readonly [field: string]: unknown;
}

export class ClusterError extends Error {
  readonly status: number;
  constructor(status: number, message: string) {
    super(message);
    this.status = status;
  }
}

export interface ClusterClient {
  /** @throws {ClusterError} for every answer but 2xx. */
  send(method: string, path: string, options?: SendOptions): Promise<KubernetesObject>;
  /** GET of something that is no JSON, such as /readyz. @throws {ClusterError} */
  text(path: string, signal?: AbortSignal): Promise<string>;
  /** GET; undefined when there is no such object. */
  find(path: string, signal?: AbortSignal): Promise<KubernetesObject | undefined>;
  /** Server-side apply under the world's own field manager, by force: creates or changes. */
  apply(path: string, object: KubernetesObject, signal?: AbortSignal): Promise<KubernetesObject>;
  close(): Promise<void>;
}

export interface SendOptions {
  readonly body?: unknown;
  /** Default application/json. */
  readonly contentType?: string;
  readonly signal?: AbortSignal | undefined;
}

/** Field manager of what the world writes, so that a recorder can tell it from the product. */
export const worldFieldManager = 'real-world';

/**
 * The few calls that the world makes on its own clusters. Apart from the product's client on purpose: the world must
 * neither be broken by a fault in it nor hide one.
 */
export function connectTo(access: ClusterAccess): ClusterClient {
  const agent = new Agent({ connect: { ca: access.caPem }, connections: 16, keepAliveTimeout: 4_000 });
  const exchange = async (
    method: string,
    path: string,
    { body, contentType = 'application/json', signal }: SendOptions,
  ): Promise<string> => {
    const response = await request(access.server + path, {
      dispatcher: agent,
      method: method as 'GET',
      headers: {
        authorization: `Bearer ${access.token}`,
        accept: 'application/json',
        ...(body === undefined ? {} : { 'content-type': contentType }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      ...(signal === undefined ? {} : { signal }),
    });
    const text = await response.body.text();
    if (response.statusCode >= 300) {
      // The server's message names the object; the request's body may hold a key and is never repeated.
      throw new ClusterError(
        response.statusCode,
        `${method} ${path} was answered ${response.statusCode}: ${messageOf(text)}`,
      );
    }
    return text;
  };
  /** 429 is no refusal: the server asks to come again, for example while it makes the storage of a new CRD. */
  const patiently = async (method: string, path: string, options: SendOptions): Promise<string> => {
    for (let attempt = 1; ; attempt += 1) {
      try {
        return await exchange(method, path, options);
      } catch (error) {
        if (!(error instanceof ClusterError) || error.status !== 429 || attempt === 20) throw error;
        await pause(250, options.signal);
        options.signal?.throwIfAborted();
      }
    }
  };
  const send: ClusterClient['send'] = async (method, path, options = {}) => {
    const text = await patiently(method, path, options);
    return text === '' ? {} : (JSON.parse(text) as KubernetesObject);
  };
  let closing: Promise<void> | undefined;
  return {
    send,
    text: (path, signal) => exchange('GET', path, { signal }),
    find: async (path, signal) => {
      try {
        return await send('GET', path, { signal });
      } catch (error) {
        if (error instanceof ClusterError && error.status === 404) return undefined;
        throw error;
      }
    },
    apply: (path, object, signal) =>
      send('PATCH', `${path}?fieldManager=${worldFieldManager}&force=true`, {
        body: object,
        contentType: 'application/apply-patch+yaml',
        signal,
      }),
    close: () => {
      // A second close is an error to undici.
      closing ??= agent.close();
      return closing;
    },
  };
}

function messageOf(text: string): string {
  try {
    return String((JSON.parse(text) as { message?: unknown }).message ?? '');
  } catch {
    return text.slice(0, 200);
  }
}
