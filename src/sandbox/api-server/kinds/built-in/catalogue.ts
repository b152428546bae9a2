import { shapeOfKind } from '../../patch/shape-of-kind.ts';
import { AGE, BUILT_IN_COLUMNS, NAME } from '../columns.ts';
import type { ServedKind, Subresource } from '../kind.ts';
import { rulesOf } from './rules.ts';

interface Entry {
  readonly group: string;
  readonly kind: string;
  readonly plural: string;
  readonly version?: string;
  readonly clusterWide?: true;
  readonly shortNames?: readonly string[];
  readonly status?: true;
  readonly fields?: readonly string[];
  readonly subresources?: readonly Subresource[];
  /** Plural of the core group that its objects are stored under. */
  readonly storedAs?: string;
}

const STATUS: Subresource = { name: 'status', verbs: ['get', 'patch', 'update'] };
const rbac = 'rbac.authorization.k8s.io';
const eventFields = ['involvedObject.kind', 'involvedObject.namespace', 'involvedObject.name', 'involvedObject.uid'];

/** The kinds that this project and kubectl touch; others do not exist here. */
const entries: readonly Entry[] = [
  {
    group: '',
    kind: 'Namespace',
    plural: 'namespaces',
    clusterWide: true,
    shortNames: ['ns'],
    status: true,
    fields: ['status.phase'],
    subresources: [{ name: 'finalize', verbs: ['update'] }],
  },
  { group: '', kind: 'Secret', plural: 'secrets', fields: ['type'] },
  { group: '', kind: 'ConfigMap', plural: 'configmaps', shortNames: ['cm'] },
  {
    group: '',
    kind: 'Service',
    plural: 'services',
    shortNames: ['svc'],
    status: true,
    fields: ['spec.clusterIP', 'spec.type'],
  },
  {
    group: '',
    kind: 'Pod',
    plural: 'pods',
    shortNames: ['po'],
    status: true,
    fields: [
      'spec.nodeName',
      'spec.restartPolicy',
      'spec.schedulerName',
      'spec.serviceAccountName',
      'status.phase',
      'status.podIP',
    ],
  },
  {
    group: '',
    kind: 'Node',
    plural: 'nodes',
    clusterWide: true,
    shortNames: ['no'],
    status: true,
    fields: ['spec.unschedulable'],
  },
  {
    group: '',
    kind: 'Event',
    plural: 'events',
    shortNames: ['ev'],
    fields: [...eventFields, 'reason', 'reportingComponent', 'source', 'type'],
  },
  { group: '', kind: 'Endpoints', plural: 'endpoints', shortNames: ['ep'] },
  {
    group: '',
    kind: 'ServiceAccount',
    plural: 'serviceaccounts',
    shortNames: ['sa'],
    subresources: [
      {
        name: 'token',
        verbs: ['create'],
        kind: { group: 'authentication.k8s.io', version: 'v1', kind: 'TokenRequest' },
      },
    ],
  },
  {
    group: 'events.k8s.io',
    kind: 'Event',
    plural: 'events',
    shortNames: ['ev'],
    fields: [
      'regarding.kind',
      'regarding.namespace',
      'regarding.name',
      'regarding.uid',
      'reason',
      'reportingController',
      'type',
    ],
    storedAs: 'events',
  },
  { group: 'apps', kind: 'Deployment', plural: 'deployments', shortNames: ['deploy'], status: true },
  { group: 'coordination.k8s.io', kind: 'Lease', plural: 'leases' },
  { group: 'discovery.k8s.io', kind: 'EndpointSlice', plural: 'endpointslices' },
  { group: rbac, kind: 'Role', plural: 'roles' },
  { group: rbac, kind: 'RoleBinding', plural: 'rolebindings' },
  { group: rbac, kind: 'ClusterRole', plural: 'clusterroles', clusterWide: true },
  { group: rbac, kind: 'ClusterRoleBinding', plural: 'clusterrolebindings', clusterWide: true },
  {
    group: 'admissionregistration.k8s.io',
    kind: 'ValidatingWebhookConfiguration',
    plural: 'validatingwebhookconfigurations',
    clusterWide: true,
  },
  {
    group: 'apiextensions.k8s.io',
    kind: 'CustomResourceDefinition',
    plural: 'customresourcedefinitions',
    clusterWide: true,
    shortNames: ['crd', 'crds'],
    status: true,
  },
];

export const BUILT_IN_KINDS: readonly ServedKind[] = entries.map(kindOf);

function kindOf(entry: Entry): ServedKind {
  const { group, kind, plural, version = 'v1' } = entry;
  const apiVersion = group === '' ? version : `${group}/${version}`;
  const collection = entry.storedAs ?? (group === '' ? plural : `${plural}.${group}`);
  const shape = shapeOfKind(apiVersion, kind);
  return {
    group,
    version,
    plural,
    singular: kind.toLowerCase(),
    kind,
    listKind: `${kind}List`,
    namespaced: entry.clusterWide !== true,
    shortNames: entry.shortNames ?? [],
    categories: kind === 'Pod' || kind === 'Service' || kind === 'Deployment' ? ['all'] : [],
    collection,
    custom: false,
    subresources: [...(entry.status === true ? [STATUS] : []), ...(entry.subresources ?? [])],
    selectableFields: entry.fields ?? [],
    columns: BUILT_IN_COLUMNS[kind] ?? [NAME, AGE],
    shape,
    rules: rulesOf(group, kind, shape),
  };
}
