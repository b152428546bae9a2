import type { Answer, CallOptions, StreamAnswer } from './answer.ts';
import { errorFromAnswer, errorWithoutAnswer, isNotFound, KubeError } from './errors.ts';
import type { ClusterConfig } from './kubeconfig.ts';
import type {
  ApplyOptions,
  DeleteOptions,
  JsonPatchOperation,
  KubeRequest,
  Selection,
  WriteOptions,
} from './request.ts';
import * as requests from './request.ts';
import { apiVersionOf, type KubeObject, type ObjectRef, type Resource } from './resource.ts';
import { createTransport, type Transport, type TransportOptions } from './transport.ts';

export interface KubeList<T extends KubeObject> {
  readonly items: readonly T[];
  /** Where a watch may go on. */
  readonly resourceVersion: string;
}

export interface KubePage<T extends KubeObject> extends KubeList<T> {
  readonly continue: string | undefined;
}

/**
 * Calls to one cluster. Answers are the parsed JSON with every field the server sent. The type parameter is
 * the caller's claim about the shape; the server has validated it against the schema.
 * Every call throws {@link KubeError}.
 */
export interface KubeClient {
  get<T extends KubeObject>(resource: Resource, ref: ObjectRef, call: CallOptions): Promise<T>;
  /** Undefined where there is no such object (404). */
  find<T extends KubeObject>(resource: Resource, ref: ObjectRef, call: CallOptions): Promise<T | undefined>;
  /** All objects, fetched in pages. */
  list<T extends KubeObject>(resource: Resource, selection: Selection, call: CallOptions): Promise<KubeList<T>>;
  page<T extends KubeObject>(
    resource: Resource,
    selection: Selection,
    page: requests.PageOptions,
    call: CallOptions,
  ): Promise<KubePage<T>>;
  create<T extends KubeObject>(resource: Resource, object: T, call: CallOptions & WriteOptions): Promise<T>;
  /** Conditional on `metadata.resourceVersion` where the object has one. */
  replace<T extends KubeObject>(resource: Resource, object: T, call: CallOptions & WriteOptions): Promise<T>;
  replaceStatus<T extends KubeObject>(resource: Resource, object: T, call: CallOptions & WriteOptions): Promise<T>;
  mergePatch<T extends KubeObject>(
    resource: Resource,
    ref: ObjectRef,
    patch: unknown,
    call: CallOptions & WriteOptions & { readonly subresource?: 'status' },
  ): Promise<T>;
  jsonPatch<T extends KubeObject>(
    resource: Resource,
    ref: ObjectRef,
    operations: readonly JsonPatchOperation[],
    call: CallOptions & WriteOptions & { readonly subresource?: 'status' },
  ): Promise<T>;
  apply<T extends KubeObject>(resource: Resource, object: KubeObject, call: CallOptions & ApplyOptions): Promise<T>;
  applyStatus<T extends KubeObject>(
    resource: Resource,
    object: KubeObject,
    call: CallOptions & ApplyOptions,
  ): Promise<T>;
  /** False where it was gone already. True means accepted: finalizers may still hold the object. */
  delete(resource: Resource, ref: ObjectRef, call: CallOptions & DeleteOptions): Promise<boolean>;
  /** The answer as it came, for requests that the calls above do not cover. Throws on 400 and above. */
  send(request: KubeRequest, call: CallOptions): Promise<Answer>;
  /** Opens a watch. Throws on 400 and above. */
  stream(request: KubeRequest, call: CallOptions): Promise<StreamAnswer>;
  /** Requests sent so far, by `verb resource`. */
  counts(): Readonly<Record<string, number>>;
  close(): Promise<void>;
}

export interface ClientOptions extends TransportOptions {
  /** Objects per page of a list. @default 500 */
  readonly pageSize?: number;
  /** In place of a transport of its own. */
  readonly transport?: Transport;
}

