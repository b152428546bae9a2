import type { Json, JsonObject } from '../json.ts';
import { listAt, objectAt, textAt, textsAt } from '../object-fields.ts';
import { labelSelectorOf } from '../selectors.ts';
import type { Storage } from '../storage/storage.ts';
import { MASTERS, type User } from './user.ts';

/** One act that a user asks to do. */
export type Attributes =
  | {
      readonly kind: 'resource';
      readonly verb: string;
      readonly group: string;
      readonly plural: string;
      readonly subresource?: string;
      readonly namespace?: string;
      readonly name?: string;
    }
  | { readonly kind: 'path'; readonly verb: string; readonly path: string };

const GROUP = 'rbac.authorization.k8s.io';

/** Whether the roles that are bound to the user, in the namespace or in the whole cluster, allow the act. */
export function allows(storage: Storage, user: User, act: Attributes): boolean {
  if (user.groups.includes(MASTERS)) return true;
  const clusterRules = boundRules(storage, user, undefined);
  if (clusterRules.some((rule) => covers(rule, act))) return true;
  if (act.kind === 'path' || act.namespace === undefined) return false;
  return boundRules(storage, user, act.namespace).some((rule) => covers(rule, act));
}

function boundRules(storage: Storage, user: User, namespace: string | undefined): readonly Json[] {
  const bindings = namespace === undefined ? 'clusterrolebindings' : 'rolebindings';
  return storage
    .collection(`${bindings}.${GROUP}`)
    .list(namespace)
    .filter((binding) => listAt(binding, 'subjects').some((subject) => isSubject(user, subject, namespace)))
    .flatMap((binding) => rulesOf(storage, objectAt(binding, 'roleRef'), namespace));
}

function rulesOf(storage: Storage, roleRef: JsonObject, namespace: string | undefined): readonly Json[] {
  const name = textAt(roleRef, 'name') ?? '';
  if (textAt(roleRef, 'kind') === 'Role') {
    return listAt(storage.collection(`roles.${GROUP}`).get(`${namespace ?? ''}/${name}`), 'rules');
  }
  const clusterRoles = storage.collection(`clusterroles.${GROUP}`);
  const role = clusterRoles.get(name);
  const selectors = listAt(role, 'aggregationRule', 'clusterRoleSelectors');
  // A controller copies the selected rules on a whole cluster; here they are read where they stand.
  const aggregated = selectors.flatMap((selector) => {
    const matches = labelSelectorOf(selector);
    if (!matches.ok) return [];
    return clusterRoles
      .list()
      .filter(({ metadata }) => matches.value(objectAt(metadata, 'labels') as Readonly<Record<string, string>>))
      .flatMap((one) => listAt(one, 'rules'));
  });
  return [...listAt(role, 'rules'), ...aggregated];
}

function isSubject(user: User, subject: Json, namespace: string | undefined): boolean {
  const name = textAt(subject, 'name') ?? '';
  switch (textAt(subject, 'kind')) {
    case 'User':
      return name === user.username;
    case 'Group':
      return user.groups.includes(name);
    case 'ServiceAccount':
      return user.username === `system:serviceaccount:${textAt(subject, 'namespace') ?? namespace ?? ''}:${name}`;
    default:
      return false;
  }
}

function covers(rule: Json, act: Attributes): boolean {
  if (!holds(textsAt(rule, 'verbs'), act.verb)) return false;
  if (act.kind === 'path') return textsAt(rule, 'nonResourceURLs').some((pattern) => matchesPath(pattern, act.path));
  if (!holds(textsAt(rule, 'apiGroups'), act.group)) return false;
  const resources = textsAt(rule, 'resources');
  const wanted = act.subresource === undefined ? act.plural : `${act.plural}/${act.subresource}`;
  const covered =
    holds(resources, wanted) || (act.subresource !== undefined && resources.includes(`*/${act.subresource}`));
  if (!covered) return false;
  const names = textsAt(rule, 'resourceNames');
  return names.length === 0 || (act.name !== undefined && names.includes(act.name));
}

function holds(values: readonly string[], value: string): boolean {
  return values.includes('*') || values.includes(value);
}

function matchesPath(pattern: string, path: string): boolean {
  return pattern === '*' || pattern === path || (pattern.endsWith('*') && path.startsWith(pattern.slice(0, -1)));
}

/** `User "u" cannot get resource "secrets" in API group "" in the namespace "ns"`: why an act is forbidden. */
export function refusalText(user: User, act: Attributes): string {
  if (act.kind === 'path') return `User "${user.username}" cannot ${act.verb} path "${act.path}"`;
  const resource = act.subresource === undefined ? act.plural : `${act.plural}/${act.subresource}`;
  const where = act.namespace === undefined ? 'at the cluster scope' : `in the namespace "${act.namespace}"`;
  return `User "${user.username}" cannot ${act.verb} resource "${resource}" in API group "${act.group}" ${where}`;
}
