import { textAt } from '../object-fields.ts';
import { forbidden, notFound } from '../status.ts';
import type { ResourceCall } from './call.ts';

/** Nothing is made in a namespace that is not there or on its way out. @throws {StatusError} 404, 403 */
export function refuseInMissingNamespace(call: ResourceCall, newName: string): void {
  const { kind, info, cluster } = call;
  const name = info.namespace;
  if (!kind.namespaced || name === undefined) return;
  const namespace = cluster.storage.collection('namespaces').get(name);
  if (namespace === undefined) throw notFound({ group: '', plural: 'namespaces' }, name);
  if (textAt(namespace, 'status', 'phase') !== 'Terminating') return;
  const message = `namespace ${name} is being terminated`;
  throw forbidden(kind, newName, `unable to create new content in namespace ${name} because it is being terminated`, {
    causes: [{ reason: 'NamespaceTerminating', message, field: 'metadata.namespace' }],
  });
}
