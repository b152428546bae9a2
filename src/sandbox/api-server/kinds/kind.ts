import type { Json, JsonObject } from '../json.ts';
import type { ApiObject } from '../object-fields.ts';
import type { Shape } from '../patch/shape.ts';
import type { FieldError } from '../status.ts';

/** One resource in one version, as it is served. */
export interface ServedKind {
  readonly group: string;
  readonly version: string;
  readonly plural: string;
  readonly singular: string;
  readonly kind: string;
  readonly listKind: string;
  readonly namespaced: boolean;
  readonly shortNames: readonly string[];
  readonly categories: readonly string[];
  /** Where its objects are stored; versions of one resource share it, and so do both groups of events. */
  readonly collection: string;
  /** Of a CRD; lists of these repeat `apiVersion` and `kind` in their items, and no strategic patch is served. */
  readonly custom: boolean;
  readonly subresources: readonly Subresource[];
  /** Besides `metadata.name` and `metadata.namespace`. */
  readonly selectableFields: readonly string[];
  readonly columns: readonly Column[];
  readonly shape: Shape;
  readonly rules: KindRules;
  /** `openAPIV3Schema` of a CRD. */
  readonly schema?: JsonObject;
}

export interface Subresource {
  readonly name: string;
  /** Of the object that is sent and answered, where it is not the resource's own. */
  readonly kind?: { readonly group: string; readonly version: string; readonly kind: string };
  readonly verbs: readonly string[];
}

/** One column of a `Table`. */
export interface Column {
  readonly name: string;
  readonly type: string;
  readonly format?: string;
  readonly description?: string;
  /** Above 0: `-o wide` only. */
  readonly priority?: number;
  readonly cell: (object: ApiObject, nowMs: number) => Json;
}

/** What happens to an object on its way in. */
export interface KindRules {
  /** Reads the body: drops what the kind does not have, fills in defaults. @throws StatusError 400 */
  readonly read: (object: JsonObject) => ReadObject;
  /** Sets what the server alone decides. `previous` is undefined on create. */
  readonly prepare?: (next: JsonObject, previous: ApiObject | undefined) => JsonObject;
  readonly validate?: (next: JsonObject, previous: ApiObject | undefined) => readonly FieldError[];
  /** What is taken all the same, and told in a `Warning` header. */
  readonly warnings?: (next: JsonObject) => readonly string[];
  /** What is wrong with a name; undefined for a good one. @default a DNS subdomain is wanted */
  readonly validateName?: (name: string) => string | undefined;
  /** `metadata.generation` counts changes outside of metadata and status. */
  readonly countsGenerations: boolean;
  /** A replace without resourceVersion is taken. */
  readonly replacesUnconditionally: boolean;
  /** A replace of an object that is not there makes it. */
  readonly createsOnReplace: boolean;
  /** Fields that Go writes even where nothing is set, as bookmarks show them. */
  readonly blank?: JsonObject;
  /** From and to the form that is stored, where this version differs in more than `apiVersion`. */
  readonly toStored?: (object: JsonObject) => JsonObject;
  readonly fromStored?: (object: ApiObject) => ApiObject;
}

export interface ReadObject {
  readonly object: JsonObject;
  /** `spec.colour`: fields that the kind does not have. */
  readonly unknownPaths: readonly string[];
}

export function apiVersionOfKind(kind: Pick<ServedKind, 'group' | 'version'>): string {
  return kind.group === '' ? kind.version : `${kind.group}/${kind.version}`;
}

export function hasStatus(kind: ServedKind): boolean {
  return kind.subresources.some(({ name }) => name === 'status');
}

/** A stored object as this version shows it. */
export function served(kind: ServedKind, stored: ApiObject): ApiObject {
  if (kind.rules.fromStored !== undefined) return kind.rules.fromStored(stored);
  const apiVersion = apiVersionOfKind(kind);
  return stored.apiVersion === apiVersion ? stored : { ...stored, apiVersion };
}
