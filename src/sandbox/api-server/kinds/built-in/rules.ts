import type { JsonObject } from '../../json.ts';
import type { Shape } from '../../patch/shape.ts';
import type { KindRules } from '../kind.ts';
import { keepKnownFields } from '../known-fields.ts';
import { crdRules } from './crd.ts';
import { coreEventRules, eventRules } from './event.ts';
import { leaseRules } from './lease.ts';
import { namespaceRules } from './namespace.ts';
import type { OwnRules } from './own-rules.ts';
import { bindingRules, roleRules } from './rbac.ts';
import { configMapRules, secretRules } from './secret.ts';
import { webhookConfigurationRules } from './webhook-configuration.ts';
import { deploymentRules, podRules, serviceRules } from './workload.ts';

const own: Readonly<Record<string, OwnRules>> = {
  '/Namespace': namespaceRules,
  '/Secret': secretRules,
  '/ConfigMap': configMapRules,
  '/Service': serviceRules,
  '/Pod': podRules,
  'discovery.k8s.io/EndpointSlice': { countsGenerations: true },
  '/Event': coreEventRules,
  'events.k8s.io/Event': eventRules,
  'coordination.k8s.io/Lease': leaseRules,
  'apps/Deployment': deploymentRules,
  'rbac.authorization.k8s.io/Role': roleRules,
  'rbac.authorization.k8s.io/ClusterRole': roleRules,
  'rbac.authorization.k8s.io/RoleBinding': bindingRules,
  'rbac.authorization.k8s.io/ClusterRoleBinding': bindingRules,
  'admissionregistration.k8s.io/ValidatingWebhookConfiguration': webhookConfigurationRules,
  'apiextensions.k8s.io/CustomResourceDefinition': crdRules,
};

export function rulesOf(group: string, kind: string, shape: Shape): KindRules {
  const { withDefaults = (object: JsonObject) => object, ...rules } = own[`${group}/${kind}`] ?? {};
  return {
    read: (body) => {
      const { object, unknownPaths } = keepKnownFields(shape, body);
      return { object: withDefaults(object), unknownPaths };
    },
    countsGenerations: false,
    replacesUnconditionally: true,
    createsOnReplace: false,
    ...rules,
  };
}
