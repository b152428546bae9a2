import type { IncomingMessage, ServerResponse } from 'node:http';
import { actingUser } from '../access/acting-user.ts';
import { authenticate } from '../access/authenticate.ts';
import { forbiddenAct } from '../access/forbidden-act.ts';
import { allows } from '../access/rbac.ts';
import { ANONYMOUS, type User } from '../access/user.ts';
import type { Cluster } from '../cluster.ts';
import type { FaultAnswer, FaultEffect, RequestOnItsWay } from '../faults.ts';
import { tellRequest } from '../request-seen.ts';
import { internalError, StatusError } from '../status.ts';
import { type ReadyAnswer, send, statusAnswer } from './answer.ts';
import { contentOf, mediaType, readBody } from './read-request.ts';
import { type RequestInfo, requestInfo } from './request-info.ts';
import { route } from './route.ts';
import type { Outcome, ServeParts } from './routed-request.ts';
import { watchSink } from './watch-sink.ts';

/** One request from its arrival to its answer: body, user, faults, rights, and then the act itself. */
export async function serve(parts: ServeParts, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const { cluster, faults } = parts;
  const startedMs = cluster.clock.monotonicMs();
  const url = new URL(request.url ?? '/', 'https://localhost');
  const info = requestInfo(request.method ?? 'GET', url.pathname, url.searchParams);
  let user: User = ANONYMOUS;
  let seen = onItsWay(request, url, info, user);
  const tell = (code: number): void => {
    const durationMs = cluster.clock.monotonicMs() - startedMs;
    tellRequest({ ...seen, code, durationMs });
  };
  let outcome: Outcome | 'cut';
  try {
    const body = await readBody(request);
    user = actingUser(authenticate(request, parts.tokens), request.headers, info, cluster.storage);
    seen = onItsWay(request, url, info, user);
    const planned = await suffer(parts, seen, 'before');
    outcome = planned ?? (await carryOut(parts, { request, url, info, user, body }));
  } catch (error) {
    outcome = statusAnswer(asStatus(error));
  }
  if (outcome !== 'cut') outcome = (await suffer(parts, seen, 'after')) ?? outcome;
  if (outcome === 'cut') {
    request.socket.destroy();
    tell(0);
  } else if ('watch' in outcome) {
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-cache, private' });
    response.flushHeaders();
    tell(200);
    outcome.watch(watchSink(response, faults, seen));
  } else {
    send(response, outcome, request.method !== 'HEAD');
    tell(outcome.code);
  }
}

interface Arrived {
  readonly request: IncomingMessage;
  readonly url: URL;
  readonly info: RequestInfo;
  readonly user: User;
  readonly body: Buffer;
}

async function carryOut(parts: ServeParts, arrived: Arrived): Promise<Outcome> {
  const { info, user, url, request, body } = arrived;
  if (!allows(parts.cluster.storage, user, info)) throw forbiddenAct(user, info);
  const { text, contentType } = contentOf(body, request.headers['content-type']);
  return route({
    parts,
    info,
    user,
    query: url.searchParams,
    body: text,
    contentType,
    accept: request.headers.accept,
    userAgent: request.headers['user-agent'] ?? '',
  });
}

/** Lets the planted faults happen. @returns what takes the place of the answer, if anything */
async function suffer(
  { faults, cluster }: ServeParts,
  seen: RequestOnItsWay,
  when: 'before' | 'after',
): Promise<ReadyAnswer | 'cut' | undefined> {
  let instead: ReadyAnswer | 'cut' | undefined;
  for (const effect of faults.strike(seen, when)) instead = (await happen(effect, cluster)) ?? instead;
  return instead;
}

async function happen(effect: FaultEffect, cluster: Cluster): Promise<ReadyAnswer | 'cut' | undefined> {
  switch (effect.kind) {
    case 'latency':
      await cluster.clock.delay(effect.ms, cluster.signal).catch(() => undefined);
      return undefined;
    case 'silence':
      await effect.lifted;
      return undefined;
    case 'answer':
      return statusAnswer(plannedStatus(effect.answer));
    case 'disconnect':
      return 'cut';
    case 'lost-events':
      return undefined;
  }
}

const USUAL: Readonly<Record<number, readonly [string, string]>> = {
  401: ['Unauthorized', 'Unauthorized'],
  403: ['Forbidden', 'forbidden'],
  404: ['NotFound', 'the server could not find the requested resource'],
  409: ['Conflict', 'the object has been modified; please apply your changes to the latest version and try again'],
  410: ['Expired', 'The resourceVersion for the provided list is too old.'],
  429: ['TooManyRequests', 'too many requests, please try again later'],
  500: ['InternalError', 'Internal error occurred: planted fault'],
  503: ['ServiceUnavailable', 'the server is currently unable to handle the request'],
  504: ['Timeout', 'Timeout: request did not complete within the allotted timeout'],
};

function plannedStatus({ code, reason, message, retryAfterSeconds }: FaultAnswer): StatusError {
  const [usualReason, usualMessage] = USUAL[code] ?? ['', 'planted fault'];
  const details = retryAfterSeconds === undefined ? undefined : { retryAfterSeconds };
  return new StatusError(code, reason ?? usualReason, message ?? usualMessage, details);
}

function asStatus(error: unknown): StatusError {
  if (error instanceof StatusError) return error;
  return internalError(error instanceof Error ? error.message : 'a fault in the API server');
}

function onItsWay(request: IncomingMessage, url: URL, info: RequestInfo, user: User): RequestOnItsWay {
  return {
    verb: info.verb,
    method: request.method ?? '',
    path: url.pathname,
    query: Object.fromEntries(url.searchParams),
    ...(info.kind === 'path'
      ? {}
      : {
          group: info.group,
          version: info.version,
          resource: info.plural,
          ...(info.subresource === undefined ? {} : { subresource: info.subresource }),
          ...(info.namespace === undefined ? {} : { namespace: info.namespace }),
          ...(info.name === undefined ? {} : { name: info.name }),
        }),
    contentType: mediaType(request.headers['content-type']),
    accept: request.headers.accept ?? '',
    username: user.username,
    userAgent: request.headers['user-agent'] ?? '',
  };
}
