import { type Cluster, timestamp } from '../cluster.ts';
import type { JsonObject } from '../json.ts';
import { customKinds } from '../kinds/custom-kinds.ts';
import { type ApiObject, listAt, objectAt, textAt } from '../object-fields.ts';

const COLLECTION = 'customresourcedefinitions.apiextensions.k8s.io';

/** Serves what CRDs say from the moment that they are written, and says so in their status. */
export function followCrds(cluster: Cluster): () => void {
  const crds = cluster.storage.collection(COLLECTION);
  const take = (crd: ApiObject): void => {
    const kinds = customKinds(crd);
    for (const { collection } of kinds) cluster.storage.collection(collection);
    cluster.registry.setCustom(crd.metadata.name, kinds);
    if (!isEstablished(crd)) crds.put(crd.metadata.name, established(cluster, crd));
  };
  for (const crd of crds.list()) take(crd);
  return crds.subscribe(({ type, object }) => {
    if (type === 'DELETED') cluster.registry.removeCustom(object.metadata.name);
    else take(object);
  });
}

function isEstablished(crd: ApiObject): boolean {
  const accepted = objectAt(crd, 'status', 'acceptedNames');
  return (
    listAt(crd, 'status', 'conditions').some(
      (one) => textAt(one, 'type') === 'Established' && textAt(one, 'status') === 'True',
    ) && accepted['plural'] === objectAt(crd, 'spec', 'names')['plural']
  );
}

function established(cluster: Cluster, crd: ApiObject): ApiObject {
  const lastTransitionTime = timestamp(cluster.clock);
  const condition = (type: string, reason: string, message: string): JsonObject => ({
    lastTransitionTime,
    message,
    reason,
    status: 'True',
    type,
  });
  return {
    ...crd,
    status: {
      ...objectAt(crd, 'status'),
      acceptedNames: objectAt(crd, 'spec', 'names'),
      conditions: [
        condition('NamesAccepted', 'NoConflicts', 'no conflicts found'),
        condition('Established', 'InitialNamesAccepted', 'the initial names have been accepted'),
      ],
    },
  };
}
