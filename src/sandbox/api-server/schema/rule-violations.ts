import { type CelProgram, compile } from '../cel/compile.ts';
import { type CelValue, Optional } from '../cel/value.ts';
import { isList, isObject, type Json } from '../json.ts';
import { celValue } from './cel-value.ts';
import { type Correlated, previousField, previousItem, unchanged } from './correlated.ts';
import { schemaOfField } from './defaulted.ts';
import { fieldPath } from './list-violations.ts';
import type { StructuralSchema, ValidationRule } from './structural-schema.ts';
import { duplicate, forbidden, invalidValue, NO_FIELD, OMITTED, required, type Violation } from './violation.ts';

/** Where in the object a rule stands. */
interface Place {
  readonly schema: StructuralSchema;
  readonly value: Json;
  /** Empty at the root. */
  readonly path: string;
  readonly previous: Correlated | undefined;
  /** What this place, or the nearest one around it that can be found again, was before is what it is now. */
  readonly excused: boolean;
}

/** The `x-kubernetes-validations` that a value breaks. */
export function ruleViolations(
  schema: StructuralSchema,
  value: Json,
  previous: Correlated | undefined,
): readonly Violation[] {
  return inPlace({ schema, value, path: '', previous, excused: unchanged(previous, value) });
}

function inPlace(place: Place): readonly Violation[] {
  const { schema, value, path, previous } = place;
  if (value === null) return [];
  const rules = [schema, ...(schema.allOf ?? [])].flatMap((part) => part['x-kubernetes-validations'] ?? []);
  const found = rules.length === 0 ? [] : brokenRules(rules, place);
  const child = (childSchema: StructuralSchema, item: Json, childPath: string, before: Correlated | undefined) => {
    if (!hasRules(childSchema)) return [];
    const excused = before === undefined ? place.excused : unchanged(before, item);
    return inPlace({ schema: childSchema, value: item, path: childPath, previous: before, excused });
  };
  if (isList(value)) {
    const { items } = schema;
    if (items === undefined) return found;
    const inner = value.flatMap((item, index) =>
      child(items, item, `${path}[${index}]`, previousItem(schema, previous, item)),
    );
    return [...found, ...inner];
  }
  if (!isObject(value)) return found;
  const inner = Object.entries(value).flatMap(([name, item]) => {
    const childSchema = schemaOfField(schema, name);
    if (childSchema === undefined) return [];
    return child(childSchema, item, fieldPath(schema, path, name), previousField(previous, name));
  });
  return [...found, ...inner];
}

/** Most of a schema has no rules, and is skipped. */
const WITH_RULES = new WeakMap<StructuralSchema, boolean>();

function hasRules(schema: StructuralSchema): boolean {
  const known = WITH_RULES.get(schema);
  if (known !== undefined) return known;
  const { items, properties = {}, additionalProperties, allOf = [] } = schema;
  const parts = [...Object.values(properties), ...allOf];
  if (items !== undefined) parts.push(items);
  if (typeof additionalProperties === 'object') parts.push(additionalProperties);
  const has = (schema['x-kubernetes-validations'] ?? []).length > 0 || parts.some(hasRules);
  WITH_RULES.set(schema, has);
  return has;
}

/** Self and its former value as rules see them. */
interface Sight {
  readonly self: CelValue;
  readonly old: CelValue | undefined;
}

function brokenRules(rules: readonly ValidationRule[], place: Place): Violation[] {
  const { schema, value, path, previous } = place;
  const root = path === '';
  const old = previous === undefined ? undefined : celValue(schema, previous.value, root);
  const sight = { self: celValue(schema, value, root), old };
  return rules.flatMap((rule) => broken(rule, place, sight));
}

function broken(rule: ValidationRule, place: Place, sight: Sight): readonly Violation[] {
  const { schema, value, path, previous } = place;
  const field = path === '' ? NO_FIELD : path;
  const type = schema.type ?? '';
  const compiled = compile(rule.rule);
  if (!compiled.ok) return [invalidValue(field, type, `rule compile error: ${compiled.syntaxError}`)];
  const { program } = compiled;
  const usesOld = program.uses('oldSelf');
  if (usesOld && previous === undefined && rule.optionalOldSelf !== true) return [];
  const variables = variablesOf(rule, sight);
  const result = program.evaluate(variables);
  if (!result.ok) return [invalidValue(field, type, failureText(result.failure, rule))];
  if (result.value === true) return [];
  if (!usesOld && place.excused) return [];
  const at = path + (rule.fieldPath ?? '');
  const detail = messageOf(rule, variables);
  const bad = schema.type === 'object' || schema.type === 'array' ? OMITTED : value;
  return [forReason(rule.reason, at === '' ? NO_FIELD : at.replace(/^\./, ''), bad, detail)];
}

function variablesOf(rule: ValidationRule, { self, old }: Sight): Readonly<Record<string, CelValue>> {
  if (rule.optionalOldSelf === true) return { self, oldSelf: new Optional(old) };
  return old === undefined ? { self } : { self, oldSelf: old };
}

function failureText(failure: string, rule: ValidationRule): string {
  if (failure.startsWith('no such overload')) {
    const what = 'call arguments did not match a supported operator, function or macro signature for rule';
    return `'${failure}': ${what}: ${nameOf(rule)}`;
  }
  return `${failure} evaluating rule: ${nameOf(rule)}`;
}

function nameOf(rule: ValidationRule): string {
  return (rule.message === undefined || rule.message === '' ? rule.rule : rule.message).trim();
}

/** A message expression that fails, or gives an empty or broken line, gives way to the plain message. */
function messageOf(rule: ValidationRule, variables: Readonly<Record<string, CelValue>>): string {
  const plain =
    rule.message === undefined || rule.message === '' ? `failed rule: ${nameOf(rule)}` : rule.message.trim();
  if (rule.messageExpression === undefined) return plain;
  const compiled = compile(rule.messageExpression);
  const result = compiled.ok ? run(compiled.program, variables) : undefined;
  return result === undefined || result === '' || result.includes('\n') ? plain : result;
}

function run(program: CelProgram, variables: Readonly<Record<string, CelValue>>): string | undefined {
  const result = program.evaluate(variables);
  return result.ok && typeof result.value === 'string' ? result.value.trim() : undefined;
}

function forReason(
  reason: ValidationRule['reason'],
  field: string,
  value: Json | typeof OMITTED,
  detail: string,
): Violation {
  if (reason === 'FieldValueForbidden') return forbidden(field, detail);
  if (reason === 'FieldValueRequired') return required(field, detail);
  return reason === 'FieldValueDuplicate' ? duplicate(field, value) : invalidValue(field, value, detail);
}
