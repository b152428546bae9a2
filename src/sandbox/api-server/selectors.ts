import { quoted } from './go-text.ts';
import { field, fieldAt, isList, isObject, type Json, type JsonObject } from './json.ts';
import { labelKeyProblem, labelValueProblem } from './label-text.ts';
import { type Answer, answered, refused } from './refusal.ts';
import { parseRequirements, type Requirement } from './selector-text.ts';

export type LabelMatcher = (labels: Readonly<Record<string, string>>) => boolean;

/** `labelSelector` of a query: `a=b,c!=d,e in (f,g),!h`. An empty text selects everything. Refused with 400. */
export function labelSelector(text: string): Answer<LabelMatcher> {
  const parsed = parseRequirements(text);
  return parsed.ok ? answered(matcher(parsed.requirements)) : refused(400, 'BadRequest', parsed.problem);
}

/**
 * A `LabelSelector` object (`matchLabels`, `matchExpressions`), as webhooks have it. Empty and undefined select everything.
 * Refused with 400.
 */
export function labelSelectorOf(selector: Json | undefined): Answer<LabelMatcher> {
  const requirements: Requirement[] = [];
  const labels = field(selector, 'matchLabels');
  for (const [key, value] of Object.entries(isObject(labels) ? labels : {})) {
    requirements.push({ key, operator: '=', values: [String(value)] });
  }
  const expressions = field(selector, 'matchExpressions');
  for (const expression of isList(expressions) ? expressions : []) {
    const operator = OPERATORS[String(field(expression, 'operator'))];
    const values = field(expression, 'values');
    if (operator === undefined) {
      const named = quoted(String(field(expression, 'operator') ?? ''));
      return refused(400, 'BadRequest', `${named} is not a valid label selector operator`);
    }
    requirements.push({
      key: String(field(expression, 'key') ?? ''),
      operator,
      values: (isList(values) ? values : []).map(String),
    });
  }
  for (const { key, values } of requirements) {
    const problem = labelKeyProblem(key) ?? values.map(labelValueProblem).find((found) => found !== undefined);
    if (problem !== undefined) return refused(400, 'BadRequest', problem);
  }
  return answered(matcher(requirements));
}

const OPERATORS: Readonly<Record<string, Requirement['operator']>> = {
  In: 'in',
  NotIn: 'notin',
  Exists: 'exists',
  DoesNotExist: '!',
};

function matcher(requirements: readonly Requirement[]): LabelMatcher {
  return (labels) => requirements.every((requirement) => meets(requirement, labels));
}

function meets({ key, operator, values }: Requirement, labels: Readonly<Record<string, string>>): boolean {
  const value = Object.hasOwn(labels, key) ? labels[key] : undefined;
  switch (operator) {
    case 'exists':
      return value !== undefined;
    case '!':
      return value === undefined;
    case '=':
    case 'in':
      return value !== undefined && values.includes(value);
    case '!=':
    case 'notin':
      return value === undefined || !values.includes(value);
    case '>':
    case '<': {
      if (value === undefined || !/^[+-]?\d+$/.test(value)) return false;
      const limit = BigInt(values[0] ?? '0');
      return operator === '>' ? BigInt(value) > limit : BigInt(value) < limit;
    }
  }
}

export type ObjectMatcher = (object: JsonObject) => boolean;

/**
 * `fieldSelector` of a query. `supported` lists the fields that a kind knows besides `metadata.name` and
 * `metadata.namespace`; a field that is missing counts as empty. Refused with 400, in other words for custom resources.
 */
export function fieldSelector(text: string, supported: readonly string[], custom = false): Answer<ObjectMatcher> {
  const tests: ObjectMatcher[] = [];
  for (const term of text.split(/(?<!\\),/)) {
    if (term === '') continue;
    const parts = /^(.*?)(!=|==|=)(.*)$/s.exec(term);
    if (parts === null) {
      return refused(400, 'BadRequest', `invalid selector: '${text}'; can't understand '${term}'`);
    }
    const [, name = '', operator = '', escaped = ''] = parts;
    if (!['metadata.name', 'metadata.namespace', ...supported].includes(name)) {
      const plain = supported.length === 0 && !custom;
      const known = `${quoted(name)} is not a known field selector: only "metadata.name", "metadata.namespace"`;
      return refused(400, 'BadRequest', plain ? known : `field label not supported: ${name}`);
    }
    const value = unescaped(escaped);
    if (!value.ok) return value;
    const isNegated = operator === '!=';
    tests.push((object) => (textAt(object, name) === value.value) !== isNegated);
  }
  return answered((object) => tests.every((matches) => matches(object)));
}

function textAt(object: JsonObject, name: string): string {
  const value = fieldAt(object, ...name.split('.'));
  return value === undefined || value === null ? '' : String(value);
}

function unescaped(text: string): Answer<string> {
  const stray = /\\(?![\\,=])|(?<!\\)(?:\\\\)*([,=])/.exec(text);
  if (stray === null) return answered(text.replace(/\\([\\,=])/g, '$1'));
  const problem =
    stray[1] === undefined
      ? `invalid escape sequence: ${text.slice(stray.index, stray.index + 2)}`
      : `unescaped character in value: ${stray[1].charCodeAt(0)}`;
  return refused(400, 'BadRequest', `invalid field selector: ${problem}`);
}
