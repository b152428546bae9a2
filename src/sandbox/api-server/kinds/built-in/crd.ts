import type { JsonObject } from '../../json.ts';
import { listAt, objectAt, textAt } from '../../object-fields.ts';
import type { FieldError } from '../../status.ts';
import { fieldError } from '../field-errors.ts';
import type { OwnRules } from './own-rules.ts';

export const crdRules: OwnRules = {
  countsGenerations: true,
  replacesUnconditionally: false,
  withDefaults(crd) {
    const spec = objectAt(crd, 'spec');
    const names = objectAt(spec, 'names');
    const kind = textAt(names, 'kind') ?? '';
    return {
      ...crd,
      spec: {
        conversion: { strategy: 'None' },
        ...spec,
        names: { singular: kind.toLowerCase(), listKind: `${kind}List`, ...names },
      },
    };
  },
  prepare: (next, previous) =>
    previous === undefined
      ? {
          ...next,
          status: { conditions: null, acceptedNames: { plural: '', kind: '' }, storedVersions: storageVersions(next) },
        }
      : next,
  validate(next, previous) {
    const spec = objectAt(next, 'spec');
    const errors: FieldError[] = [];
    const expected = `${textAt(spec, 'names', 'plural') ?? ''}.${textAt(spec, 'group') ?? ''}`;
    const name = textAt(next, 'metadata', 'name');
    if (name !== expected) {
      errors.push(fieldError.invalid('metadata.name', name, 'must be spec.names.plural+"."+spec.group'));
    }
    const scope = textAt(spec, 'scope');
    if (scope !== 'Namespaced' && scope !== 'Cluster') {
      errors.push(fieldError.notSupported('spec.scope', scope ?? '', ['Cluster', 'Namespaced']));
    }
    listAt(spec, 'versions').forEach((version, index) => {
      if (Object.keys(objectAt(version, 'schema', 'openAPIV3Schema')).length === 0) {
        errors.push(fieldError.required(`spec.versions[${index}].schema.openAPIV3Schema`));
      }
    });
    if (storageVersions(next).length !== 1) {
      errors.push(fieldError.invalid('spec.versions', [], 'must have exactly one version marked as storage version'));
    }
    for (const field of ['group', 'scope']) {
      if (previous !== undefined && spec[field] !== objectAt(previous, 'spec')[field]) {
        errors.push(fieldError.invalid(`spec.${field}`, spec[field], 'field is immutable'));
      }
    }
    return errors;
  },
};

export function storageVersions(crd: JsonObject): readonly string[] {
  return listAt(crd, 'spec', 'versions')
    .filter((version) => objectAt(version)['storage'] === true)
    .map((version) => textAt(version, 'name') ?? '');
}
