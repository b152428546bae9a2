/**
 * The pages of the reference that follow from schemas and catalogues. A page and its source cannot disagree: a test
 * compares what is in the repository with what these functions write.
 *
 * @module
 */
import { RESOURCE_DEFINITIONS, type ResourceDefinition } from './crd.ts';
import { API_VERSION } from './names.ts';
import { REASON_GROUPS } from './reasons.ts';
import type { CelRule, ObjectSchema, Schema } from './schema.ts';

const generated = '<!-- Written by `node dist/src/api/emit.js`; change the source, not this page. -->';

/** A page of Markdown. */
export function page(title: string, intro: string, ...sections: readonly string[]): string {
  return `${[`# ${title}`, generated, intro, ...sections].join('\n\n')}\n`;
}

/** A table of Markdown; cells may hold any text. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;
  return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}

export const code = (text: string): string => `\`${text}\``;

/** docs/reference/resources.md */
export function resourcesPage(): string {
  const intro = `Resources of the group and version ${code(API_VERSION)}. A field with a default may be left out. Durations are texts such as ${code('500ms')}, ${code('2m')} or ${code('96h')}.`;
  return page('Resources', intro, ...RESOURCE_DEFINITIONS.map(resourceSection));
}

/** docs/reference/reasons.md */
export function reasonsPage(): string {
  const intro =
    'A reason is one word that means the same in a condition, an event, a metric, a log line and the status of a runtime.';
  const sections = Object.entries(REASON_GROUPS).map(([group, reasons]) => {
    const rows = Object.entries(reasons).map(([reason, { meaning, next }]) => [code(reason), meaning, `${next}.`]);
    return `## ${group}\n\n${table(['Reason', 'What is so', 'What to do'], rows)}`;
  });
  return page('Reasons', intro, ...sections);
}

function resourceSection(definition: ResourceDefinition): string {
  const { kind, plural } = definition.resource;
  const head = ['Field', 'Type', 'Default', 'Meaning'];
  const rules = rulesOf(definition.spec, 'spec');
  return [
    `## ${kind}`,
    `${definition.description} Short name ${definition.shortNames.map(code).join(', ')}, plural ${code(plural)}, category ${code('keyturn')}, namespaced.`,
    `### ${kind}.spec`,
    table(head, rowsOf(definition.spec, '')),
    ...(rules.length === 0 ? [] : ['Rules that the API server enforces:', table(['Field', 'Rule'], rules)]),
    `### ${kind}.status`,
    table(
      ['Field', 'Type', 'Meaning'],
      rowsOf(definition.status, '').map(([field = '', type = '', , meaning = '']) => [field, type, meaning]),
    ),
  ].join('\n\n');
}

function rowsOf(schema: ObjectSchema, prefix: string): string[][] {
  return Object.entries(schema.properties).flatMap(([name, field]) => {
    const path = prefix + name;
    const required = schema.required?.includes(name) === true && field.default === undefined;
    const byDefault = field.default === undefined ? (required ? 'required' : '') : defaultOf(field);
    return [[code(path), typeOf(field), byDefault, field.description ?? ''], ...nestedRows(field, path)];
  });
}

function nestedRows(field: Schema, path: string): string[][] {
  if (field.type === 'array') return nestedRows(field.items, `${path}[]`);
  return field.type === 'object' && 'properties' in field ? rowsOf(field, `${path}.`) : [];
}

function defaultOf(field: Schema): string {
  // Of an object, each field has a line and a default of its own.
  const text = JSON.stringify(field.default);
  return text === '{}' ? '' : code(typeof field.default === 'string' ? field.default : text);
}

function typeOf(field: Schema): string {
  if (field.type === 'array') return `list of ${typeOf(field.items)}, at most ${field.maxItems}`;
  if (field.type === 'object')
    return 'additionalProperties' in field ? `map to ${typeOf(field.additionalProperties)}` : 'object';
  if (field.type === 'string' && field.enum !== undefined) return field.enum.map(code).join(' or ');
  if (field.type === 'string' && field.format === 'date-time') return 'time';
  if (field.type === 'integer' && field.minimum !== undefined) {
    return field.maximum === undefined
      ? `integer from ${field.minimum}`
      : `integer ${field.minimum} to ${field.maximum}`;
  }
  return field.type;
}

function rulesOf(schema: Schema, path: string): string[][] {
  const own = (schema['x-kubernetes-validations'] ?? []).map(({ message, fieldPath }: CelRule) => [
    code(path + (fieldPath ?? '')),
    message,
  ]);
  if (schema.type === 'array') return [...own, ...rulesOf(schema.items, `${path}[]`)];
  if (schema.type !== 'object' || !('properties' in schema)) return own;
  return [...own, ...Object.entries(schema.properties).flatMap(([name, field]) => rulesOf(field, `${path}.${name}`))];
}
