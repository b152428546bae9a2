import { type Asker, answerTokenRequest, REVIEW_KINDS, type ReviewKind } from '../access/reviews.ts';
import { timestamp } from '../cluster.ts';
import { servesForm } from '../forms/answer-object.ts';
import { apiVersionOfKind, hasStatus, type ServedKind } from '../kinds/kind.ts';
import { withUpdateRecorded } from '../patch/record-update.ts';
import { DEDUCED } from '../patch/shape.ts';
import { methodNotAllowed, resourceNotFound } from '../status.ts';
import { type CallAnswer, managerOf, type ResourceCall } from '../verbs/call.ts';
import { createObject } from '../verbs/create.ts';
import { finalizeNamespace } from '../verbs/finalize-namespace.ts';
import { listObjects } from '../verbs/list.ts';
import { patchObject } from '../verbs/patch.ts';
import { readObject } from '../verbs/read-object.ts';
import { removeCollection, removeObject } from '../verbs/remove.ts';
import { replaceObject } from '../verbs/update.ts';
import { prepareWatch } from '../verbs/watch.ts';
import { jsonAnswer } from './answer.ts';
import { answerPath } from './answer-path.ts';
import { negotiate } from './negotiate.ts';
import { nothingThere, pageNotFound } from './not-found.ts';
import { parseObject } from './read-request.ts';
import type { ResourceRequest } from './request-info.ts';
import type { Outcome, RoutedRequest } from './routed-request.ts';

/** Finds what a request that is allowed is to do, and does it. */
export async function route(request: RoutedRequest): Promise<Outcome> {
  const { info, parts } = request;
  if (info.kind === 'path') return answerPath(request, info.path);
  const kind = parts.cluster.registry.find(info.group, info.version, info.plural);
  if (kind !== undefined) return onResource(request, info, kind);
  const review = REVIEW_KINDS.find((one) => one.group === info.group && one.plural === info.plural);
  if (review !== undefined && info.version === 'v1') return onReview(request, info, review);
  return nothingThere(request, info.group);
}

async function onResource(request: RoutedRequest, info: ResourceRequest, kind: ServedKind): Promise<Outcome> {
  const { parts, body, contentType, query, user, userAgent, accept } = request;
  const form = negotiate(accept, servesForm, kind.custom);
  // Of a namespace itself the path names it twice; an object that is cluster-wide stands in none.
  const place = kind.namespaced || info.namespace === undefined ? info : withoutNamespace(info);
  const call: ResourceCall = {
    cluster: parts.cluster,
    kind,
    info: place,
    query,
    form,
    body,
    contentType,
    user,
    userAgent,
  };
  if (!kind.namespaced && info.namespace !== undefined && kind.collection !== 'namespaces') return pageNotFound();
  if (info.verb === 'watch') return { watch: prepareWatch(call) };
  const answer = info.subresource === undefined ? await onObject(call) : await onSubresource(call, asker(request));
  if (answer === undefined) throw resourceNotFound();
  return jsonAnswer(answer.code, answer.body, form, answer.warnings);
}

function withoutNamespace(info: ResourceRequest): ResourceRequest {
  const { namespace: _, ...rest } = info;
  return rest;
}

async function onObject(call: ResourceCall): Promise<CallAnswer> {
  switch (call.info.verb) {
    case 'get':
      return readObject(call);
    case 'list':
      return listObjects(call);
    case 'create':
      if (call.info.name !== undefined) throw methodNotAllowed();
      return createObject(call);
    case 'update':
      if (call.info.name === undefined) throw methodNotAllowed();
      return replaceObject(call);
    case 'patch':
      if (call.info.name === undefined) throw methodNotAllowed();
      return patchObject(call);
    case 'delete':
      return removeObject(call);
    case 'deletecollection':
      return removeCollection(call);
    default:
      throw methodNotAllowed();
  }
}

async function onSubresource(call: ResourceCall, asker: Asker): Promise<CallAnswer | undefined> {
  const { kind, info } = call;
  if (info.subresource === 'status' && hasStatus(kind)) {
    if (info.verb === 'get' || info.verb === 'update' || info.verb === 'patch') return onObject(call);
    throw methodNotAllowed();
  }
  if (!kind.subresources.some(({ name }) => name === info.subresource)) return undefined;
  if (info.subresource === 'finalize' && info.verb === 'update') return finalizeNamespace(call);
  if (info.subresource === 'token' && info.verb === 'create') {
    const review = call.body.trim() === '' ? {} : parseObject(call.body, call.contentType, 'TokenRequest', false);
    return { code: 201, body: { value: answerTokenRequest(review, info.namespace ?? '', info.name ?? '', asker) } };
  }
  throw methodNotAllowed();
}

function onReview(request: RoutedRequest, info: ResourceRequest, review: ReviewKind): Outcome {
  if (info.verb !== 'create') throw methodNotAllowed();
  const form = negotiate(request.accept, () => false);
  const posted = parseObject(request.body, request.contentType, review.kind, false);
  const apiVersion = apiVersionOfKind({ group: review.group, version: 'v1' });
  const { spec } = posted;
  const next = { apiVersion, kind: review.kind, metadata: {}, ...(spec === undefined ? {} : { spec }) };
  // It is stored nowhere, and has owners all the same.
  const writer = { manager: managerOf(request), apiVersion, time: timestamp(request.parts.cluster.clock) };
  const owned = withUpdateRecorded({ live: undefined, next, shape: DEDUCED, blank: { spec: {} }, writer });
  const value = { ...owned, status: review.answer(posted, asker(request)) };
  return jsonAnswer(201, { value }, form);
}

function asker({ parts, user }: RoutedRequest): Asker {
  return { cluster: parts.cluster, tokens: parts.tokens, user };
}
