import { shortDuration } from '../forms/short-duration.ts';
import type { Json } from '../json.ts';
import { listAt, objectAt, textAt } from '../object-fields.ts';
import type { Column } from './kind.ts';

export const NAME: Column = { name: 'Name', type: 'string', format: 'name', cell: ({ metadata }) => metadata.name };
export const AGE: Column = {
  name: 'Age',
  type: 'string',
  cell: ({ metadata }, nowMs) => age(metadata.creationTimestamp, nowMs),
};
export const CREATED_AT: Column = {
  name: 'Created At',
  type: 'date',
  cell: ({ metadata }) => metadata.creationTimestamp,
};

/** `<unknown>` for a time that is missing or no time. */
export function age(timestamp: string | undefined, nowMs: number): string {
  const sinceMs = nowMs - Date.parse(timestamp ?? '');
  return Number.isFinite(sinceMs) ? shortDuration(sinceMs) : '<unknown>';
}

function column(name: string, cell: Column['cell'], type = 'string', priority = 0): Column {
  return { name, type, ...(priority === 0 ? {} : { priority }), cell };
}

const none = (text: string | undefined): string => (text === undefined || text === '' ? '<none>' : text);

const podIsReady = (status: Json | undefined): boolean =>
  listAt(status, 'containerStatuses').every((container) => objectAt(container)['ready'] === true);

const BINDING: readonly Column[] = [
  NAME,
  column('Role', roleOf),
  AGE,
  column('Users', (object) => subjectsOf(object, 'User').join(', '), 'string', 1),
  column('Groups', (object) => subjectsOf(object, 'Group').join(', '), 'string', 1),
  column('ServiceAccounts', (object) => subjectsOf(object, 'ServiceAccount').join(', '), 'string', 1),
];

/** Columns of built-in kinds, by kind, as a real server prints them. */
export const BUILT_IN_COLUMNS: Readonly<Record<string, readonly Column[]>> = {
  Namespace: [NAME, column('Status', (object) => textAt(object, 'status', 'phase') ?? ''), AGE],
  Secret: [
    NAME,
    column('Type', (object) => textAt(object, 'type') ?? ''),
    column('Data', (object) => Object.keys(objectAt(object, 'data')).length, 'string'),
    AGE,
  ],
  ConfigMap: [
    NAME,
    column(
      'Data',
      (object) => Object.keys(objectAt(object, 'data')).length + Object.keys(objectAt(object, 'binaryData')).length,
    ),
    AGE,
  ],
  Pod: [
    NAME,
    column('Ready', (object) => {
      const containers = listAt(object, 'spec', 'containers').length;
      const states = listAt(object, 'status', 'containerStatuses');
      const ready = states.filter((state) => objectAt(state)['ready'] === true).length;
      return `${states.length > 0 && podIsReady(object['status']) ? containers : ready}/${containers}`;
    }),
    column('Status', (object) =>
      object.metadata.deletionTimestamp === undefined ? (textAt(object, 'status', 'phase') ?? '') : 'Terminating',
    ),
    column('Restarts', (object) =>
      String(
        listAt(object, 'status', 'containerStatuses').reduce<number>(
          (sum, state) => sum + Number(objectAt(state)['restartCount'] ?? 0),
          0,
        ),
      ),
    ),
    AGE,
    column('IP', (object) => none(textAt(object, 'status', 'podIP')), 'string', 1),
    column('Node', (object) => none(textAt(object, 'spec', 'nodeName')), 'string', 1),
    column('Nominated Node', (object) => none(textAt(object, 'status', 'nominatedNodeName')), 'string', 1),
    column('Readiness Gates', () => '<none>', 'string', 1),
  ],
  Node: [
    NAME,
    column('Status', (object) => {
      const ready = listAt(object, 'status', 'conditions').find((one) => textAt(one, 'type') === 'Ready');
      return textAt(ready, 'status') === 'True' ? 'Ready' : ready === undefined ? 'Unknown' : 'NotReady';
    }),
    AGE,
    column('Version', (object) => textAt(object, 'status', 'nodeInfo', 'kubeletVersion') ?? ''),
  ],
  Service: [
    NAME,
    column('Type', (object) => textAt(object, 'spec', 'type') ?? ''),
    column('Cluster-IP', (object) => none(textAt(object, 'spec', 'clusterIP'))),
    column('External-IP', () => '<none>'),
    column('Port(s)', (object) =>
      none(
        listAt(object, 'spec', 'ports')
          .map((port) => `${String(objectAt(port)['port'])}/${textAt(port, 'protocol') ?? 'TCP'}`)
          .join(','),
      ),
    ),
    AGE,
    column('Selector', (object) => pairs(objectAt(object, 'spec', 'selector')), 'string', 1),
  ],
  Event: [
    column('Last Seen', (object, nowMs) => age(lastSeen(object), nowMs)),
    column('Type', (object) => textAt(object, 'type') ?? ''),
    column('Reason', (object) => textAt(object, 'reason') ?? ''),
    column('Object', (object) => {
      const about = regarding(object);
      return `${(textAt(about, 'kind') ?? '').toLowerCase()}/${textAt(about, 'name') ?? ''}`;
    }),
    column('Subobject', (object) => textAt(regarding(object), 'fieldPath') ?? '', 'string', 1),
    column('Source', (object) => reporter(object), 'string', 1),
    column('Message', (object) => (textAt(object, 'message') ?? textAt(object, 'note') ?? '').trim()),
    column('First Seen', (object, nowMs) => age(firstSeen(object), nowMs), 'string', 1),
    column('Count', (object) => Number(objectAt(object, 'series')['count'] ?? object['count'] ?? 1), 'string', 1),
    { ...NAME, priority: 1 },
  ],
  Lease: [NAME, column('Holder', (object) => textAt(object, 'spec', 'holderIdentity') ?? ''), AGE],
  ServiceAccount: [NAME, AGE],
  Role: [NAME, CREATED_AT],
  ClusterRole: [NAME, CREATED_AT],
  RoleBinding: BINDING,
  ClusterRoleBinding: BINDING,
  ValidatingWebhookConfiguration: [
    NAME,
    column('Webhooks', (object) => listAt(object, 'webhooks').length, 'integer'),
    AGE,
  ],
  EndpointSlice: [
    NAME,
    column('AddressType', (object) => textAt(object, 'addressType') ?? ''),
    column('Ports', (object) =>
      none(
        listAt(object, 'ports')
          .map((port) => String(objectAt(port)['port'] ?? ''))
          .join(','),
      ),
    ),
    column('Endpoints', (object) =>
      none(
        listAt(object, 'endpoints')
          .flatMap((endpoint) => listAt(endpoint, 'addresses'))
          .join(','),
      ),
    ),
    AGE,
  ],
  Endpoints: [
    NAME,
    column('Endpoints', (object) =>
      none(
        listAt(object, 'subsets')
          .flatMap((subset) => listAt(subset, 'addresses').map((address) => textAt(address, 'ip') ?? ''))
          .join(','),
      ),
    ),
    AGE,
  ],
  Deployment: [
    NAME,
    column(
      'Ready',
      (object) => `${count(object, 'readyReplicas')}/${String(objectAt(object, 'spec')['replicas'] ?? 0)}`,
    ),
    column('Up-to-date', (object) => count(object, 'updatedReplicas')),
    column('Available', (object) => count(object, 'availableReplicas')),
    AGE,
    column('Containers', (object) => containersOf(object, 'name'), 'string', 1),
    column('Images', (object) => containersOf(object, 'image'), 'string', 1),
    column('Selector', (object) => pairs(objectAt(object, 'spec', 'selector', 'matchLabels')), 'string', 1),
  ],
  CustomResourceDefinition: [NAME, CREATED_AT],
};

