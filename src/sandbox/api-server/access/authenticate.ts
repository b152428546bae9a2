import type { IncomingMessage } from 'node:http';
import type { TLSSocket } from 'node:tls';
import { unauthorized } from '../status.ts';
import type { Tokens } from './tokens.ts';
import { ANONYMOUS, AUTHENTICATED, type User } from './user.ts';

/**
 * Who sent the request: by client certificate, then by bearer token; with neither, nobody in particular.
 * @throws {StatusError} 401 for a token or certificate that is not good
 */
export function authenticate(request: IncomingMessage, tokens: Tokens): User {
  const socket = request.socket as TLSSocket;
  const presented = certificateUser(socket);
  if (presented === 'refused') throw unauthorized();
  if (presented !== undefined) return presented;
  const header = request.headers.authorization;
  if (header === undefined) return ANONYMOUS;
  const match = /^Bearer +(\S+)$/i.exec(header);
  // Other ways to log in are switched off, and so nobody in particular asks.
  if (match?.[1] === undefined) return ANONYMOUS;
  const user = tokens.userOf(match[1]);
  if (user === undefined) throw unauthorized();
  return user;
}

/** A connection has one certificate; reading it at each request would cost more than the rest of it. */
const presentedOn = new WeakMap<TLSSocket, User | 'refused' | 'none'>();

function certificateUser(socket: TLSSocket): User | 'refused' | undefined {
  const known = presentedOn.get(socket) ?? readCertificate(socket) ?? 'none';
  presentedOn.set(socket, known);
  return known === 'none' ? undefined : known;
}

function readCertificate(socket: TLSSocket): User | 'refused' | undefined {
  const certificate = socket.getPeerCertificate();
  // An empty object where the client has shown none.
  if (certificate?.subject === undefined) return undefined;
  if (!socket.authorized) return 'refused';
  const { CN, O } = certificate.subject as { readonly CN?: string | string[]; readonly O?: string | string[] };
  const [username] = [CN ?? []].flat();
  if (username === undefined) return 'refused';
  return { username, groups: [...[O ?? []].flat(), AUTHENTICATED] };
}
