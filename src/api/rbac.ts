/**
 * What the operator may do, and no more: on the hub, and with the credentials it has for a runtime. Derived from a spec, so
 * that a fleet with other names gets rules for those.
 *
 * @module
 */
import type { Manifest } from './crd.ts';
import { CERTIFICATE, candidateSecretName, GATEWAY, GROUP, KYMA, RUNTIME_TRUST, TRUST_DOMAIN } from './names.ts';
import type { TrustDomainSpec } from './trust-domain.ts';

export interface PolicyRule {
  readonly apiGroups: readonly string[];
  readonly resources: readonly string[];
  readonly resourceNames?: readonly string[];
  readonly verbs: readonly string[];
}

/** Rules per namespace. */
export type NamespacedRules = Readonly<Record<string, readonly PolicyRule[]>>;

const read = ['get', 'list', 'watch'] as const;

const on = (
  group: string,
  resources: readonly string[],
  verbs: readonly string[],
  names?: readonly string[],
): PolicyRule => ({
  apiGroups: [group],
  resources,
  ...(names === undefined ? {} : { resourceNames: names }),
  verbs,
});

/** What the operator may do on the hub; nothing there needs a right for the whole cluster. */
function hubRules(spec: TrustDomainSpec, operatorNamespace: string): NamespacedRules {
  const rules: Record<string, PolicyRule[]> = {};
  const add = (namespace: string, ...more: readonly PolicyRule[]): void => {
    rules[namespace] = [...(rules[namespace] ?? []), ...more];
  };
  const { rootSecretRef, gatewaySecretRef, gatewayRef, issuer, runtimes } = spec;

  // Never a right to write the root Secret: nobody here has a reason to (S4).
  add(rootSecretRef.namespace, on('', ['secrets'], read, [rootSecretRef.name]));
  add(
    gatewaySecretRef.namespace,
    on('', ['secrets'], [...read, 'update'], [gatewaySecretRef.name, candidateSecretName(gatewaySecretRef.name)]),
    on('', ['secrets'], ['create']), // A right to create cannot be bound to a name.
    on('', ['pods', 'services'], ['list']),
  );
  // Client Secrets are selected by label and deleted with their runtime; neither right can be bound to names that are not
  // known beforehand.
  add(
    issuer.namespace,
    on('', ['secrets'], [...read, 'delete']),
    on(CERTIFICATE.group, [CERTIFICATE.plural], [...read, 'create', 'patch', 'delete']),
    on(CERTIFICATE.group, [`${CERTIFICATE.plural}/status`], ['update']),
  );
  add(gatewayRef.namespace, on(GATEWAY.group, [GATEWAY.plural], read));
  const fleet = runtimes.kyma?.namespace ?? runtimes.selector?.namespace ?? operatorNamespace;
  if (runtimes.kyma !== undefined) {
    add(runtimes.kyma.namespace, on(KYMA.group, [KYMA.plural], read));
    add(runtimes.kyma.kubeconfigNamespace, on('', ['secrets'], read));
  }
  if (runtimes.selector !== undefined) add(runtimes.selector.namespace, on('', ['secrets'], read));
  add(
    fleet,
    on(GROUP, [RUNTIME_TRUST.plural], [...read, 'create', 'delete']),
    on(GROUP, [`${RUNTIME_TRUST.plural}/status`], ['update']),
    on('events.k8s.io', ['events'], ['create', 'patch']),
  );
  add(
    operatorNamespace,
    on(GROUP, [TRUST_DOMAIN.plural], read),
    on(GROUP, [`${TRUST_DOMAIN.plural}/status`], ['update']),
    on('events.k8s.io', ['events'], ['create', 'patch']),
    on('coordination.k8s.io', ['leases'], ['get', 'create', 'update']),
  );
  return Object.fromEntries(Object.entries(rules).map(([namespace, list]) => [namespace, withoutRepeats(list)]));
}

