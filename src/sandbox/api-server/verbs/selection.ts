import { served } from '../kinds/kind.ts';
import { type ApiObject, objectAt } from '../object-fields.ts';
import { fieldSelector, labelSelector } from '../selectors.ts';
import { orThrow } from '../status.ts';
import type { ResourceCall } from './call.ts';

export interface ObjectSelection {
  readonly namespace: string | undefined;
  /** Whether a selector may leave something out. */
  readonly selective: boolean;
  readonly matches: (stored: ApiObject) => boolean;
}

/** Which stored objects a list, watch or deletecollection covers. @throws {StatusError} 400 for a selector that cannot be read */
export function selectionOf(call: ResourceCall): ObjectSelection {
  const { kind, query, info } = call;
  const labelText = query.get('labelSelector') ?? '';
  const fieldText = query.get('fieldSelector') ?? '';
  const byLabel = labelText === '' ? undefined : orThrow(labelSelector(labelText));
  const byField = fieldText === '' ? undefined : orThrow(fieldSelector(fieldText, kind.selectableFields, kind.custom));
  return {
    namespace: kind.namespaced ? info.namespace : undefined,
    selective: byLabel !== undefined || byField !== undefined,
    matches: (stored) =>
      (byLabel?.(objectAt(stored.metadata, 'labels') as Readonly<Record<string, string>>) ?? true) &&
      (byField?.(served(kind, stored)) ?? true),
  };
}