export function createKubeClient(config: ClusterConfig, options: ClientOptions = {}): KubeClient {
  const transport = options.transport ?? createTransport(config, options);
  const pageSize = options.pageSize ?? 500;

  const send = async (request: KubeRequest, call: CallOptions): Promise<Answer> => {
    const answer = await sendReadAgain(transport, request, call);
    if (answer.status < 400) return answer;
    throw errorFromAnswer(request, answer.status, parseOrUndefined(answer.text), answer.headers);
  };
  const object = async <T>(request: KubeRequest, call: CallOptions): Promise<T> => {
    const { text } = await send(request, call);
    const parsed = parseOrUndefined(text);
    if (typeof parsed === 'object' && parsed !== null) return parsed as T;
    throw errorWithoutAnswer(request, 'MalformedResponse', 'the answer is no JSON object', true);
  };
  const page: KubeClient['page'] = async <T extends KubeObject>(
    resource: Resource,
    selection: Selection,
    pageOptions: requests.PageOptions,
    call: CallOptions,
  ) => {
    const list = await object<RawList<T>>(requests.list(resource, selection, pageOptions), call);
    return {
      items: (list.items ?? []).map((item) => withType(resource, item)),
      resourceVersion: list.metadata?.resourceVersion ?? '',
      continue: list.metadata?.continue || undefined,
    };
  };

  const client: KubeClient = {
    get: (resource, ref, call) => object(requests.get(resource, ref), call),
    async find(resource, ref, call) {
      try {
        return await client.get(resource, ref, call);
      } catch (error) {
        if (isNotFound(error)) return undefined;
        throw error;
      }
    },
    page,
    async list<T extends KubeObject>(resource: Resource, selection: Selection, call: CallOptions) {
      const items: T[] = [];
      for (let token: string | undefined, first = true; first || token !== undefined; first = false) {
        const next = token === undefined ? { limit: pageSize } : { limit: pageSize, continue: token };
        const part: KubePage<T> = await page<T>(resource, selection, next, call);
        items.push(...part.items);
        token = part.continue;
        if (token === undefined) return { items, resourceVersion: part.resourceVersion };
      }
      throw new Error('unreachable: the loop ends with the last page');
    },
    create: (resource, value, call) => object(requests.create(resource, value, call), call),
    replace: (resource, value, call) => object(requests.replace(resource, value, call), call),
    replaceStatus: (resource, value, call) => object(requests.replaceStatus(resource, value, call), call),
    mergePatch: (resource, ref, patch, call) => object(requests.mergePatch(resource, ref, patch, call), call),
    jsonPatch: (resource, ref, operations, call) => object(requests.jsonPatch(resource, ref, operations, call), call),
    apply: (resource, value, call) => object(requests.apply(resource, value, call), call),
    applyStatus: (resource, value, call) => object(requests.applyStatus(resource, value, call), call),
    async delete(resource, ref, call) {
      try {
        await send(requests.remove(resource, ref, call), call);
        return true;
      } catch (error) {
        if (isNotFound(error)) return false;
        throw error;
      }
    },
    send,
    async stream(request, call) {
      const answer = await transport.stream(request, call);
      if (answer.status < 400) return answer;
      const text = await readAll(answer);
      throw errorFromAnswer(request, answer.status, parseOrUndefined(text), answer.headers);
    },
    counts: () => transport.counts(),
    close: () => transport.close(),
  };
  return client;
}

const REFUSAL_TIMEOUT_MS = 5_000;

interface RawList<T> {
  readonly items?: readonly T[] | null;
  readonly metadata?: { readonly resourceVersion?: string; readonly continue?: string };
}

/** A read on a kept-alive connection that the server was just closing is sent once more; a write never is. */
async function sendReadAgain(transport: Transport, request: KubeRequest, call: CallOptions): Promise<Answer> {
  try {
    return await transport.send(request, call);
  } catch (error) {
    if (error instanceof KubeError && error.retry === 'now') return transport.send(request, call);
    throw error;
  }
}

/** The server leaves `apiVersion` and `kind` out of the items of built-in lists, but not of watch events. */
function withType<T extends KubeObject>(resource: Resource, item: T): T {
  if (item.kind !== undefined) return item;
  return { apiVersion: apiVersionOf(resource), kind: resource.kind, ...item };
}

async function readAll(answer: StreamAnswer): Promise<string> {
  const chunks: Buffer[] = [];
  // A refusal is short; a server that trickles it must not hold us.
  const timer = setTimeout(() => answer.close(), REFUSAL_TIMEOUT_MS);
  try {
    for await (const chunk of answer.chunks) chunks.push(chunk);
  } catch {
    // The status alone says enough; what came of the text is used.
  } finally {
    clearTimeout(timer);
  }
  return Buffer.concat(chunks).toString('utf8');
}

function parseOrUndefined(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
