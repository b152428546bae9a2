import { Agent, request } from 'undici';
import type { ApiUnderTest } from './api-under-test.ts';
import { requestKind } from './request-kind.ts';

/** Who speaks to an API server with nothing between: the contract is about bytes on the wire. */
export interface Ask {
  readonly body?: unknown;
  /** Body as it stands, for what is no JSON. */
  readonly text?: string | Uint8Array;
  /** @default application/json */
  readonly contentType?: string;
  /** @default application/json */
  readonly accept?: string;
  /** `null`: none at all. @default the administrator's */
  readonly token?: string | null;
  /** Beside those that every request has. */
  readonly headers?: Readonly<Record<string, string | string[]>>;
  /** Client certificate and key (PEM), in place of a token. */
  readonly certificate?: { readonly cert: string; readonly key: string };
  /** `false`: the answer is told to nobody, since it holds what each server does in its own way. */
  readonly compare?: false;
}

export interface Answer {
  readonly status: number;
  /** Parsed JSON, or the text where it is none. */
  readonly body: Body;
  /** Texts of `Warning` headers. */
  readonly warnings: readonly string[];
}

/** As much of an answer's shape as tests look at by name. */
export interface Body {
  readonly kind?: string;
  readonly apiVersion?: string;
  readonly message?: string;
  readonly metadata: Readonly<Record<string, unknown>> & {
    readonly name: string;
    readonly uid: string;
    readonly resourceVersion: string;
  };
  readonly items: readonly Body[];
  readonly [field: string]: unknown;
}

export interface WatchEvent {
  readonly type: string;
  readonly object: Body;
}

export interface Watching {
  readonly status: number;
  /** What was answered in place of events. */
  readonly refusal: Body | undefined;
  /** The next events; fewer where the server ends the watch or the time is over. @param timeoutMs default 10 s */
  take(count: number, timeoutMs?: number): Promise<readonly WatchEvent[]>;
  /** Waits for the server to end the watch. @returns what came until then */
  rest(timeoutMs?: number): Promise<readonly WatchEvent[]>;
  /** Whether the server has ended it. */
  ended(): boolean;
  close(): void;
}

export interface Told {
  /** `PATCH /api/v1/... as application/json-patch+json` */
  readonly request: string;
  readonly answer: unknown;
}

export interface Speaker {
  ask(method: string, path: string, options?: Ask): Promise<Answer>;
  get(path: string, options?: Ask): Promise<Answer>;
  post(path: string, body: unknown, options?: Ask): Promise<Answer>;
  put(path: string, body: unknown, options?: Ask): Promise<Answer>;
  /** @param form `merge`, `json`, `strategic` or `apply` */
  patch(form: PatchForm, path: string, body: unknown, options?: Ask): Promise<Answer>;
  delete(path: string, options?: Ask): Promise<Answer>;
  watch(path: string, options?: Ask): Promise<Watching>;
  /** Creates a namespace of this name, which no other test uses. @returns its path */
  namespace(name: string): Promise<string>;
  /** Asks again until it holds, told only as it was then. For what a real server learns a moment later. */
  eventually(look: () => Promise<Answer>, holds: (answer: Answer) => boolean): Promise<Answer>;
  /** Kinds of all requests so far. */
  kinds(): ReadonlySet<string>;
  /** Ends the watches that a test left open. */
  closeWatches(): void;
  close(): Promise<void>;
}

export type PatchForm = 'merge' | 'json' | 'strategic' | 'apply';

const contentTypes: Readonly<Record<PatchForm, string>> = {
  merge: 'application/merge-patch+json',
  json: 'application/json-patch+json',
  strategic: 'application/strategic-merge-patch+json',
  apply: 'application/apply-patch+yaml',
};

