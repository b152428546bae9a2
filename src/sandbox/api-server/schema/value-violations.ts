import { goPattern } from '../go-pattern.ts';
import { quoted } from '../go-text.ts';
import { isList, isObject, type Json, sameJson } from '../json.ts';
import { type Correlated, previousField, previousItem, unchanged } from './correlated.ts';
import { hasFormat } from './formats.ts';
import type { StructuralSchema } from './structural-schema.ts';
import {
  invalidType,
  invalidValue,
  NO_FIELD,
  notSupported,
  required,
  tooLong,
  tooMany,
  type Violation,
} from './violation.ts';

/** What one value breaks, and how many checks it went through: of several alternatives the one that got furthest is reported. */
interface Judgement {
  readonly violations: readonly Violation[];
  readonly checks: number;
}

/** Types, bounds, patterns, formats, enums, required fields and alternatives; list types and rules are judged elsewhere. */
export function valueViolations(
  schema: StructuralSchema,
  value: Json,
  path: string,
  previous?: Correlated,
): readonly Violation[] {
  return distinct(judge(schema, value, path, previous).violations);
}

function judge(schema: StructuralSchema, value: Json, path: string, previous: Correlated | undefined): Judgement {
  const parts: Judgement[] = [one(typeViolations(schema, value, path), 2)];
  if (value === null) {
    parts.push(one(enumViolations(schema, value, path), 0));
  } else {
    parts.push(alternatives(schema, value, path, previous));
    if (typeof value === 'string') parts.push(one(textViolations(schema, value, path), 1));
    if (typeof value === 'string') parts.push(one(formatViolations(schema, value, path), 1));
    if (typeof value === 'number') parts.push(one(numberViolations(schema, value, path), 2));
    if (isList(value)) parts.push(listJudgement(schema, value, path, previous));
    parts.push(one(enumViolations(schema, value, path), 1));
    if (isObject(value)) parts.push(objectJudgement(schema, value, path, previous));
    parts.push(one([], 1));
  }
  const all = sum(parts);
  if (all.violations.length > 0 && unchanged(previous, value)) return { violations: [], checks: all.checks };
  return all;
}

function one(violations: readonly Violation[], checks: number): Judgement {
  return { violations, checks };
}

function sum(parts: readonly Judgement[]): Judgement {
  return {
    violations: parts.flatMap(({ violations }) => violations),
    checks: parts.reduce((checks, part) => checks + part.checks, 0),
  };
}

function typeViolations(schema: StructuralSchema, value: Json, path: string): readonly Violation[] {
  const types =
    schema['x-kubernetes-int-or-string'] === true ? ['integer', 'string'] : schema.type ? [schema.type] : [];
  const wrong = (type: string, found: string): readonly Violation[] => [
    invalidType(path, found, `${path} in body must be of type ${type}: ${quoted(found)}`),
  ];
  if (types.length === 0) return [];
  if (value === null) return schema.nullable === true ? [] : wrong(types.join(','), 'null');
  const { type, format } = typeOf(value);
  if (types.includes(type) || (type === 'integer' && types.includes('number'))) return [];
  const numeric = types.includes('integer') || types.includes('number');
  const textual = typeof value === 'string' || isList(value);
  // For anything but texts and lists, the API server names the format instead of the type.
  if (!textual && checkedFormat(schema) !== undefined) return wrong(schema.format ?? '', format);
  if (textual && !numeric && checkedFormat(schema) !== undefined) return [];
  return wrong(types.join(','), type);
}

function typeOf(value: Exclude<Json, null>): { readonly type: string; readonly format: string } {
  if (isList(value)) return { type: 'array', format: '' };
  if (typeof value === 'number') {
    return Number.isInteger(value) ? { type: 'integer', format: 'int64' } : { type: 'number', format: 'float64' };
  }
  return { type: typeof value === 'object' ? 'object' : typeof value, format: '' };
}

