import type { Json } from '../json.ts';
import { listViolations } from './list-violations.ts';
import { ruleViolations } from './rule-violations.ts';
import type { StructuralSchema } from './structural-schema.ts';
import { valueViolations } from './value-violations.ts';
import { invalidValue, NO_FIELD, type Violation } from './violation.ts';

export type { Violation } from './violation.ts';

/**
 * What a custom resource (defaulted and pruned) breaks of its schema. With a previous object, what it left unchanged is
 * excused, and rules with `oldSelf` are judged. `metadata` is not judged.
 */
export function violations(schema: StructuralSchema, value: Json, previous?: Json): readonly Violation[] {
  const before = previous === undefined ? undefined : { value: previous };
  const found = [...valueViolations(schema, value, '', before)];
  if (previous === undefined || listViolations(schema, previous, '').length === 0) {
    found.push(...listViolations(schema, value, ''));
  }
  if (found.some(({ reason }) => BLOCKING.has(reason))) return [...found, UNCHECKED_RULES];
  return [...found, ...ruleViolations(schema, value, before)];
}

/** With one of these a rule could meet values that its schema excludes. */
const BLOCKING = new Set([
  'FieldValueNotSupported',
  'FieldValueRequired',
  'FieldValueTooLong',
  'FieldValueTooMany',
  'FieldValueTypeInvalid',
]);

const UNCHECKED_RULES = invalidValue(
  NO_FIELD,
  null,
  'some validation rules were not checked because the object was invalid; correct the existing errors to complete validation',
);