/** What the credentials for a runtime must allow: by namespace, and for the whole cluster. */
function runtimeRules(spec: TrustDomainSpec): {
  readonly namespaced: NamespacedRules;
  readonly cluster: readonly PolicyRule[];
} {
  const { secret, webhook } = spec.runtimes;
  return {
    namespaced: {
      [secret.namespace]: [on('', ['secrets'], ['get', 'update'], [secret.name]), on('', ['secrets'], ['create'])],
    },
    cluster: [
      // Its uid tells one cluster from another.
      on('', ['namespaces'], ['get'], ['kube-system']),
      on('admissionregistration.k8s.io', ['validatingwebhookconfigurations'], ['get', 'update'], [webhook.name]),
    ],
  };
}

/** ServiceAccount, Roles and RoleBindings on the hub. */
export function hubRbac(spec: TrustDomainSpec, operatorNamespace: string): readonly Manifest[] {
  return [
    serviceAccount('keyturn', operatorNamespace),
    ...roles('keyturn', hubRules(spec, operatorNamespace), operatorNamespace),
  ];
}

/** The same in a runtime, for fleets whose kubeconfigs are not those of an administrator. */
export function runtimeRbac(spec: TrustDomainSpec): readonly Manifest[] {
  const { namespaced, cluster } = runtimeRules(spec);
  const { namespace } = spec.runtimes.secret;
  const name = 'keyturn';
  const clusterRole = 'keyturn-runtime';
  return [
    serviceAccount(name, namespace),
    ...roles(name, namespaced, namespace),
    { ...rbac('ClusterRole', clusterRole), rules: cluster },
    {
      ...rbac('ClusterRoleBinding', clusterRole),
      roleRef: roleRef('ClusterRole', clusterRole),
      subjects: [{ kind: 'ServiceAccount', name, namespace }],
    },
  ];
}

/** Rights of people: who may view or edit a namespace may do so with our resources. Records are the operator's alone. */
export function userRoles(): readonly Manifest[] {
  const aggregated = (to: string, rules: readonly PolicyRule[]): Manifest => ({
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: `keyturn-${to}`, labels: { [`rbac.authorization.k8s.io/aggregate-to-${to}`]: 'true' } },
    rules,
  });
  return [
    aggregated('view', [on(GROUP, [TRUST_DOMAIN.plural, RUNTIME_TRUST.plural], read)]),
    aggregated('edit', [on(GROUP, [TRUST_DOMAIN.plural], ['create', 'update', 'patch', 'delete'])]),
  ];
}

function roles(name: string, rules: NamespacedRules, accountNamespace: string): readonly Manifest[] {
  return Object.entries(rules).flatMap(([namespace, list]) => [
    { ...rbac('Role', name, namespace), rules: list },
    {
      ...rbac('RoleBinding', name, namespace),
      roleRef: roleRef('Role', name),
      subjects: [{ kind: 'ServiceAccount', name, namespace: accountNamespace }],
    },
  ]);
}

function rbac(kind: string, name: string, namespace?: string): Manifest {
  const metadata = namespace === undefined ? { name } : { name, namespace };
  return { apiVersion: 'rbac.authorization.k8s.io/v1', kind, metadata };
}

function roleRef(kind: string, name: string): Readonly<Record<string, string>> {
  return { apiGroup: 'rbac.authorization.k8s.io', kind, name };
}

function serviceAccount(name: string, namespace: string): Manifest {
  return { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name, namespace } };
}

/** A rule that another one in the list says already, in whole, is left out. */
function withoutRepeats(rules: readonly PolicyRule[]): readonly PolicyRule[] {
  const says = (wide: PolicyRule, narrow: PolicyRule): boolean =>
    wide.apiGroups.join() === narrow.apiGroups.join() &&
    wide.resources.join() === narrow.resources.join() &&
    narrow.verbs.every((verb) => wide.verbs.includes(verb)) &&
    (wide.resourceNames === undefined ||
      (narrow.resourceNames?.every((name) => wide.resourceNames?.includes(name)) ?? false));
  return rules.filter(
    (rule, index) =>
      !rules.some((other, at) => at !== index && says(other, rule) && (at < index || !says(rule, other))),
  );
}
