import type { User } from '../access/user.ts';
import type { Cluster } from '../cluster.ts';
import type { AnswerForm } from '../http/negotiate.ts';
import type { ResourceRequest } from '../http/request-info.ts';
import type { Json } from '../json.ts';
import { fieldError } from '../kinds/field-errors.ts';
import type { ServedKind } from '../kinds/kind.ts';
import { invalidOptions } from '../status.ts';
import type { Collection } from '../storage/storage.ts';

/** One request for a resource, ready to be carried out. */
export interface ResourceCall {
  readonly cluster: Cluster;
  readonly kind: ServedKind;
  readonly info: ResourceRequest;
  readonly query: URLSearchParams;
  readonly form: AnswerForm;
  readonly body: string;
  /** Without parameters; empty where the request has none. */
  readonly contentType: string;
  readonly user: User;
  readonly userAgent: string;
}

/** The answer to anything but a watch. */
export interface CallAnswer {
  readonly code: number;
  readonly body: AnswerBody;
  /** Sent as `Warning` headers. */
  readonly warnings?: readonly string[];
}

/** JSON text that is ready is sent as it is: objects are encoded once, however often they are read. */
export type AnswerBody = { readonly value: Json | object } | { readonly text: string };

export function collectionOf(call: ResourceCall): Collection {
  return call.cluster.storage.collection(call.kind.collection);
}

export function isDryRun(call: ResourceCall): boolean {
  const values = call.query.getAll('dryRun').filter((value) => value !== '');
  if (values.some((value) => value !== 'All')) {
    throw invalidOptions(optionsKind(call), [fieldError.notSupported('dryRun', values, ['All'])]);
  }
  return values.length > 0;
}

/** `fieldManager` of the request, or what stands before the slash of its user agent. */
export function managerOf({ query, userAgent }: Pick<ResourceCall, 'query' | 'userAgent'>): string {
  const given = query.get('fieldManager');
  if (given !== null && given !== '') return given;
  return userAgent.split('/', 1)[0] || 'unknown';
}

/** How an error about the request's own options names them. */
export function optionsKind({ info }: ResourceCall): string {
  switch (info.verb) {
    case 'create':
      return 'CreateOptions';
    case 'update':
      return 'UpdateOptions';
    case 'patch':
      return 'PatchOptions';
    default:
      return 'DeleteOptions';
  }
}
