import { listAt, objectAt, textAt, textsAt } from '../object-fields.ts';
import type { Storage } from '../storage/storage.ts';

/** `ADDRESS:PORT` of a ready endpoint behind a Service's port, from its EndpointSlices; undefined without any. */
export function serviceAddress(
  storage: Storage,
  service: { readonly namespace: string; readonly name: string; readonly port: number },
): string | undefined {
  const { namespace, name, port } = service;
  const object = storage.collection('services').get(`${namespace}/${name}`);
  const asked = listAt(object, 'spec', 'ports').find((one) => objectAt(one)['port'] === port);
  if (asked === undefined) return undefined;
  const portName = textAt(asked, 'name') ?? '';
  const slices = storage
    .collection('endpointslices.discovery.k8s.io')
    .list(namespace)
    .filter(({ metadata }) => textAt(metadata, 'labels', 'kubernetes.io/service-name') === name);
  for (const slice of slices) {
    const target = listAt(slice, 'ports').find((one) => (textAt(one, 'name') ?? '') === portName);
    const ready = listAt(slice, 'endpoints').find((one) => objectAt(one, 'conditions')['ready'] !== false);
    const [address] = textsAt(ready, 'addresses');
    const number = objectAt(target)['port'];
    if (address !== undefined && typeof number === 'number') return `${address}:${number}`;
  }
  return undefined;
}
