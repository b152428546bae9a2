import type { Json } from '../json.ts';
import type { FieldError } from '../status.ts';

/** Errors of single fields in the words of apimachinery's `field` package. */
export const fieldError = {
  required: (field: string, detail = ''): FieldError => ({
    field,
    reason: 'FieldValueRequired',
    message: detail === '' ? 'Required value' : `Required value: ${detail}`,
  }),
  invalid: (field: string, value: Json | undefined, detail: string): FieldError => ({
    field,
    reason: 'FieldValueInvalid',
    message: `Invalid value: ${shown(value)}: ${detail}`,
  }),
  forbidden: (field: string, detail: string): FieldError => ({
    field,
    reason: 'FieldValueForbidden',
    message: `Forbidden: ${detail}`,
  }),
  notSupported: (field: string, value: Json | undefined, supported: readonly string[]): FieldError => ({
    field,
    reason: 'FieldValueNotSupported',
    message: `Unsupported value: ${shown(value)}: supported values: ${supported.map((one) => `"${one}"`).join(', ')}`,
  }),
} as const;

function shown(value: Json | undefined): string {
  return value === undefined ? 'null' : JSON.stringify(value);
}
