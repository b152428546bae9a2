import { apiVersionOf, type KubeObject, type ObjectRef, type Resource } from './resource.ts';

/**
 * Requests to the Kubernetes API as plain values: what the API wants is known here and testable with no
 * server; how bytes travel is known in `transport.ts`.
 */
export interface KubeRequest {
  readonly verb: Verb;
  /** What the request is about, for counting; undefined for paths such as `/version`. */
  readonly resource: Resource | undefined;
  readonly method: 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Encoded, with no query. */
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'replace' | 'patch' | 'apply' | 'delete';

/** True for requests that may change something, so that a lost answer leaves their outcome unknown. */
export function isWrite(verb: Verb): boolean {
  return verb !== 'get' && verb !== 'list' && verb !== 'watch';
}

/** Which objects a list or watch covers. No namespace means all of them. */
export interface Selection {
  readonly namespace?: string;
  readonly labelSelector?: string;
  readonly fieldSelector?: string;
  /** Ask for metadata only; cheap change detection. */
  readonly metadataOnly?: boolean;
}

export interface PageOptions {
  /** Objects per page. */
  readonly limit?: number;
  readonly continue?: string;
  readonly resourceVersion?: string;
}

export interface WatchOptions {
  /** Start after this version. Undefined together with `sendInitialEvents` means "now". */
  readonly resourceVersion?: string;
  /** Stream the present objects first, then a bookmark annotated `k8s.io/initial-events-end`. */
  readonly sendInitialEvents?: boolean;
  /** After this time the server closes the watch. */
  readonly timeoutSeconds?: number;
}

export interface WriteOptions {
  readonly fieldManager?: string;
  /** Let the server validate and answer, but store nothing. */
  readonly dryRun?: boolean;
}

export interface ApplyOptions extends WriteOptions {
  readonly fieldManager: string;
  /** Take over fields that another manager owns, instead of a 409 that names it. */
  readonly force?: boolean;
}

export interface DeleteOptions {
  /** The delete is refused (409) if the object is another one by now. */
  readonly uid?: string;
  readonly resourceVersion?: string;
  readonly propagationPolicy?: 'Foreground' | 'Background' | 'Orphan';
  readonly gracePeriodSeconds?: number;
}

/** One operation of a JSON patch (RFC 6902). */
export type JsonPatchOperation =
  | { readonly op: 'add' | 'replace' | 'test'; readonly path: string; readonly value: unknown }
  | { readonly op: 'remove'; readonly path: string }
  | { readonly op: 'move' | 'copy'; readonly from: string; readonly path: string };

const JSON_TYPE = 'application/json';
const ACCEPT: Readonly<Record<string, string>> = { accept: JSON_TYPE };
const METADATA_ONLY: Readonly<Record<string, string>> = {
  accept: 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1',
};
const METADATA_LIST_ONLY: Readonly<Record<string, string>> = {
  accept: 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1',
};

export function get(
  resource: Resource,
  ref: ObjectRef,
  options: { readonly metadataOnly?: boolean } = {},
): KubeRequest {
  const headers = options.metadataOnly === true ? METADATA_ONLY : ACCEPT;
  return { verb: 'get', resource, method: 'GET', path: objectPath(resource, ref), query: {}, headers };
}

/** A path with no resource: `/version`, `/readyz`. */
export function getPath(path: string): KubeRequest {
  return { verb: 'get', resource: undefined, method: 'GET', path, query: {}, headers: { accept: '*/*' } };
}

export function list(resource: Resource, selection: Selection = {}, page: PageOptions = {}): KubeRequest {
  const query: Record<string, string> = selectors(selection);
  if (page.limit !== undefined) query['limit'] = String(page.limit);
  if (page.continue !== undefined) query['continue'] = page.continue;
  // The server refuses a continue token together with a resourceVersion.
  else if (page.resourceVersion !== undefined) query['resourceVersion'] = page.resourceVersion;
  const headers = selection.metadataOnly === true ? METADATA_LIST_ONLY : ACCEPT;
  return { verb: 'list', resource, method: 'GET', path: collectionPath(resource, selection.namespace), query, headers };
}

export function watch(resource: Resource, selection: Selection = {}, options: WatchOptions = {}): KubeRequest {
  // Without bookmarks a quiet watch falls out of the server's window and every reconnect becomes a re-list.
  const query: Record<string, string> = { ...selectors(selection), watch: 'true', allowWatchBookmarks: 'true' };
  if (options.sendInitialEvents === true) {
    query['sendInitialEvents'] = 'true';
    query['resourceVersionMatch'] = 'NotOlderThan';
  }
  if (options.resourceVersion !== undefined) query['resourceVersion'] = options.resourceVersion;
  if (options.timeoutSeconds !== undefined) query['timeoutSeconds'] = String(options.timeoutSeconds);
  const headers = selection.metadataOnly === true ? METADATA_ONLY : ACCEPT;
  return {
    verb: 'watch',
    resource,
    method: 'GET',
    path: collectionPath(resource, selection.namespace),
    query,
    headers,
  };
}

export function create(resource: Resource, object: KubeObject, options: WriteOptions = {}): KubeRequest {
  const path = collectionPath(resource, namespaceOf(resource, object.metadata));
  return write('create', 'POST', resource, path, object, JSON_TYPE, options);
}

/** Conditional on the object's `metadata.resourceVersion` where it has one. */
export function replace(resource: Resource, object: KubeObject, options: WriteOptions = {}): KubeRequest {
  return write('replace', 'PUT', resource, objectPath(resource, object.metadata), object, JSON_TYPE, options);
}

export function replaceStatus(resource: Resource, object: KubeObject, options: WriteOptions = {}): KubeRequest {
  const path = `${objectPath(resource, object.metadata)}/status`;
  return write('replace', 'PUT', resource, path, object, JSON_TYPE, options);
}

/** RFC 7386. Put `metadata.resourceVersion` into the patch to make it conditional. */
export function mergePatch(
  resource: Resource,
  ref: ObjectRef,
  patch: unknown,
  options: WriteOptions & { readonly subresource?: 'status' } = {},
): KubeRequest {
  const path = objectPath(resource, ref) + (options.subresource === undefined ? '' : `/${options.subresource}`);
  return write('patch', 'PATCH', resource, path, patch, 'application/merge-patch+json', options);
}

/** RFC 6902. A `test` operation that does not hold refuses the whole patch. */
export function jsonPatch(
  resource: Resource,
  ref: ObjectRef,
  operations: readonly JsonPatchOperation[],
  options: WriteOptions & { readonly subresource?: 'status' } = {},
): KubeRequest {
  const path = objectPath(resource, ref) + (options.subresource === undefined ? '' : `/${options.subresource}`);
  return write('patch', 'PATCH', resource, path, operations, 'application/json-patch+json', options);
}

/**
 * Server-side apply: `object` holds exactly the fields that the manager owns. `metadata.resourceVersion`
 * in it makes the write conditional, `metadata.uid` forbids that a deleted object is created again.
 */
export function apply(resource: Resource, object: KubeObject, options: ApplyOptions): KubeRequest {
  return applyTo(resource, objectPath(resource, object.metadata), object, options);
}

export function applyStatus(resource: Resource, object: KubeObject, options: ApplyOptions): KubeRequest {
  return applyTo(resource, `${objectPath(resource, object.metadata)}/status`, object, options);
}

export function remove(resource: Resource, ref: ObjectRef, options: DeleteOptions = {}): KubeRequest {
  const { uid, resourceVersion, propagationPolicy, gracePeriodSeconds } = options;
  const preconditions = uid === undefined && resourceVersion === undefined ? undefined : { uid, resourceVersion };
  return {
    verb: 'delete',
    resource,
    method: 'DELETE',
    path: objectPath(resource, ref),
    query: {},
    headers: { accept: JSON_TYPE, 'content-type': JSON_TYPE },
    body: JSON.stringify({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions,
      propagationPolicy,
      gracePeriodSeconds,
    }),
  };
}

/** Path and query as they stand in the request line. */
export function requestTarget(request: KubeRequest): string {
  let target = request.path;
  let separator = '?';
  for (const name in request.query) {
    target += `${separator}${name}=${encodeURIComponent(request.query[name] ?? '')}`;
    separator = '&';
  }
  return target;
}

function applyTo(resource: Resource, path: string, object: KubeObject, options: ApplyOptions): KubeRequest {
  const request = write('apply', 'PATCH', resource, path, object, 'application/apply-patch+yaml', options);
  return { ...request, query: { ...request.query, force: String(options.force === true) } };
}

function write(
  verb: Verb,
  method: KubeRequest['method'],
  resource: Resource,
  path: string,
  content: unknown,
  contentType: string,
  options: WriteOptions,
): KubeRequest {
  const query: Record<string, string> = {};
  if (options.fieldManager !== undefined) query['fieldManager'] = options.fieldManager;
  if (options.dryRun === true) query['dryRun'] = 'All';
  // A patch is no object and carries no type; everything else needs one, and callers need not repeat it.
  const body =
    verb === 'patch'
      ? JSON.stringify(content)
      : JSON.stringify({ apiVersion: apiVersionOf(resource), kind: resource.kind, ...(content as KubeObject) });
  return { verb, resource, method, path, query, headers: { accept: JSON_TYPE, 'content-type': contentType }, body };
}

function selectors(selection: Selection): Record<string, string> {
  const query: Record<string, string> = {};
  if (selection.labelSelector !== undefined) query['labelSelector'] = selection.labelSelector;
  if (selection.fieldSelector !== undefined) query['fieldSelector'] = selection.fieldSelector;
  return query;
}

function collectionPath(resource: Resource, namespace: string | undefined): string {
  const root = resource.group === '' ? `/api/${resource.version}` : `/apis/${resource.group}/${resource.version}`;
  if (namespace === undefined) return `${root}/${resource.plural}`;
  if (!resource.namespaced) {
    throw new TypeError(`${resource.kind} is cluster-scoped: leave the namespace "${namespace}" out`);
  }
  return `${root}/namespaces/${segment(namespace)}/${resource.plural}`;
}

function objectPath(resource: Resource, ref: ObjectRef): string {
  return `${collectionPath(resource, namespaceOf(resource, ref))}/${segment(ref.name)}`;
}

function namespaceOf(resource: Resource, ref: ObjectRef): string | undefined {
  if (!resource.namespaced) return undefined;
  // Without this the request would silently go to the collection of all namespaces.
  if (ref.namespace === undefined) throw new TypeError(`${resource.kind} "${ref.name}" needs a namespace`);
  return ref.namespace;
}

/** A name from outside must not walk to another path. */
function segment(name: string): string {
  if (name === '' || name === '.' || name === '..') {
    throw new TypeError(`"${name}" cannot be the name of an object or a namespace`);
  }
  return encodeURIComponent(name);
}
