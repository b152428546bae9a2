import type { IncomingHttpHeaders } from 'node:http';
import { quoted } from '../go-text.ts';
import { badRequest } from '../status.ts';
import type { Storage } from '../storage/storage.ts';
import { forbiddenAct } from './forbidden-act.ts';
import { type Attributes, allows } from './rbac.ts';
import { serviceAccountUser } from './tokens.ts';
import { ANONYMOUS, AUTHENTICATED, type User } from './user.ts';

/**
 * As whom a request acts: who sent it, or whom its headers name (`kubectl --as`), if the sender may `impersonate` him.
 * Rights to do so for single acts are not known here.
 * @throws {StatusError} 403 where the sender may not, and 400 for a uid or extra fields, which are not known either
 */
export function actingUser(sender: User, headers: IncomingHttpHeaders, act: Attributes, storage: Storage): User {
  const asked = Object.keys(headers).filter((name) => name.startsWith('impersonate-'));
  if (asked.length === 0) return sender;
  const unknown = asked.find((name) => name !== 'impersonate-user' && name !== 'impersonate-group');
  if (unknown !== undefined) throw badRequest(`the header ${unknown} is not known to this API server`);
  const username = valuesOf(headers['impersonate-user']).join();
  const groups = valuesOf(headers['impersonate-group']);
  if (username === '') {
    const printed = `Name:"", UID:"", Groups:[]string{${groups.map(quoted).join(', ')}}, Extra:map[string][]string(nil)`;
    throw badRequest(`requested &user.DefaultInfo{${printed}} without impersonating a user name`);
  }
  const account = accountOf(username);
  const whom = account === undefined ? { plural: 'users', name: username } : { plural: 'serviceaccounts', ...account };
  const may = [whom, ...groups.map((name) => ({ plural: 'groups', name }))].every((one) =>
    allows(storage, sender, { kind: 'resource', verb: 'impersonate', group: '', ...one }),
  );
  // A real server then looks for the right to do this one act in his name, and tells of that.
  const single = account === undefined ? 'user-info' : 'serviceaccount';
  if (!may) throw forbiddenAct(sender, { ...act, verb: `impersonate-on:${single}:${act.verb}` });
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
