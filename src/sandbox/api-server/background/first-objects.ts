import { randomUUID } from 'node:crypto';
import { bootstrapRoles } from '../access/bootstrap-roles.ts';
import { type Cluster, timestamp } from '../cluster.ts';
import type { JsonObject } from '../json.ts';
import { type ApiObject, objectAt, textAt } from '../object-fields.ts';
import { storageKey } from '../storage/collection.ts';

/** What every cluster has before its first request. */
export function storeFirstObjects(cluster: Cluster, crds: readonly JsonObject[]): void {
  const namespaces = ['default', 'kube-node-lease', 'kube-public', 'kube-system'].map((name) => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name },
  }));
  for (const object of [...namespaces, ...bootstrapRoles(), ...crds]) store(cluster, object);
}

function store(cluster: Cluster, object: JsonObject): void {
  const kind = cluster.registry.findKind(textAt(object, 'apiVersion') ?? '', textAt(object, 'kind') ?? '');
  if (kind === undefined) throw new Error(`No such kind is served: ${textAt(object, 'kind') ?? 'none'}`);
  const { object: read } = kind.rules.read(object);
  const metadata = {
    ...objectAt(object, 'metadata'),
    uid: randomUUID(),
    creationTimestamp: timestamp(cluster.clock),
    ...(kind.rules.countsGenerations ? { generation: 1 } : {}),
  };
  const prepared = (kind.rules.prepare?.({ ...read, metadata }, undefined) ?? { ...read, metadata }) as ApiObject;
  const { namespace, name } = prepared.metadata;
  cluster.storage.collection(kind.collection).put(storageKey(namespace, name), prepared);
}
