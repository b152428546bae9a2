import { jsonPathCell } from '../forms/json-path.ts';
import type { Json, JsonObject } from '../json.ts';
import { listAt, objectAt, textAt, textsAt } from '../object-fields.ts';
import { shapeOfSchema } from '../patch/shape-of-schema.ts';
import { defaulted } from '../schema/defaulted.ts';
import { pruned } from '../schema/pruned.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { violations } from '../schema/violations.ts';
import { AGE, age, NAME } from './columns.ts';
import type { Column, KindRules, ServedKind } from './kind.ts';

/** What a CustomResourceDefinition asks to be served: one kind for each served version. */
export function customKinds(crd: JsonObject): readonly ServedKind[] {
  const spec = objectAt(crd, 'spec');
  const names = objectAt(spec, 'names');
  const group = textAt(spec, 'group') ?? '';
  const plural = textAt(names, 'plural') ?? '';
  const kind = textAt(names, 'kind') ?? '';
  return listAt(spec, 'versions')
    .map((version) => objectAt(version))
    .filter((version) => version['served'] === true)
    .map((version): ServedKind => {
      const schema = objectAt(version, 'schema', 'openAPIV3Schema') as unknown as StructuralSchema;
      const hasStatus = objectAt(version, 'subresources')['status'] !== undefined;
      return {
        group,
        version: textAt(version, 'name') ?? '',
        plural,
        singular: textAt(names, 'singular') || kind.toLowerCase(),
        kind,
        listKind: textAt(names, 'listKind') || `${kind}List`,
        namespaced: textAt(spec, 'scope') === 'Namespaced',
        shortNames: textsAt(names, 'shortNames'),
        categories: textsAt(names, 'categories'),
        collection: `${plural}.${group}`,
        custom: true,
        subresources: hasStatus ? [{ name: 'status', verbs: ['get', 'patch', 'update'] }] : [],
        selectableFields: listAt(version, 'selectableFields').map((one) => (textAt(one, 'jsonPath') ?? '').slice(1)),
        columns: columnsOf(version),
        shape: shapeOfSchema(schema),
        rules: rulesOf(schema, hasStatus),
        schema: objectAt(version, 'schema', 'openAPIV3Schema'),
      };
    });
}

function rulesOf(schema: StructuralSchema, hasStatus: boolean): KindRules {
  return {
    read(body) {
      const { value, unknownPaths } = pruned(schema, body);
      return { object: objectAt(defaulted(schema, value)), unknownPaths };
    },
    // A new object has no status, whatever the body says.
    prepare: (next, previous) => {
      if (previous !== undefined || !hasStatus) return next;
      const { status: _, ...rest } = next;
      return rest;
    },
    validate: (next, previous) => violations(schema, next, previous),
    countsGenerations: true,
    replacesUnconditionally: false,
    createsOnReplace: false,
  };
}

function columnsOf(version: JsonObject): readonly Column[] {
  const told = listAt(version, 'additionalPrinterColumns');
  // Without any the server shows the age.
  return [NAME, ...(told.length === 0 ? [{ ...AGE, type: 'date' }] : told.map(columnOf))];
}

function columnOf(value: Json): Column {
  const type = textAt(value, 'type') ?? 'string';
  const cell = jsonPathCell(textAt(value, 'jsonPath') ?? '');
  const { format, description, priority } = objectAt(value);
  return {
    name: textAt(value, 'name') ?? '',
    type,
    ...(typeof format === 'string' ? { format } : {}),
    ...(typeof description === 'string' ? { description } : {}),
    ...(typeof priority === 'number' ? { priority } : {}),
    cell: (object, nowMs) => {
      const found = cell(object);
      if (found === undefined || type !== 'date') return found ?? null;
      return age(typeof found === 'string' ? found : undefined, nowMs);
    },
  };
}
