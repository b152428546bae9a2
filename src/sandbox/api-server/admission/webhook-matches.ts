import type { AdmittedWrite } from '../cluster.ts';
import type { Json } from '../json.ts';
import { listAt, objectAt, textAt, textsAt } from '../object-fields.ts';
import { labelSelectorOf } from '../selectors.ts';
import type { Storage } from '../storage/storage.ts';

/** Whether a webhook wants to be asked about a write: by its rules, and by the labels of namespace and object. */
export function webhookMatches(storage: Storage, webhook: Json, write: AdmittedWrite): boolean {
  if (!listAt(webhook, 'rules').some((rule) => ruleCovers(rule, write, textAt(webhook, 'matchPolicy')))) return false;
  if (!selects(objectAt(webhook)['namespaceSelector'], namespaceLabels(storage, write))) return false;
  const objects = [write.object, write.oldObject].filter((object) => object !== undefined);
  const selector = objectAt(webhook)['objectSelector'];
  return objects.some((object) => selects(selector, objectAt(object, 'metadata', 'labels')));
}

function ruleCovers(rule: Json, { operation, kind, subresource }: AdmittedWrite, matchPolicy?: string): boolean {
  // The same resource in another version is the same to `Equivalent`.
  const versions = matchPolicy === 'Exact' ? textsAt(rule, 'apiVersions') : ['*'];
  const scope = textAt(rule, 'scope') ?? '*';
  return (
    holds(textsAt(rule, 'operations'), operation) &&
    holds(textsAt(rule, 'apiGroups'), kind.group) &&
    holds(versions, kind.version) &&
    (scope === '*' || scope === (kind.namespaced ? 'Namespaced' : 'Cluster')) &&
    textsAt(rule, 'resources').some((pattern) => resourceCovers(pattern, kind.plural, subresource))
  );
}

function resourceCovers(pattern: string, plural: string, subresource: string | undefined): boolean {
  const [resource, sub] = pattern.split('/', 2);
  if (resource !== '*' && resource !== plural) return false;
  if (sub === undefined) return subresource === undefined;
  return sub === '*' || sub === subresource;
}

function holds(values: readonly string[], value: string): boolean {
  return values.includes('*') || values.includes(value);
}

function namespaceLabels(
  storage: Storage,
  { kind, namespace, name, object, oldObject }: AdmittedWrite,
): Json | undefined {
  if (kind.collection === 'namespaces') return objectAt(object ?? oldObject, 'metadata', 'labels');
  const place = namespace ?? (kind.namespaced ? name : undefined);
  // What stands in no namespace is never kept from a webhook by this selector.
  if (place === undefined) return undefined;
  return objectAt(storage.collection('namespaces').get(place), 'metadata', 'labels');
}

function selects(selector: Json | undefined, labels: Json | undefined): boolean {
  if (labels === undefined) return true;
  const matcher = labelSelectorOf(selector);
  return matcher.ok && matcher.value(objectAt(labels) as Readonly<Record<string, string>>);
}