/** The format where it means something for the type; others are ignored. */
function checkedFormat(schema: StructuralSchema): string | undefined {
  const { format, type } = schema;
  if (format === undefined || format === '') return undefined;
  if (type === 'integer') return format === 'int32' || format === 'int64' ? format : undefined;
  if (type === 'number') return format === 'float' || format === 'double' ? format : undefined;
  return hasFormat(format, '') === undefined ? undefined : format;
}

function textViolations(schema: StructuralSchema, text: string, path: string): readonly Violation[] {
  const { maxLength, minLength, pattern } = schema;
  const length = [...text].length;
  if (maxLength !== undefined && length > maxLength) return [tooLong(path, maxLength)];
  if (minLength !== undefined && length < minLength) {
    return [invalidValue(path, text, `${path} in body should be at least ${minLength} chars long`)];
  }
  if (pattern !== undefined && pattern !== '' && goPattern(pattern)?.test(text) !== true) {
    return [invalidValue(path, text, `${path} in body should match '${pattern}'`)];
  }
  return [];
}

function formatViolations(schema: StructuralSchema, text: string, path: string): readonly Violation[] {
  const { format, type } = schema;
  if (format === undefined || (type !== undefined && type !== 'string') || hasFormat(format, text) !== false) return [];
  return [invalidType(path, text, `${path} in body must be of type ${format}: ${quoted(text)}`)];
}

function numberViolations(schema: StructuralSchema, value: number, path: string): readonly Violation[] {
  const { type, format, multipleOf, maximum, minimum, exclusiveMaximum, exclusiveMinimum } = schema;
  const found: Violation[] = [];
  const bits = type === 'integer' && format === 'int32' ? 31 : 63;
  const fits = Number.isInteger(value) && value >= -(2 ** bits) && value <= 2 ** bits - 1;
  if (type === 'integer' && !fits) {
    const kind = format === undefined ? '(default format)' : `with format ${format}`;
    found.push(invalidValue(NO_FIELD, '', `Checked value must be of type integer ${kind} in ${path}`));
  }
  const wrong = (detail: string) => found.push(invalidValue(path, value, `${path} in body should be ${detail}`));
  if (multipleOf !== undefined && !Number.isInteger(value / multipleOf)) wrong(`a multiple of ${multipleOf}`);
  if (maximum !== undefined) {
    if (exclusiveMaximum === true && value >= maximum) wrong(`less than ${maximum}`);
    else if (value > maximum) wrong(`less than or equal to ${maximum}`);
  }
  if (minimum !== undefined) {
    if (exclusiveMinimum === true && value <= minimum) wrong(`greater than ${minimum}`);
    else if (value < minimum) wrong(`greater than or equal to ${minimum}`);
  }
  return found;
}

function enumViolations(schema: StructuralSchema, value: Json, path: string): readonly Violation[] {
  const allowed = schema.enum;
  if (allowed === undefined || allowed.length === 0 || allowed.some((choice) => sameJson(choice, value))) return [];
  return [notSupported(path, value, allowed)];
}

function listJudgement(
  schema: StructuralSchema,
  list: readonly Json[],
  path: string,
  previous: Correlated | undefined,
): Judgement {
  const { items, minItems, maxItems, uniqueItems } = schema;
  const parts = list.map((item, index) => {
    if (items === undefined) return one([], 0);
    return judge(items, item, `${path}[${index}]`, previousItem(schema, previous, item));
  });
  const own: Violation[] = [];
  if (minItems !== undefined && list.length < minItems) {
    own.push(invalidValue(path, list.length, `${path} in body should have at least ${minItems} items`));
  }
  if (maxItems !== undefined && list.length > maxItems) own.push(tooMany(path, list.length, maxItems));
  if (uniqueItems === true && list.some((item, index) => list.slice(0, index).some((other) => sameJson(item, other)))) {
    own.push(invalidValue(path, '', `${path} in body shouldn't contain duplicates`));
  }
  return sum([...parts, one(own, 2)]);
}

