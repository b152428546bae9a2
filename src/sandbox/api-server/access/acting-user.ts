import type { IncomingHttpHeaders } from 'node:http';
import { badRequest, forbidden, internalError } from '../status.ts';
import type { Storage } from '../storage/storage.ts';
import { allows, refusalText } from './rbac.ts';
import { serviceAccountUser } from './tokens.ts';
import { ANONYMOUS, AUTHENTICATED, type User } from './user.ts';

/**
 * As whom a request acts: who sent it, or whom its headers name (`kubectl --as`), if the sender's roles let him.
 * @throws {StatusError} 403 where they do not, and 400 for a uid or extra fields, which are not known here
 */
export function actingUser(sender: User, headers: IncomingHttpHeaders, storage: Storage): User {
  const asked = Object.keys(headers).filter((name) => name.startsWith('impersonate-'));
  if (asked.length === 0) return sender;
  const unknown = asked.find((name) => name !== 'impersonate-user' && name !== 'impersonate-group');
  if (unknown !== undefined) throw badRequest(`the header ${unknown} is not known to this API server`);
  const username = valuesOf(headers['impersonate-user']).join();
  const groups = valuesOf(headers['impersonate-group']);
  if (username === '') throw internalError('requested groups without impersonating a user');
  const account = accountOf(username);
  const whom = account === undefined ? { plural: 'users', name: username } : { plural: 'serviceaccounts', ...account };
  for (const one of [whom, ...groups.map((name) => ({ plural: 'groups', name }))]) {
    const act = { kind: 'resource', verb: 'impersonate', group: '', ...one } as const;
    if (!allows(storage, sender, act)) throw forbidden(act, one.name, refusalText(sender, act));
  }
  const everybody = username === ANONYMOUS.username ? ANONYMOUS.groups : [AUTHENTICATED];
  if (groups.length > 0 || account === undefined) return { username, groups: [...new Set([...groups, ...everybody])] };
  return serviceAccountUser(account.namespace, account.name);
}

function accountOf(username: string): { readonly namespace: string; readonly name: string } | undefined {
  const [, namespace, name] = /^system:serviceaccount:([^:]+):([^:]+)$/.exec(username) ?? [];
  return namespace === undefined || name === undefined ? undefined : { namespace, name };
}

/** Node joins what was sent several times. */
function valuesOf(header: string | readonly string[] | undefined): readonly string[] {
  return [header ?? []]
    .flat()
    .flatMap((values) => values.split(', '))
    .filter((value) => value !== '');
}
