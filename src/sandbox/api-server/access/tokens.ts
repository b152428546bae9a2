import { createHash, generateKeyPairSync, type KeyObject, randomUUID, sign, verify } from 'node:crypto';
import type { Clock } from '../../../controller/clock.ts';
import type { JsonObject } from '../json.ts';
import { objectAt, textAt, textsAt } from '../object-fields.ts';
import type { Storage } from '../storage/storage.ts';
import { AUTHENTICATED, MASTERS, type User } from './user.ts';

export const ISSUER = 'https://kubernetes.default.svc';
const DEFAULT_AUDIENCE = ISSUER;
const mostChecked = 1_000;

export interface AccountToken {
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly audiences: readonly string[];
  readonly expirationSeconds: number;
}

export interface IssuedToken {
  readonly token: string;
  readonly expiresAtMs: number;
  readonly audiences: readonly string[];
}

/** Bearer tokens of one cluster: the administrator's, and signed ones of service accounts. */
export interface Tokens {
  issue(account: AccountToken): IssuedToken;
  /** Undefined for a token that is none, has run out, or whose account is gone or another one. */
  userOf(token: string): User | undefined;
}

export function createTokens(adminToken: string, storage: Storage, clock: Clock): Tokens {
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  // Compared by digest, so that the time of the comparison tells nothing about the token.
  const adminDigest = digestOf(adminToken);
  // A client shows one token with every request, and a signature takes longer to check than most requests to answer.
  const checked = new Map<string, JsonObject>();
  const claimsOf = (token: string): JsonObject | undefined => {
    const known = checked.get(token);
    if (known !== undefined) return known;
    const claims = verified(token, publicKey);
    if (claims === undefined) return undefined;
    if (checked.size >= mostChecked) checked.clear();
    checked.set(token, claims);
    return claims;
  };
  return {
    issue(account) {
      const nowSeconds = Math.floor(clock.nowMs() / 1000);
      const expires = nowSeconds + account.expirationSeconds;
      const audiences = account.audiences.length === 0 ? [DEFAULT_AUDIENCE] : account.audiences;
      const { namespace, name, uid } = account;
      const claims = {
        aud: audiences,
        exp: expires,
        iat: nowSeconds,
        iss: ISSUER,
        jti: randomUUID(),
        'kubernetes.io': { namespace, serviceaccount: { name, uid } },
        nbf: nowSeconds,
        sub: `system:serviceaccount:${namespace}:${name}`,
      };
      return { token: signed(claims, privateKey), expiresAtMs: expires * 1000, audiences };
    },
    userOf(token) {
      const isAdmin = !checked.has(token) && digestOf(token) === adminDigest;
      if (isAdmin) return { username: 'admin', groups: [MASTERS, AUTHENTICATED], uid: 'admin' };
      const claims = claimsOf(token);
      if (claims === undefined || Number(claims['exp']) * 1000 <= clock.nowMs()) return undefined;
      if (!textsAt(claims, 'aud').includes(DEFAULT_AUDIENCE)) return undefined;
      return accountUser(claims, storage);
    },
  };
}

function accountUser(claims: JsonObject, storage: Storage): User | undefined {
  const about = objectAt(claims, 'kubernetes.io');
  const namespace = textAt(about, 'namespace') ?? '';
  const name = textAt(about, 'serviceaccount', 'name') ?? '';
  const uid = textAt(about, 'serviceaccount', 'uid') ?? '';
  const account = storage.collection('serviceaccounts').get(`${namespace}/${name}`);
  if (account === undefined || account.metadata.uid !== uid) return undefined;
  return { ...serviceAccountUser(namespace, name), uid };
}

export function serviceAccountUser(namespace: string, name: string): User {
  return {
    username: `system:serviceaccount:${namespace}:${name}`,
    groups: ['system:serviceaccounts', `system:serviceaccounts:${namespace}`, AUTHENTICATED],
  };
}

function digestOf(token: string): string {
  return createHash('sha256').update(token).digest('hex');
}

function signed(claims: object, key: KeyObject): string {
  const encode = (value: object): string => Buffer.from(JSON.stringify(value)).toString('base64url');
  const content = `${encode({ alg: 'ES256', typ: 'JWT' })}.${encode(claims)}`;
  const signature = sign('sha256', Buffer.from(content), { key, dsaEncoding: 'ieee-p1363' });
  return `${content}.${signature.toString('base64url')}`;
}

function verified(token: string, key: KeyObject): JsonObject | undefined {
  const [head, body, signature] = token.split('.');
  if (head === undefined || body === undefined || signature === undefined) return undefined;
  const content = Buffer.from(`${head}.${body}`);
  const options = { key, dsaEncoding: 'ieee-p1363' } as const;
  if (!verify('sha256', content, options, Buffer.from(signature, 'base64url'))) return undefined;
  try {
    return JSON.parse(Buffer.from(body, 'base64url').toString('utf8')) as JsonObject;
  } catch {
    return undefined;
  }
}
