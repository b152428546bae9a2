import { randomUUID } from 'node:crypto';
import type { Cluster } from '../cluster.ts';
import { timestamp } from '../cluster.ts';
import type { JsonObject } from '../json.ts';
import { objectAt, textAt, textsAt } from '../object-fields.ts';
import { invalid, notFound } from '../status.ts';
import { type Attributes, allows } from './rbac.ts';
import type { Tokens } from './tokens.ts';
import { AUTHENTICATED, type User } from './user.ts';

/** Kinds that are only posted: a question in, the same with its answer out. Nothing is stored. */
export interface ReviewKind {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly namespaced?: true;
  readonly answer: (review: JsonObject, asker: Asker) => JsonObject;
}

export interface Asker {
  readonly cluster: Cluster;
  readonly tokens: Tokens;
  readonly user: User;
}

const authorization = 'authorization.k8s.io';
const authentication = 'authentication.k8s.io';

export const REVIEW_KINDS: readonly ReviewKind[] = [
  {
    group: authorization,
    kind: 'SelfSubjectAccessReview',
    plural: 'selfsubjectaccessreviews',
    answer: (review, { cluster, user }) => accessStatus(cluster, user, objectAt(review, 'spec')),
  },
  {
    group: authorization,
    kind: 'SubjectAccessReview',
    plural: 'subjectaccessreviews',
    answer: (review, { cluster }) => {
      const spec = objectAt(review, 'spec');
      const user = { username: textAt(spec, 'user') ?? '', groups: textsAt(spec, 'groups') };
      return accessStatus(cluster, user, spec);
    },
  },
  {
    group: authentication,
    kind: 'SelfSubjectReview',
    plural: 'selfsubjectreviews',
    answer: (_, { user }) => ({ userInfo: userInfo(user) }),
  },
  {
    group: authentication,
    kind: 'TokenReview',
    plural: 'tokenreviews',
    answer: (review, { tokens }) => {
      const user = tokens.userOf(textAt(review, 'spec', 'token') ?? '');
      if (user === undefined) return { user: {}, error: 'invalid bearer token' };
      return { authenticated: true, user: userInfo(user) };
    },
  },
];

function accessStatus(cluster: Cluster, user: User, spec: JsonObject): JsonObject {
  const allowed = allows(cluster.storage, user, attributesOf(spec));
  return allowed ? { allowed } : { allowed, reason: 'no role that is bound to the user allows it' };
}

function attributesOf(spec: JsonObject): Attributes {
  const path = textAt(spec, 'nonResourceAttributes', 'path');
  if (path !== undefined) {
    return { kind: 'path', verb: textAt(spec, 'nonResourceAttributes', 'verb') ?? '', path };
  }
  const about = objectAt(spec, 'resourceAttributes');
  const text = (field: string): string => textAt(about, field) ?? '';
  return {
    kind: 'resource',
    verb: text('verb'),
    group: text('group'),
    plural: text('resource'),
    ...(text('subresource') === '' ? {} : { subresource: text('subresource') }),
    ...(text('namespace') === '' ? {} : { namespace: text('namespace') }),
    ...(text('name') === '' ? {} : { name: text('name') }),
  };
}

function userInfo({ username, groups, uid }: User): JsonObject {
  return { username, ...(uid === undefined ? {} : { uid }), groups: groups.length === 0 ? [AUTHENTICATED] : groups };
}

const SHORTEST_TOKEN_SECONDS = 600;

/** POST to a service account's `token`. */
export function answerTokenRequest(review: JsonObject, namespace: string, name: string, asker: Asker): JsonObject {
  const { cluster, tokens } = asker;
  const account = cluster.storage.collection('serviceaccounts').get(`${namespace}/${name}`);
  if (account === undefined) throw notFound({ group: '', plural: 'serviceaccounts' }, name);
  const asked = objectAt(review, 'spec')['expirationSeconds'];
  const expirationSeconds = typeof asked === 'number' ? asked : 3600;
  if (expirationSeconds < SHORTEST_TOKEN_SECONDS) {
    const subject = { group: authentication, plural: 'tokenrequests', kind: 'TokenRequest' };
    throw invalid(subject, '', [
      {
        field: 'spec.expirationSeconds',
        reason: 'FieldValueInvalid',
        message: `Invalid value: ${expirationSeconds}: may not specify a duration less than 10 minutes`,
      },
    ]);
  }
  const audiences = textsAt(review, 'spec', 'audiences');
  const issued = tokens.issue({ namespace, name, uid: account.metadata.uid, audiences, expirationSeconds });
  return {
    apiVersion: `${authentication}/v1`,
    kind: 'TokenRequest',
    metadata: { name, namespace, uid: randomUUID(), creationTimestamp: timestamp(cluster.clock) },
    spec: { boundObjectRef: null, ...objectAt(review, 'spec'), audiences: issued.audiences, expirationSeconds },
    status: { token: issued.token, expirationTimestamp: `${new Date(issued.expiresAtMs).toISOString().slice(0, 19)}Z` },
  };
}
