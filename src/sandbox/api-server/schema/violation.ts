import { quoted, shown } from '../go-text.ts';
import type { Json } from '../json.ts';
import type { StatusCause } from '../refusal.ts';

/** What a value breaks. `message` is what stands in a cause (`Invalid value: ...`), without the path. */
export interface Violation extends StatusCause {
  readonly field: string;
}

/** Stands for a value that a message leaves out. */
export const OMITTED = Symbol('omitted');

/** A violation of no particular field; the API server prints the missing path so. */
export const NO_FIELD = '<nil>';

export function invalidValue(field: string, value: Json | typeof OMITTED, detail: string): Violation {
  return violation('FieldValueInvalid', field, withValue('Invalid value', value), detail);
}

export function invalidType(field: string, value: Json, detail: string): Violation {
  return violation('FieldValueTypeInvalid', field, withValue('Invalid value', value), detail);
}

export function required(field: string, detail = ''): Violation {
  return violation('FieldValueRequired', field, 'Required value', detail);
}

export function forbidden(field: string, detail: string): Violation {
  return violation('FieldValueForbidden', field, 'Forbidden', detail);
}

export function duplicate(field: string, value: Json | typeof OMITTED): Violation {
  return violation('FieldValueDuplicate', field, withValue('Duplicate value', value), '');
}

export function notSupported(field: string, value: Json, supported: readonly Json[]): Violation {
  const values = supported.map((one) => quoted(typeof one === 'string' ? one : JSON.stringify(one)));
  const detail = values.length === 0 ? '' : `supported values: ${values.join(', ')}`;
  return violation('FieldValueNotSupported', field, withValue('Unsupported value', value), detail);
}

export function tooLong(field: string, maxLength: number): Violation {
  return violation('FieldValueTooLong', field, 'Too long', `may not be more than ${counted(maxLength, 'byte')}`);
}

export function tooMany(field: string, actual: number, max: number): Violation {
  return violation('FieldValueTooMany', field, `Too many: ${actual}`, `must have at most ${counted(max, 'item')}`);
}

function violation(reason: string, field: string, what: string, detail: string): Violation {
  return { reason, field, message: detail === '' ? what : `${what}: ${detail}` };
}

function withValue(what: string, value: Json | typeof OMITTED): string {
  return value === OMITTED ? what : `${what}: ${shown(value)}`;
}

function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? '' : 's'}`;
}
