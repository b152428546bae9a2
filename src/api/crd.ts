import type { Resource } from '../kubernetes/resource.ts';
import { GROUP, RUNTIME_TRUST, TRUST_DOMAIN, VERSION } from './names.ts';
import { runtimeTrustSpec, runtimeTrustStatus } from './runtime-trust.ts';
import { type CelRule, type ObjectSchema, type Schema, withDefaults } from './schema.ts';
import { trustDomainSpec } from './trust-domain.ts';
import { trustDomainStatus } from './trust-domain-status.ts';

interface PrinterColumn {
  readonly name: string;
  readonly type: 'string' | 'integer' | 'date';
  readonly jsonPath: string;
  /** Above 0: shown by `-o wide` only. */
  readonly priority?: number;
  readonly description?: string;
}

/** A resource of ours, with all that its CustomResourceDefinition says. */
export interface ResourceDefinition {
  readonly resource: Resource;
  readonly singular: string;
  readonly shortNames: readonly string[];
  readonly description: string;
  readonly spec: ObjectSchema;
  readonly status: ObjectSchema;
  readonly required: readonly string[];
  readonly validations: readonly CelRule[];
  readonly columns: readonly PrinterColumn[];
  readonly selectableFields: readonly string[];
}

const ready = '.status.conditions[?(@.type=="Ready")]';
const age: PrinterColumn = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };

const trustDomain: ResourceDefinition = {
  resource: TRUST_DOMAIN,
  singular: 'trustdomain',
  shortNames: ['td'],
  description: 'One gateway, its root and the fleet of runtimes that talk to it.',
  spec: trustDomainSpec,
  status: trustDomainStatus,
  required: [],
  validations: [],
  columns: [
    { name: 'Ready', type: 'string', jsonPath: `${ready}.status` },
    { name: 'Runtimes', type: 'integer', jsonPath: '.status.runtimes.total' },
    { name: 'Bundle', type: 'integer', jsonPath: '.status.runtimes.bundle' },
    { name: 'Current', type: 'integer', jsonPath: '.status.runtimes.current' },
    { name: 'Waits', type: 'integer', jsonPath: '.status.candidate.waitsForCount' },
    age,
    { name: 'Reason', type: 'string', jsonPath: `${ready}.reason`, priority: 1 },
    { name: 'Next', type: 'string', jsonPath: '.status.nextStep', priority: 1 },
  ],
  selectableFields: [],
};

const runtimeTrust: ResourceDefinition = {
  resource: RUNTIME_TRUST,
  singular: 'runtimetrust',
  shortNames: ['rt'],
  description: 'What one runtime holds, how that is proven, and why not yet. Written by the operator only.',
  spec: runtimeTrustSpec,
  status: runtimeTrustStatus,
  required: ['spec'],
  validations: [],
  columns: [
    { name: 'Ready', type: 'string', jsonPath: `${ready}.status` },
    { name: 'Reason', type: 'string', jsonPath: `${ready}.reason` },
    { name: 'Roots', type: 'integer', jsonPath: '.status.bundleCount' },
    { name: 'Proof', type: 'string', jsonPath: '.status.proof' },
    age,
    { name: 'Root', type: 'string', jsonPath: '.status.root', priority: 1 },
    { name: 'Waits', type: 'string', jsonPath: '.status.waits', priority: 1 },
  ],
  selectableFields: ['.spec.trustDomainRef.name'],
};

/** Every resource of ours. */
export const RESOURCE_DEFINITIONS: readonly ResourceDefinition[] = [trustDomain, runtimeTrust];

/** Any object to be applied. */
export interface Manifest {
  readonly apiVersion: string;
  readonly kind: string;
  readonly metadata: { readonly name: string; readonly namespace?: string; readonly labels?: Record<string, string> };
  readonly [field: string]: unknown;
}

/** The CustomResourceDefinition, as `kubectl apply` takes it. */
export function crdOf(definition: ResourceDefinition): Manifest {
  const { plural, kind } = definition.resource;
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${GROUP}` },
    spec: {
      group: GROUP,
      scope: 'Namespaced',
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: definition.singular,
        shortNames: definition.shortNames,
        categories: ['keyturn'],
      },
      versions: [
        {
          name: VERSION,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns: definition.columns,
          ...(definition.selectableFields.length === 0
            ? {}
            : { selectableFields: definition.selectableFields.map((jsonPath) => ({ jsonPath })) }),
          schema: { openAPIV3Schema: rootSchema(definition) },
        },
      ],
    },
  };
}

function rootSchema(definition: ResourceDefinition): Schema & Record<string, unknown> {
  return {
    type: 'object',
    description: definition.description,
    ...(definition.required.length === 0 ? {} : { required: definition.required }),
    ...(definition.validations.length === 0 ? {} : { 'x-kubernetes-validations': definition.validations }),
    properties: {
      apiVersion: { type: 'string' },
      kind: { type: 'string' },
      metadata: { type: 'object', properties: {} },
      spec: withWholeDefaults(definition.spec),
      status: definition.status,
    },
  };
}

/** The API server judges a default by the rules before it fills in nested defaults; so where there is a rule, the default is whole. */
function withWholeDefaults(schema: Schema): Schema {
  if (schema.type === 'array') return { ...schema, items: withWholeDefaults(schema.items) };
  if (schema.type !== 'object' || 'additionalProperties' in schema) return schema;
  const properties = Object.entries(schema.properties).map(([name, field]) => [name, withWholeDefaults(field)]);
  const whole = { ...schema, properties: Object.fromEntries(properties) };
  const judged = schema.default !== undefined && schema['x-kubernetes-validations'] !== undefined;
  return judged ? { ...whole, default: withDefaults(schema, schema.default) } : whole;
}
