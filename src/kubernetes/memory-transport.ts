import type { Answer, CallOptions, StreamAnswer } from './answer.ts';
import { errorWithoutAnswer } from './errors.ts';
import { onAbort } from './on-abort.ts';
import type { KubeRequest } from './request.ts';
import type { KubeObject } from './resource.ts';
import type { Transport } from './transport.ts';

/**
 * An API server in memory for tests: get, list, create, replace, delete and watch with the server's own rules for
 * resourceVersion. It knows no schema, no merge and no field ownership; what needs them is tested on a real one.
 */
export interface MemoryTransport extends Transport {
  /** Looks at each request first: throw to lose it, return an answer to give that. */
  intercept: ((request: KubeRequest) => Answer | undefined) | undefined;
  readonly requests: KubeRequest[];
  /** The stored object, by path. */
  stored(path: string): KubeObject | undefined;
  /** Ends all watches, as a server does at its time-out. */
  endWatches(): void;
}

export function createMemoryTransport(): MemoryTransport {
  const objects = new Map<string, KubeObject>();
  const watches = new Set<{ readonly path: string; readonly push: (line: string | undefined) => void }>();
  const requests: KubeRequest[] = [];
  let version = 1;

  const announce = (type: string, path: string, object: KubeObject): void => {
    for (const watch of watches) {
      if (covers(watch.path, path)) watch.push(JSON.stringify({ type, object }));
    }
  };
  const store = (type: string, path: string, object: KubeObject): Answer => {
    version += 1;
    const uid = objects.get(path)?.metadata.uid ?? `uid-${version}`;
    const stored = { ...object, metadata: { ...object.metadata, uid, resourceVersion: String(version) } };
    objects.set(path, stored);
    announce(type, path, stored);
    return json(type === 'ADDED' ? 201 : 200, stored);
  };

  const handle = (request: KubeRequest): Answer => {
    const { path } = request;
    const current = objects.get(path);
    switch (request.method) {
      case 'GET': {
        if (request.verb === 'list') return json(200, list(path));
        return current === undefined ? refusal(404, 'NotFound') : json(200, current);
      }
      case 'POST': {
        const object = JSON.parse(request.body ?? '') as KubeObject;
        const target = `${path}/${object.metadata.name}`;
        return objects.has(target) ? refusal(409, 'AlreadyExists') : store('ADDED', target, object);
      }
      case 'PUT': {
        const object = JSON.parse(request.body ?? '') as KubeObject;
        if (current === undefined) return refusal(404, 'NotFound');
        const wanted = object.metadata.resourceVersion;
        if (wanted !== undefined && wanted !== current.metadata.resourceVersion) return refusal(409, 'Conflict');
        return store('MODIFIED', path, object);
      }
      case 'DELETE':
        if (current === undefined) return refusal(404, 'NotFound');
        objects.delete(path);
        version += 1;
        announce('DELETED', path, current);
        return json(200, { kind: 'Status', status: 'Success' });
      default:
        throw new TypeError(`The memory transport knows no ${request.method}`);
    }
  };
  const list = (path: string) => {
    const items = [...objects].filter(([at]) => covers(path, at)).map(([, object]) => object);
    return { kind: 'List', metadata: { resourceVersion: String(version) }, items };
  };

  const transport: MemoryTransport = {
    requests,
    intercept: undefined,
    stored: (path) => objects.get(path),
    endWatches() {
      for (const { push } of watches) push(undefined);
    },
    async send(request: KubeRequest, { signal }: CallOptions) {
      requests.push(request);
      if (signal.aborted) throw errorWithoutAnswer(request, 'Aborted', 'it was aborted', false);
      return transport.intercept?.(request) ?? handle(request);
    },
    async stream(request: KubeRequest, { signal }: CallOptions): Promise<StreamAnswer> {
      requests.push(request);
      const answer = transport.intercept?.(request);
      const lines: (string | undefined)[] = answer === undefined ? [] : [answer.text, undefined];
      let wake = (): void => undefined;
      const push = (line: string | undefined): void => {
        lines.push(line);
        wake();
      };
      const watch = { path: request.path, push };
      if (answer === undefined) {
        if (request.query['sendInitialEvents'] === 'true') {
          for (const object of list(request.path).items) push(JSON.stringify({ type: 'ADDED', object }));
          const annotations = { 'k8s.io/initial-events-end': 'true' };
          push(
            JSON.stringify({
              type: 'BOOKMARK',
              object: { metadata: { resourceVersion: String(version), annotations } },
            }),
          );
        }
        watches.add(watch);
      }
      const close = (): void => push(undefined);
      const unlisten = onAbort(signal, close);
      async function* chunks(): AsyncGenerator<Buffer> {
        try {
          for (;;) {
            while (lines.length > 0) {
              const line = lines.shift();
              if (line === undefined) return;
              yield Buffer.from(`${line}\n`);
            }
            await new Promise<void>((resolve) => {
              wake = resolve;
            });
          }
        } finally {
          unlisten();
          watches.delete(watch);
        }
      }
      return { status: answer?.status ?? 200, headers: {}, chunks: chunks(), close };
    },
    counts: () => ({}),
    async close() {
      transport.endWatches();
    },
  };
  return transport;
}

/** Whether a collection, of one namespace or of all, holds the object at `path`. */
function covers(collection: string, path: string): boolean {
  if (path.startsWith(`${collection}/`)) return true;
  return path.replace(/\/namespaces\/[^/]+(?=\/[^/]+\/)/, '').startsWith(`${collection}/`);
}

function json(status: number, body: unknown): Answer {
  return { status, headers: {}, text: JSON.stringify(body) };
}

export function refusal(code: number, reason: string, message = reason): Answer {
  return json(code, { kind: 'Status', status: 'Failure', code, reason, message });
}
