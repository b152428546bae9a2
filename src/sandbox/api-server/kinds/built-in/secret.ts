import { isObject, type Json, type JsonObject, sameJson } from '../../json.ts';
import { objectAt, textAt, without } from '../../object-fields.ts';
import { badRequest, type FieldError } from '../../status.ts';
import { fieldError } from '../field-errors.ts';
import type { OwnRules } from './own-rules.ts';
import { tlsWarnings } from './tls-warnings.ts';

const KEY = /^[-._a-zA-Z0-9]+$/;
const KEY_TEXT =
  "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or 'key-name', regex used for validation is '[-._a-zA-Z0-9]+')";
/** All values together; the text of the limit is the server's. */
const LARGEST_DATA_BYTES = 1024 * 1024;

const requiredKeys: Readonly<Record<string, readonly string[]>> = {
  'kubernetes.io/tls': ['tls.crt', 'tls.key'],
  'kubernetes.io/dockerconfigjson': ['.dockerconfigjson'],
  'kubernetes.io/dockercfg': ['.dockercfg'],
  'kubernetes.io/ssh-auth': ['ssh-privatekey'],
};

export const secretRules: OwnRules = {
  withDefaults(secret) {
    const data = { ...decodable(secret['data']), ...encoded(secret['stringData']) };
    const type = textAt(secret, 'type');
    return {
      ...without(secret, 'stringData', 'data'),
      ...(Object.keys(data).length === 0 ? {} : { data }),
      type: type === undefined || type === '' ? 'Opaque' : type,
    };
  },
  warnings: (next) => (textAt(next, 'type') === 'kubernetes.io/tls' ? tlsWarnings(objectAt(next, 'data')) : []),
  validate(next, previous) {
    const data = objectAt(next, 'data');
    const errors: FieldError[] = keyErrors(data);
    const missing = (requiredKeys[textAt(next, 'type') ?? ''] ?? []).filter((key) => !Object.hasOwn(data, key));
    errors.push(...missing.map((key) => fieldError.required(`data[${key}]`)));
    const bytes = Object.values(data).reduce<number>(
      (sum, value) => sum + Buffer.byteLength(String(value), 'base64'),
      0,
    );
    if (bytes > LARGEST_DATA_BYTES) {
      errors.push({
        field: 'data',
        reason: 'FieldValueTooLong',
        message: `Too long: may not be more than ${LARGEST_DATA_BYTES} bytes`,
      });
    }
    if (previous !== undefined) {
      if (next['type'] !== previous['type'])
        errors.push(fieldError.invalid('type', next['type'], 'field is immutable'));
      errors.push(...immutableErrors(next, previous, ['data']));
    }
    return errors;
  },
};

export const configMapRules: OwnRules = {
  withDefaults: (configMap) => withoutEmpty(configMap, 'data', 'binaryData'),
  validate(next, previous) {
    const errors = [...keyErrors(objectAt(next, 'data')), ...keyErrors(objectAt(next, 'binaryData'))];
    if (previous !== undefined) errors.push(...immutableErrors(next, previous, ['data', 'binaryData']));
    return errors;
  },
};

function keyErrors(data: JsonObject): FieldError[] {
  return Object.keys(data)
    .filter((key) => !KEY.test(key))
    .map((key) => fieldError.invalid(`data[${key}]`, key, KEY_TEXT));
}

/** Once `immutable` is true, it stays, and so do the contents. */
function immutableErrors(next: JsonObject, previous: JsonObject, fields: readonly string[]): readonly FieldError[] {
  if (previous['immutable'] !== true) return [];
  const detail = 'field is immutable when `immutable` is set';
  return [
    ...(next['immutable'] === true ? [] : [fieldError.forbidden('immutable', detail)]),
    ...fields
      .filter((field) => !sameJson(objectAt(next, field), objectAt(previous, field)))
      .map((field) => fieldError.forbidden(field, detail)),
  ];
}

/** Go decodes base64 strictly; a value with a fault in it is no Secret at all. Null is an empty value. */
function decodable(data: Json | undefined): JsonObject {
  if (data === undefined || data === null) return {};
  if (!isObject(data)) {
    const found = Array.isArray(data) ? 'array' : typeof data;
    throw badRequest(
      `Secret in version "v1" cannot be handled as a Secret: json: cannot unmarshal ${found} into Go struct field Secret.data of type map[string][]uint8`,
    );
  }
  const values = Object.entries(data).map(([key, value]): [string, Json] => {
    if (value === null) return [key, ''];
    if (typeof value !== 'string' || !isBase64(value)) {
      throw badRequest('Secret in version "v1" cannot be handled as a Secret: illegal base64 data at input byte 0');
    }
    return [key, value.replace(/[\r\n]/g, '')];
  });
  return Object.fromEntries(values);
}

function isBase64(text: string): boolean {
  const plain = text.replace(/[\r\n]/g, '');
  return plain.length % 4 === 0 && /^[A-Za-z0-9+/]*={0,2}$/.test(plain);
}

function encoded(stringData: Json | undefined): JsonObject {
  if (!isObject(stringData)) return {};
  return Object.fromEntries(
    Object.entries(stringData).map(([key, value]) => [key, Buffer.from(String(value ?? '')).toString('base64')]),
  );
}

/** Go leaves empty maps out when it writes. */
function withoutEmpty(object: JsonObject, ...fields: readonly string[]): JsonObject {
  return without(object, ...fields.filter((field) => Object.keys(objectAt(object, field)).length === 0));
}
