import { isObject, type Json, type JsonObject, sameJson } from '../../json.ts';
import { listAt, objectAt, textAt } from '../../object-fields.ts';
import type { FieldError } from '../../status.ts';
import { fieldError } from '../field-errors.ts';
import type { OwnRules } from './own-rules.ts';

export const podRules: OwnRules = {
  blank: { spec: { containers: null }, status: {} },
  countsGenerations: true,
  withDefaults: (pod) => ({
    ...pod,
    spec: { enableServiceLinks: true, ...podSpec(objectAt(pod, 'spec')) },
    ...probeTimes(pod),
  }),
  prepare(next, previous) {
    if (previous !== undefined) return next;
    const admitted = { preemptionPolicy: 'PreemptLowerPriority', priority: 0, tolerations: NODE_TOLERATIONS };
    const status = { phase: 'Pending', qosClass: 'BestEffort' };
    return { ...next, spec: { ...admitted, ...objectAt(next, 'spec') }, status };
  },
  validate(next, previous) {
    const errors = containerErrors(next, 'spec');
    if (previous !== undefined && !sameJson(mutablePodParts(next), mutablePodParts(previous))) {
      errors.push(
        fieldError.forbidden(
          'spec',
          'pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)',
        ),
      );
    }
    return errors;
  },
};

export const deploymentRules: OwnRules = {
  blank: {
    spec: { selector: null, strategy: {}, template: { metadata: {}, spec: { containers: null } } },
    status: {},
  },
  countsGenerations: true,
  withDefaults(deployment) {
    const spec = objectAt(deployment, 'spec');
    const template = objectAt(spec, 'template');
    return {
      ...deployment,
      spec: {
        replicas: 1,
        revisionHistoryLimit: 10,
        progressDeadlineSeconds: 600,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: '25%', maxUnavailable: '25%' } },
        ...spec,
        template: { ...template, spec: podSpec(objectAt(template, 'spec')) },
      },
    };
  },
  prepare: (next, previous) => (previous === undefined ? { ...next, status: {} } : next),
  validate(next, previous) {
    const errors = containerErrors(next, 'spec', 'template', 'spec');
    const selector = objectAt(next, 'spec')['selector'];
    if (!isObject(selector)) errors.push(fieldError.required('spec.selector'));
    else if (previous !== undefined && !sameJson(selector, objectAt(previous, 'spec')['selector'])) {
      errors.push(fieldError.invalid('spec.selector', selector, 'field is immutable'));
    }
    return errors;
  },
};

export const serviceRules: OwnRules = {
  blank: { spec: {}, status: { loadBalancer: {} } },
  withDefaults(service) {
    const spec = objectAt(service, 'spec');
    const ports = listAt(spec, 'ports').map((port): Json => {
      const fields = objectAt(port);
      return { protocol: 'TCP', ...fields, targetPort: fields['targetPort'] ?? fields['port'] ?? 0 };
    });
    return {
      ...service,
      spec: {
        type: 'ClusterIP',
        sessionAffinity: 'None',
        ...(textAt(spec, 'type') === 'ExternalName' ? {} : { internalTrafficPolicy: 'Cluster' }),
        ...spec,
        ...(ports.length === 0 ? {} : { ports }),
      },
    };
  },
  prepare(next, previous) {
    const spec = objectAt(next, 'spec');
    const kept = textAt(previous, 'spec', 'clusterIP');
    const clusterIP = textAt(spec, 'clusterIP') || kept || addressFor(next);
    const families = { clusterIPs: [clusterIP], ipFamilies: ['IPv4'], ipFamilyPolicy: 'SingleStack' };
    const status = previous === undefined ? { status: { loadBalancer: {} } } : {};
    if (textAt(spec, 'type') === 'ExternalName') return { ...next, ...status };
    return { ...next, spec: { ...spec, ...families, clusterIP }, ...status };
  },
  validate(next, previous) {
    const spec = objectAt(next, 'spec');
    const errors: FieldError[] = [];
    const portless = textAt(spec, 'clusterIP') === 'None' || textAt(spec, 'type') === 'ExternalName';
    if (listAt(spec, 'ports').length === 0 && !portless) errors.push(fieldError.required('spec.ports'));
    const before = textAt(previous, 'spec', 'clusterIP');
    if (before !== undefined && before !== '' && before !== textAt(spec, 'clusterIP')) {
      errors.push(fieldError.invalid('spec.clusterIPs[0]', listAt(spec, 'clusterIPs'), 'may not change once set'));
    }
    return errors;
  },
};

/** An address in a service network that nothing routes to; the same for the same name, so that runs can be compared. */
function addressFor(service: JsonObject): string {
  const text = `${textAt(service, 'metadata', 'namespace') ?? ''}/${textAt(service, 'metadata', 'name') ?? ''}`;
  let hash = 7;
  for (const character of text) hash = (hash * 31 + (character.codePointAt(0) ?? 0)) % 65_000;
  return `10.96.${Math.floor(hash / 256)}.${hash % 256}`;
}

/** What admission adds, so that a Pod outlives a short absence of its node. */
const NODE_TOLERATIONS = ['not-ready', 'unreachable'].map((state) => ({
  effect: 'NoExecute',
  key: `node.kubernetes.io/${state}`,
  operator: 'Exists',
  tolerationSeconds: 300,
}));

/** Conditions of a Pod always show this time, and no kubelet sets it. */
function probeTimes(pod: JsonObject): JsonObject {
  const status = objectAt(pod, 'status');
  const conditions = listAt(status, 'conditions').map((one): Json => ({ lastProbeTime: null, ...objectAt(one) }));
  return conditions.length === 0 ? {} : { status: { ...status, conditions } };
}

function podSpec(spec: JsonObject): JsonObject {
  const account = textAt(spec, 'serviceAccountName');
  return {
    restartPolicy: 'Always',
    terminationGracePeriodSeconds: 30,
    dnsPolicy: 'ClusterFirst',
    securityContext: {},
    schedulerName: 'default-scheduler',
    ...spec,
    ...(account === undefined ? {} : { serviceAccount: account }),
    containers: listAt(spec, 'containers').map(container),
  };
}

function container(value: Json): Json {
  const fields = objectAt(value);
  const image = textAt(fields, 'image') ?? '';
  const isLatest = !image.includes('@') && (!/:[^/]+$/.test(image) || image.endsWith(':latest'));
  const ports = listAt(fields, 'ports').map((port): Json => ({ protocol: 'TCP', ...objectAt(port) }));
  return {
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: isLatest ? 'Always' : 'IfNotPresent',
    ...fields,
    ...(ports.length === 0 ? {} : { ports }),
  };
}

function containerErrors(object: JsonObject, ...path: readonly string[]): FieldError[] {
  const at = `${path.join('.')}.containers`;
  const containers = listAt(object, ...path, 'containers');
  if (containers.length === 0) return [fieldError.required(at)];
  return containers.flatMap((one, index) => [
    ...((textAt(one, 'name') ?? '') === '' ? [fieldError.required(`${at}[${index}].name`)] : []),
    ...((textAt(one, 'image') ?? '') === '' ? [fieldError.required(`${at}[${index}].image`)] : []),
  ]);
}

/** A Pod's spec with what may change left out. */
function mutablePodParts(pod: JsonObject): JsonObject {
  const spec = objectAt(pod, 'spec');
  return {
    ...spec,
    tolerations: [],
    activeDeadlineSeconds: 0,
    containers: listAt(spec, 'containers').map((one) => ({ ...objectAt(one), image: '' })),
    initContainers: listAt(spec, 'initContainers').map((one) => ({ ...objectAt(one), image: '' })),
  };
}
