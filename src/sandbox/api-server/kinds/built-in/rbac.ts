import { isList, type Json, type JsonObject, sameJson } from '../../json.ts';
import { listAt, objectAt, textAt } from '../../object-fields.ts';
import type { FieldError } from '../../status.ts';
import { fieldError } from '../field-errors.ts';
import { pathSegmentDefect } from '../names.ts';
import type { OwnRules } from './own-rules.ts';

const rbac = 'rbac.authorization.k8s.io';

export const roleRules: OwnRules = {
  blank: { rules: null },
  validateName: pathSegmentDefect,
  createsOnReplace: true,
  // The server writes `rules: null` for a role without any; readers count on the field.
  withDefaults: (role) => ({ ...role, rules: isList(role['rules']) ? role['rules'] : null }),
  validate: (role) =>
    listAt(role, 'rules').flatMap((rule, index): FieldError[] =>
      listAt(rule, 'verbs').length === 0
        ? [fieldError.required(`rules[${index}].verbs`, 'verbs must contain at least one value')]
        : [],
    ),
};

export const bindingRules: OwnRules = {
  blank: { roleRef: { apiGroup: '', kind: '', name: '' } },
  validateName: pathSegmentDefect,
  createsOnReplace: true,
  withDefaults: (binding) => ({
    ...binding,
    roleRef: { apiGroup: rbac, ...objectAt(binding, 'roleRef') },
    ...(binding['subjects'] === undefined ? {} : { subjects: listAt(binding, 'subjects').map(withApiGroup) }),
  }),
  validate(next, previous) {
    const roleRef = objectAt(next, 'roleRef');
    const errors: FieldError[] = [];
    if ((textAt(roleRef, 'name') ?? '') === '') errors.push(fieldError.required('roleRef.name'));
    if (previous !== undefined && !sameJson(roleRef, previous['roleRef'])) {
      errors.push(fieldError.invalid('roleRef', inGo(roleRef), 'cannot change roleRef'));
    }
    listAt(next, 'subjects').forEach((subject, index) => {
      if (textAt(subject, 'kind') === 'ServiceAccount' && (textAt(subject, 'namespace') ?? '') === '') {
        errors.push(fieldError.required(`subjects[${index}].namespace`));
      }
    });
    return errors;
  },
};

/** The server shows its own struct, with the names that Go has for the fields. */
function inGo(roleRef: JsonObject): JsonObject {
  const text = (field: string): string => textAt(roleRef, field) ?? '';
  return { APIGroup: text('apiGroup'), Kind: text('kind'), Name: text('name') };
}

function withApiGroup(subject: Json): JsonObject {
  const fields = objectAt(subject);
  return textAt(fields, 'kind') === 'ServiceAccount' ? fields : { apiGroup: rbac, ...fields };
}
