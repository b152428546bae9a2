/**
 * What makes two requests to an API server the same to it: verb, resource, subresource, scope, form of the body, asked
 * form of the answer, and which query parameters there are. Names, versions and contents do not matter.
 *
 * @module
 */
export interface RequestLine {
  readonly method: string;
  /** Path and query. */
  readonly url: string;
  readonly contentType?: string | undefined;
  readonly accept?: string | undefined;
}

const verbs: Readonly<Record<string, string>> = { POST: 'create', PUT: 'update', PATCH: 'patch', DELETE: 'delete' };

/** Query parameters whose value changes what the server does, beside their being there. */
const withValue = new Set(['force', 'fieldValidation', 'dryRun', 'resourceVersionMatch', 'propagationPolicy']);
/** Says nothing about the answer. */
const leftOut = new Set(['watch', 'timeout', 'pretty']);

/** A short line such as `watch kymas.operator.kyma-project.io in a namespace ?allowWatchBookmarks&resourceVersion`. */
export function requestKind({ method, url, contentType, accept }: RequestLine): string {
  const { pathname, searchParams } = new URL(url, 'https://server');
  const place = placeOf(pathname);
  const asked = [...searchParams.keys()].filter((key) => !leftOut.has(key));
  const query = [...new Set(asked)].sort().map((key) => parameter(key, searchParams.get(key) ?? ''));
  const words = [
    place === undefined ? `${method} ${shapeOf(pathname)}` : `${verbOf(method, place, searchParams)} ${place.resource}`,
    place === undefined || place.name ? '' : place.scope,
    formOf(method, contentType),
    askedForm(accept),
    query.length === 0 ? '' : `?${query.join('&')}`,
  ];
  return words.filter((word) => word !== '').join(' ');
}

interface Place {
  /** `secrets`, `certificates.cert-manager.io/status`. */
  readonly resource: string;
  readonly scope: string;
  readonly name: boolean;
}

function placeOf(pathname: string): Place | undefined {
  const [, root, ...rest] = pathname.split('/');
  if (root !== 'api' && root !== 'apis') return undefined;
  const group = root === 'apis' ? (rest.shift() ?? '') : '';
  rest.shift();
  let scope = '';
  // The namespace itself is a resource; what lies below it is in it.
  if (rest[0] === 'namespaces' && rest.length > 2 && !['status', 'finalize'].includes(rest[2] ?? '')) {
    rest.splice(0, 2);
    scope = 'in a namespace';
  }
  const [plural, name, ...sub] = rest;
  if (plural === undefined || plural === '') return undefined;
  const resource = [group === '' ? plural : `${plural}.${group}`, ...sub].join('/');
  return { resource, scope: scope === '' ? 'in all' : scope, name: name !== undefined && name !== '' };
}

function verbOf(method: string, { name }: Place, query: URLSearchParams): string {
  if (method === 'GET') {
    if (['true', '1'].includes(query.get('watch') ?? '')) return 'watch';
    return name ? 'get' : 'list';
  }
  if (method === 'DELETE' && !name) return 'deletecollection';
  return verbs[method] ?? method;
}

function parameter(key: string, value: string): string {
  if (withValue.has(key)) return `${key}=${value}`;
  if (key === 'resourceVersion' && value === '0') return 'resourceVersion=0';
  // Which fields can be selected is a list of its own for each resource.
  if (key === 'fieldSelector') {
    const fields = value.split(',').map((term) => term.split(/!?==?/)[0]);
    return `fieldSelector(${fields.sort().join()})`;
  }
  return key;
}

function formOf(method: string, contentType: string | undefined): string {
  if (contentType === 'application/vnd.kubernetes.protobuf') return 'as protobuf';
  if (method !== 'PATCH' || contentType === undefined) return '';
  return `as ${/application\/(\w+)/.exec(contentType)?.[1] ?? contentType}`;
}

function askedForm(accept: string | undefined): string {
  const form = /;as=(\w+)/.exec(accept ?? '')?.[1];
  return form === undefined ? '' : `answered as ${form}`;
}

/** Paths of discovery and health, without the names of groups. */
function shapeOf(pathname: string): string {
  const [, root, group, version] = pathname.split('/');
  if (root === 'apis' && group) return version ? '/apis/GROUP/VERSION' : '/apis/GROUP';
  if (pathname.startsWith('/openapi/v3/')) return '/openapi/v3/DOCUMENT';
  return pathname;
}