function objectJudgement(
  schema: StructuralSchema,
  value: { readonly [name: string]: Json },
  path: string,
  previous: Correlated | undefined,
): Judgement {
  const { properties = {}, additionalProperties, minProperties, maxProperties } = schema;
  const own: Violation[] = [];
  const count = Object.keys(value).length;
  if (minProperties !== undefined && count < minProperties) {
    own.push(invalidValue(path, count, `${path} in body should have at least ${minProperties} properties`));
  }
  if (maxProperties !== undefined && count > maxProperties) own.push(tooMany(path, count, maxProperties));
  const child = (name: string, childSchema: StructuralSchema, item: Json): Judgement =>
    judge(childSchema, item, path === '' ? name : `${path}.${name}`, correlatedChild(path, previous, name));
  const fields = Object.entries(value).flatMap(([name, item]): Judgement[] => {
    if (Object.hasOwn(properties, name)) return [];
    if (additionalProperties === false) {
      return [one([invalidValue(path, name, `${path}.${name} in body is a forbidden property`)], 0)];
    }
    return typeof additionalProperties === 'object' ? [child(name, additionalProperties, item)] : [];
  });
  for (const [name, property] of Object.entries(properties)) {
    const item = Object.hasOwn(value, name) ? value[name] : undefined;
    if (item !== undefined) fields.push(child(name, property, item));
  }
  const missing = (schema.required ?? [])
    .filter((name) => !Object.hasOwn(value, name))
    .map((name) => required(path === '' ? name : `${path}.${name}`));
  return sum([one(own, 0), ...fields, one(missing, 1)]);
}

/** The type of an object is never excused by having been so before. */
function correlatedChild(path: string, previous: Correlated | undefined, name: string): Correlated | undefined {
  if (path === '' && (name === 'apiVersion' || name === 'kind')) return undefined;
  return previousField(previous, name);
}

function alternatives(
  schema: StructuralSchema,
  value: Json,
  path: string,
  previous: Correlated | undefined,
): Judgement {
  const parts: Judgement[] = [];
  const judgeAll = (schemas: readonly StructuralSchema[]) =>
    schemas.map((alternative) => judge(alternative, value, path, previous));
  const unmet = (detail: string) => one([invalidValue(NO_FIELD, '', `${quoted(path)} must ${detail}`)], 0);

  if (schema.anyOf !== undefined && schema.anyOf.length > 0) {
    const judged = judgeAll(schema.anyOf);
    const met = judged.find(isMet);
    if (met === undefined) parts.push(unmet('validate at least one schema (anyOf)'), furthest(judged));
    else parts.push(met);
  }
  if (schema.oneOf !== undefined && schema.oneOf.length > 0) {
    const judged = judgeAll(schema.oneOf);
    const met = judged.filter(isMet);
    const [only] = met;
    if (only === undefined) {
      parts.push(unmet('validate one and only one schema (oneOf). Found none valid'), furthest(judged));
    } else if (met.length > 1) {
      parts.push(unmet(`validate one and only one schema (oneOf). Found ${met.length} valid alternatives`));
    } else {
      parts.push(only);
    }
  }
  if (schema.allOf !== undefined && schema.allOf.length > 0) {
    const judged = judgeAll(schema.allOf);
    parts.push(...judged);
    const met = judged.filter(isMet).length;
    if (met < judged.length) {
      parts.push(unmet(`validate all the schemas (allOf)${met === 0 ? '. None validated' : ''}`));
    }
  }
  if (schema.not !== undefined && isMet(judge(schema.not, value, path, previous))) {
    parts.push(unmet('not validate the schema (not)'));
  }
  return sum([...parts, one([], 2)]);
}

function isMet({ violations }: Judgement): boolean {
  return violations.length === 0;
}

function furthest(judged: readonly Judgement[]): Judgement {
  return judged.reduce((best, next) => (next.checks > best.checks ? next : best));
}

function distinct(violations: readonly Violation[]): readonly Violation[] {
  const seen = new Set<string>();
  return violations.filter(({ field, message }) => {
    const text = `${field}: ${message}`;
    if (seen.has(text)) return false;
    seen.add(text);
    return true;
  });
}
