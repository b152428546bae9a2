export type ResourceVerb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete' | 'deletecollection';

/** What a request asks for, read from its method and path as Kubernetes' RequestInfo does. */
export type RequestInfo = ResourceRequest | PathRequest;

export interface ResourceRequest {
  readonly kind: 'resource';
  readonly verb: ResourceVerb;
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly namespace?: string;
  /** Of a list or watch: the name that its field selector asks for, which rules with `resourceNames` are judged by. */
  readonly name?: string;
  readonly subresource?: string;
}

export interface PathRequest {
  readonly kind: 'path';
  readonly verb: string;
  readonly path: string;
}

/** Parts of a namespace's path that are no resources in it. */
const NAMESPACE_SUBRESOURCES = new Set(['status', 'finalize']);

export function requestInfo(method: string, path: string, query: URLSearchParams): RequestInfo {
  const other: PathRequest = { kind: 'path', verb: method.toLowerCase(), path };
  const segments = decodedSegments(path);
  if (segments === undefined) return other;
  const [root, ...rest] = segments;
  const place = placeOf(root, rest);
  if (place === undefined) return other;
  const { group, version } = place;
  let parts = place.parts;
  let namespace: string | undefined;
  if (parts[0] === 'namespaces' && parts[1] !== undefined) {
    namespace = parts[1];
    if (parts[2] !== undefined && !NAMESPACE_SUBRESOURCES.has(parts[2])) parts = parts.slice(2);
  }
  const [plural, pathName, ...sub] = parts;
  if (plural === undefined) return other;
  const verb = verbOf(method, pathName, query);
  if (verb === undefined) return other;
  const name = pathName ?? nameSelected(verb, query);
  return {
    kind: 'resource',
    verb,
    group,
    version,
    plural,
    ...(namespace === undefined ? {} : { namespace }),
    ...(name === undefined ? {} : { name }),
    ...(sub.length === 0 ? {} : { subresource: sub.join('/') }),
  };
}

function decodedSegments(path: string): readonly string[] | undefined {
  try {
    return path
      .split('/')
      .filter((segment) => segment !== '')
      .map(decodeURIComponent);
  } catch {
    return undefined;
  }
}

function placeOf(root: string | undefined, rest: readonly string[]) {
  if (root === 'api' && rest.length >= 2) return { group: '', version: rest[0] ?? '', parts: rest.slice(1) };
  if (root === 'apis' && rest.length >= 3) {
    return { group: rest[0] ?? '', version: rest[1] ?? '', parts: rest.slice(2) };
  }
  return undefined;
}

function verbOf(method: string, name: string | undefined, query: URLSearchParams): ResourceVerb | undefined {
  switch (method) {
    case 'GET':
    case 'HEAD':
      if (isWatch(query)) return 'watch';
      return name === undefined ? 'list' : 'get';
    case 'POST':
      return 'create';
    case 'PUT':
      return 'update';
    case 'PATCH':
      return 'patch';
    case 'DELETE':
      return name === undefined ? 'deletecollection' : 'delete';
    default:
      return undefined;
  }
}

function isWatch(query: URLSearchParams): boolean {
  const value = query.get('watch');
  return value !== null && value !== '0' && value !== 'false';
}

function nameSelected(verb: ResourceVerb, query: URLSearchParams): string | undefined {
  if (verb !== 'list' && verb !== 'watch' && verb !== 'deletecollection') return undefined;
  const match = /(?:^|,)metadata\.name={1,2}([^,=!]+)(?:,|$)/.exec(query.get('fieldSelector') ?? '');
  return match?.[1];
}
