import type { JsonObject } from '../../json.ts';
import { objectAt } from '../../object-fields.ts';
import { dnsLabelDefect } from '../names.ts';
import type { OwnRules } from './own-rules.ts';

export const namespaceRules: OwnRules = {
  validateName: dnsLabelDefect,
  withDefaults: labelled,
  prepare(next, previous) {
    if (previous === undefined) {
      return { ...next, spec: { finalizers: ['kubernetes'] }, status: { phase: 'Active' } };
    }
    // Only the finalize subresource changes these.
    return { ...next, spec: objectAt(previous, 'spec'), status: objectAt(previous, 'status') };
  },
};

function labelled(namespace: JsonObject): JsonObject {
  const metadata = objectAt(namespace, 'metadata');
  const labels = { ...objectAt(metadata, 'labels'), 'kubernetes.io/metadata.name': metadata['name'] ?? '' };
  return { ...namespace, metadata: { ...metadata, labels } };
}
