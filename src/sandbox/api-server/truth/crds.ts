import type { StructuralSchema } from '../schema/structural-schema.ts';

/** Kinds made for comparing schemas and ownership with the real API server: one of each thing that a schema can say. */

const text: StructuralSchema = { type: 'string' };

export const WIDGET_SCHEMA: StructuralSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      required: ['size'],
      properties: {
        size: { type: 'integer', minimum: 1, maximum: 10, format: 'int32' },
        colour: { type: 'string', enum: ['red', 'green'], default: 'red' },
        name: { type: 'string', pattern: '^[a-z]+$', minLength: 2, maxLength: 5 },
        even: { type: 'integer', multipleOf: 2, minimum: 0, exclusiveMinimum: true },
        ratio: { type: 'number', maximum: 1, exclusiveMaximum: true },
        isOn: { type: 'boolean' },
        since: { type: 'string', format: 'date-time' },
        every: { type: 'string', format: 'duration' },
        id: { type: 'string', format: 'uuid' },
        bytes: { type: 'string', format: 'byte' },
        port: { 'x-kubernetes-int-or-string': true },
        maybe: { type: 'string', nullable: true },
        tags: { type: 'array', 'x-kubernetes-list-type': 'set', items: text, maxItems: 3 },
        ports: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: {
            type: 'object',
            required: ['name'],
            properties: {
              name: text,
              number: { type: 'integer' },
              fixed: {
                type: 'string',
                maxLength: 10,
                'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'fixed is fixed' }],
              },
            },
          },
        },
        labels: {
          type: 'object',
          additionalProperties: { type: 'string', maxLength: 3 },
          minProperties: 1,
          maxProperties: 2,
        },
        free: {
          type: 'object',
          'x-kubernetes-preserve-unknown-fields': true,
          properties: { known: { type: 'integer' } },
        },
        nested: {
          type: 'object',
          default: { deep: { a: 1 } },
          properties: {
            deep: { type: 'object', properties: { a: { type: 'integer' }, b: { type: 'integer', default: 2 } } },
          },
        },
        one: {
          type: 'object',
          properties: { a: text, b: text },
          oneOf: [{ required: ['a'] }, { required: ['b'] }],
        },
        any: { type: 'object', properties: { a: text, b: text }, anyOf: [{ required: ['a'] }, { required: ['b'] }] },
        low: { type: 'integer' },
        high: { type: 'integer' },
        secret: {
          type: 'string',
          maxLength: 20,
          'x-kubernetes-validations': [
            { rule: "!self.startsWith('x')", message: 'must not start with x' },
            { rule: "!self.endsWith('z')", messageExpression: "'bad end of ' + self" },
            { rule: "self != 'no'", reason: 'FieldValueForbidden', message: 'is not allowed' },
          ],
        },
      },
      'x-kubernetes-validations': [
        {
          rule: '!has(self.low) || !has(self.high) || self.low < self.high',
          message: 'low below high',
          fieldPath: '.low',
        },
        { rule: "!has(self.every) || self.every >= duration('1s')", message: 'every at least a second' },
        { rule: '!has(self.low) || 100 / self.low > 0' },
        { rule: 'has(self.isOn) == has(oldSelf.isOn)', message: 'isOn stays as it is' },
      ],
    },
    status: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
  },
};

/** No defaults and no rules, so that all that is seen of it is who owns what. */
export const THING_SCHEMA: StructuralSchema = {
  type: 'object',
  properties: {
    spec: {
      type: 'object',
      properties: {
        a: text,
        inner: { type: 'object', properties: { x: text, y: text } },
        map: { type: 'object', additionalProperties: text },
        whole: { type: 'object', 'x-kubernetes-map-type': 'atomic', additionalProperties: text },
        list: { type: 'array', items: text },
        set: { type: 'array', 'x-kubernetes-list-type': 'set', items: text },
        parts: {
          type: 'array',
          'x-kubernetes-list-type': 'map',
          'x-kubernetes-list-map-keys': ['name'],
          items: { type: 'object', required: ['name'], properties: { name: text, value: text, more: text } },
        },
        free: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      },
    },
    status: { type: 'object', properties: { phase: text, note: text } },
  },
};

export const TRUTH_GROUP = 'truth.example.com';

export function truthCrd(kind: string, schema: StructuralSchema): Readonly<Record<string, unknown>> {
  const plural = `${kind.toLowerCase()}s`;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${TRUTH_GROUP}` },
    spec: {
      group: TRUTH_GROUP,
      scope: 'Namespaced',
      names: { kind, listKind: `${kind}List`, plural, singular: kind.toLowerCase() },
      versions: [
        { name: 'v1', served: true, storage: true, subresources: { status: {} }, schema: { openAPIV3Schema: schema } },
      ],
    },
  };
}
