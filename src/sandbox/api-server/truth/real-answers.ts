import type { ClusterConfig } from '../../../kubernetes/kubeconfig.ts';
import { createTransport } from '../../../kubernetes/transport.ts';
import { field, isObject, type Json, type JsonObject, objectOf } from '../json.ts';

/** What the real API server says, refusals included. */
export interface RealAnswer {
  readonly code: number;
  readonly body: JsonObject;
}

export interface RealServer {
  ask(method: string, target: string, body?: Json, type?: string): Promise<RealAnswer>;
  close(): Promise<void>;
}

export function realServer(config: ClusterConfig, signal: AbortSignal): RealServer {
  const transport = createTransport(config, {});
  return {
    async ask(method, target, body, type = 'application/json') {
      const [path = '', query = ''] = target.split('?');
      const answer = await transport.send(
        {
          verb: method === 'GET' ? 'get' : 'patch',
          resource: undefined,
          method: method as 'GET',
          path,
          query: Object.fromEntries(new URLSearchParams(query)),
          headers: { accept: 'application/json', 'content-type': type, 'user-agent': 'truth/1' },
          ...(body === undefined ? {} : { body: JSON.stringify(body) }),
        },
        { signal },
      );
      return { code: answer.status, body: JSON.parse(answer.text) as JsonObject };
    },
    close: () => transport.close(),
  };
}

/** An object without what only the server knows, and with whether an owner has a time in place of the time. */
export function comparable(object: JsonObject): JsonObject {
  const plain = withoutEmpty(object);
  const metadata = isObject(plain['metadata']) ? plain['metadata'] : {};
  const kept = Object.entries(metadata).filter(([name]) => !SERVERS.has(name));
  const managed = metadata['managedFields'];
  return {
    ...plain,
    metadata: {
      ...objectOf(kept),
      ...(Array.isArray(managed) ? { managedFields: managed.map(timeless).toSorted(byText) } : {}),
    },
  };
}

/** As metadata and a Secret come out of Go's types, which do not write what is empty. */
export function withoutEmpty(object: JsonObject): JsonObject {
  const metadata = isObject(object['metadata']) ? object['metadata'] : {};
  const fields = Object.entries(object).filter(([name, value]) => name !== 'data' || !isEmpty(value));
  const kept = Object.entries(metadata).filter(([, value]) => !isEmpty(value));
  return { ...objectOf(fields), metadata: objectOf(kept) };
}

function isEmpty(value: Json): boolean {
  return typeof value === 'object' && value !== null && Object.keys(value).length === 0;
}

const SERVERS = new Set(['uid', 'resourceVersion', 'generation', 'creationTimestamp', 'namespace', 'managedFields']);

function timeless(entry: Json): Json {
  return isObject(entry) ? { ...entry, time: entry['time'] !== undefined } : entry;
}

function byText(one: Json, other: Json): number {
  return ownerText(one) < ownerText(other) ? -1 : 1;
}

function ownerText(entry: Json): string {
  return JSON.stringify(['operation', 'manager', 'apiVersion', 'subresource'].map((name) => field(entry, name) ?? ''));
}