function regarding(event: Json): Json {
  return objectAt(event, textAt(event, 'involvedObject', 'kind') === undefined ? 'regarding' : 'involvedObject');
}

function reporter(event: Json): string {
  const component = textAt(event, 'reportingComponent') || textAt(event, 'reportingController');
  const source = component || (textAt(event, 'source', 'component') ?? '');
  return [source, textAt(event, 'reportingInstance') ?? ''].filter((part) => part !== '').join(', ');
}

function firstSeen(event: Json): string | undefined {
  return textAt(event, 'firstTimestamp') ?? textAt(event, 'deprecatedFirstTimestamp') ?? textAt(event, 'eventTime');
}

function lastSeen(event: Json): string | undefined {
  const times = [textAt(event, 'series', 'lastObservedTime'), textAt(event, 'lastTimestamp')];
  return times.find((time) => time !== undefined) ?? textAt(event, 'deprecatedLastTimestamp') ?? firstSeen(event);
}

function count(object: Json, field: string): number {
  return Number(objectAt(object, 'status')[field] ?? 0);
}

function containersOf(deployment: Json, field: 'name' | 'image'): string {
  const containers = listAt(deployment, 'spec', 'template', 'spec', 'containers');
  return containers.map((container) => textAt(container, field) ?? '').join(',');
}

function subjectsOf(binding: Json, kind: string): readonly string[] {
  return listAt(binding, 'subjects')
    .filter((subject) => textAt(subject, 'kind') === kind)
    .map((subject) => [textAt(subject, 'namespace') ?? [], textAt(subject, 'name') ?? ''].flat().join('/'));
}

function roleOf(object: Json): string {
  return `${textAt(object, 'roleRef', 'kind') ?? ''}/${textAt(object, 'roleRef', 'name') ?? ''}`;
}

function pairs(labels: Readonly<Record<string, Json>>): string {
  const entries = Object.entries(labels);
  return entries.length === 0 ? '<none>' : entries.map(([name, value]) => `${name}=${String(value)}`).join(',');
}