export function createSpeaker(api: ApiUnderTest, tell: (told: Told) => void): Speaker {
  const agent = new Agent({ connect: { ca: api.caPem } });
  const others = new Set<Agent>();
  const watches = new Set<Watching>();
  const kinds = new Set<string>();

  const closeWatches = (): void => {
    for (const watching of watches) watching.close();
    watches.clear();
  };
  const open = async (method: string, path: string, options: Ask, signal?: AbortSignal) => {
    const { contentType = 'application/json', accept = 'application/json' } = options;
    const body = options.text ?? (options.body === undefined ? undefined : JSON.stringify(options.body));
    kinds.add(requestKind({ method, url: path, contentType: body === undefined ? undefined : contentType, accept }));
    const token = options.token === undefined && options.certificate === undefined ? api.adminToken : options.token;
    let dispatcher = agent;
    if (options.certificate !== undefined) {
      dispatcher = new Agent({ connect: { ca: api.caPem, ...options.certificate } });
      others.add(dispatcher);
    }
    return request(api.server + path, {
      dispatcher,
      method: method as 'GET',
      headers: {
        ...options.headers,
        'user-agent': 'contract/1',
        accept,
        ...(token ? { authorization: `Bearer ${token}` } : {}),
        ...(body === undefined ? {} : { 'content-type': contentType }),
      },
      ...(body === undefined ? {} : { body }),
      ...(signal === undefined ? {} : { signal }),
    });
  };
  const lineOf = (method: string, path: string, { contentType, accept, body, text }: Ask): string =>
    [
      `${method} ${path}`,
      contentType !== undefined && (body ?? text) !== undefined ? `as ${contentType}` : '',
      accept === undefined ? '' : `answered as ${accept}`,
    ]
      .filter((word) => word !== '')
      .join(' ');

  const silent = async (method: string, path: string, options: Ask): Promise<Answer> => {
    const response = await open(method, path, options);
    const text = await response.body.text();
    return { status: response.statusCode, body: parsed(text), warnings: warningsIn(response.headers['warning']) };
  };
  const tellAnswer = (method: string, path: string, options: Ask, answer: Answer): void => {
    if (options.compare === false) return;
    const { status, body, warnings } = answer;
    tell({
      request: lineOf(method, path, options),
      answer: { status, body, ...(warnings.length === 0 ? {} : { warnings }) },
    });
  };
  const ask: Speaker['ask'] = async (method, path, options = {}) => {
    const answer = await silent(method, path, options);
    tellAnswer(method, path, options, answer);
    return answer;
  };

  return {
    ask,
    get: (path, options) => ask('GET', path, options),
    post: (path, body, options) => ask('POST', path, { ...options, body }),
    put: (path, body, options) => ask('PUT', path, { ...options, body }),
    patch: (form, path, body, options) => ask('PATCH', path, { contentType: contentTypes[form], ...options, body }),
    delete: (path, options) => ask('DELETE', path, options),
    async watch(path, options = {}) {
      const abort = new AbortController();
      const response = await open('GET', path, options, abort.signal);
      const line = lineOf('GET', path, options);
      const refused = response.statusCode >= 400;
      const refusal = refused ? parsed(await response.body.text()) : undefined;
      if (refused && options.compare !== false)
        tell({ request: line, answer: { status: response.statusCode, body: refusal } });
      const events: WatchEvent[] = [];
      let over = refused;
      let wake: () => void = () => undefined;
      if (!refused) {
        void readLines(response.body, (event) => {
          if (isBookmarkBetween(event)) return;
          events.push(event);
          wake();
        }).finally(() => {
          over = true;
          wake();
        });
      }
      const until = async (holds: () => boolean, timeoutMs: number): Promise<void> => {
        const endMs = performance.now() + timeoutMs;
        while (!holds() && !over) {
          const leftMs = endMs - performance.now();
          if (leftMs <= 0) return;
          await new Promise<void>((resolve) => {
            const timer = setTimeout(resolve, leftMs);
            wake = () => {
              clearTimeout(timer);
              resolve();
            };
          });
        }
      };
      const told = (taken: readonly WatchEvent[]): readonly WatchEvent[] => {
        if (options.compare !== false) tell({ request: line, answer: { status: response.statusCode, events: taken } });
        return taken;
      };
      const watching: Watching = {
        status: response.statusCode,
        refusal,
        async take(count, timeoutMs = 10_000) {
          await until(() => events.length >= count, timeoutMs);
          return told(events.splice(0, count));
        },
        async rest(timeoutMs = 15_000) {
          await until(() => false, timeoutMs);
          return told(events.splice(0));
        },
        ended: () => over,
        close: () => abort.abort(),
      };
      watches.add(watching);
      return watching;
    },
    async namespace(name) {
      const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      await silent('POST', '/api/v1/namespaces', { body });
      return `/api/v1/namespaces/${name}`;
    },
    async eventually(look, holds) {
      const endMs = performance.now() + 20_000;
      for (;;) {
        const answer = await look();
        if (holds(answer) || performance.now() > endMs) return answer;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    },
    kinds: () => kinds,
    closeWatches,
    async close() {
      closeWatches();
      await Promise.all([agent, ...others].map((one) => one.destroy()));
    },
  };
}

function parsed(text: string): Body {
  try {
    return JSON.parse(text) as Body;
  } catch {
    return text as unknown as Body;
  }
}

/** `299 - "text"` */
function warningsIn(header: string | string[] | undefined): readonly string[] {
  const all = header === undefined ? [] : Array.isArray(header) ? header : [header];
  return all.map((one) => one.replace(/^299 - "/, '').replace(/"$/, ''));
}

/** Other bookmarks than the one after initial events come when the server likes: a real one sends some every minute. */
function isBookmarkBetween({ type, object }: WatchEvent): boolean {
  return type === 'BOOKMARK' && object.metadata['annotations'] === undefined;
}

async function readLines(stream: AsyncIterable<Buffer>, each: (event: WatchEvent) => void): Promise<void> {
  let text = '';
  try {
    for await (const chunk of stream) {
      text += chunk.toString('utf8');
      const lines = text.split('\n');
      text = lines.pop() ?? '';
      for (const line of lines) each(JSON.parse(line) as WatchEvent);
    }
  } catch {
    // Closed by us, or cut: what came is what counts.
  }
}
