import { field, fieldAt, isList, isObject, type Json, type JsonObject, objectOf } from '../json.ts';
import { type FieldSet, isNothing } from './field-set.ts';
import { fromFieldsV1, toFieldsV1 } from './fields-v1.ts';

/** One manager of an object's fields. */
export interface Manager {
  readonly name: string;
  readonly operation: 'Apply' | 'Update';
  readonly apiVersion: string;
  readonly subresource: string | undefined;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** By {@link managerId}. */
export type Managers = ReadonlyMap<string, Manager>;

/** What makes two entries one: for an apply the version does not count. */
export function managerId(manager: Pick<Manager, 'name' | 'operation' | 'apiVersion' | 'subresource'>): string {
  const { name, operation, apiVersion, subresource } = manager;
  return JSON.stringify([name, operation, operation === 'Apply' ? '' : apiVersion, subresource ?? '']);
}

/** The managers that an object lists; undefined where its list is none, or broken. */
export function managersOf(object: JsonObject | undefined): Managers | undefined {
  const entries = fieldAt(object, 'metadata', 'managedFields');
  if (!isList(entries)) return undefined;
  const managers = new Map<string, Manager>();
  for (const entry of entries) {
    const manager = managerOf(entry);
    if (manager === undefined) return undefined;
    managers.set(managerId(manager), manager);
  }
  return managers;
}

function managerOf(entry: Json): Manager | undefined {
  const text = (name: string): string | undefined => {
    const value = field(entry, name);
    return typeof value === 'string' && value !== '' ? value : undefined;
  };
  const operation = text('operation');
  const apiVersion = text('apiVersion');
  const fields = fromFieldsV1(field(entry, 'fieldsV1'));
  if (operation !== 'Apply' && operation !== 'Update') return undefined;
  if (apiVersion === undefined || text('fieldsType') !== 'FieldsV1' || fields === undefined) return undefined;
  return {
    name: text('manager') ?? '',
    operation,
    apiVersion,
    subresource: text('subresource'),
    time: text('time'),
    fields,
  };
}

/** `managedFields: []` and `[{}]` ask for the list to be dropped. */
export function asksForReset(object: JsonObject): boolean {
  const entries = fieldAt(object, 'metadata', 'managedFields');
  if (!isList(entries)) return false;
  const [first] = entries;
  return entries.length === 0 || (entries.length === 1 && isObject(first) && Object.keys(first).length === 0);
}

export function withoutManagers(object: JsonObject): JsonObject {
  const metadata = object['metadata'];
  if (!isObject(metadata) || !Object.hasOwn(metadata, 'managedFields')) return object;
  const kept = Object.entries(metadata).filter(([name]) => name !== 'managedFields');
  return { ...object, metadata: objectOf(kept) };
}

/** The object with these managers; those that own nothing are left out. */
export function withManagers(object: JsonObject, managers: Managers): JsonObject {
  const plain = withoutManagers(object);
  const entries = [...managers.values()].filter(({ fields }) => !isNothing(fields)).sort(byEntryOrder);
  if (entries.length === 0) return plain;
  const metadata = plain['metadata'];
  return {
    ...plain,
    metadata: { ...(isObject(metadata) ? metadata : {}), managedFields: entries.map(entryOf) },
  };
}

function entryOf({ name, operation, apiVersion, subresource, time, fields }: Manager): JsonObject {
  return {
    manager: name,
    operation,
    apiVersion,
    ...(time === undefined ? {} : { time }),
    fieldsType: 'FieldsV1',
    fieldsV1: toFieldsV1(fields),
    ...(subresource === undefined ? {} : { subresource }),
  };
}

function byEntryOrder(one: Manager, other: Manager): number {
  const keys = ({ operation, time, name, apiVersion, subresource }: Manager) => [
    operation,
    time ?? '',
    name,
    apiVersion,
    subresource ?? '',
  ];
  const right = keys(other);
  for (const [index, left] of keys(one).entries()) {
    const against = right[index] ?? '';
    if (left !== against) return left < against ? -1 : 1;
  }
  return 0;
}
