import { CERTIFICATE } from '../../api/names.ts';
import type { Resource } from '../../kubernetes/resource.ts';
import { CERTIFICATE_REQUEST, CLUSTER_ISSUER, ISSUER } from './kinds.ts';

const text = { type: 'string' } as const;
const texts = { type: 'array', items: text } as const;
const textMap = { type: 'object', additionalProperties: text } as const;
const time = { type: 'string', format: 'date-time' } as const;
/** Fields that nothing here reads are kept and not looked at. */
const open = { 'x-kubernetes-preserve-unknown-fields': true } as const;

const conditions = {
  type: 'array',
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    required: ['type', 'status'],
    properties: {
      type: text,
      status: { type: 'string', enum: ['True', 'False', 'Unknown'] },
      reason: text,
      message: text,
      lastTransitionTime: time,
      observedGeneration: { type: 'integer', format: 'int64' },
    },
  },
} as const;

const issuerRef = {
  type: 'object',
  required: ['name'],
  properties: { name: text, kind: text, group: text },
} as const;

const certificateSpec = {
  type: 'object',
  required: ['issuerRef', 'secretName'],
  ...open,
  properties: {
    secretName: text,
    commonName: text,
    dnsNames: texts,
    ipAddresses: texts,
    duration: text,
    renewBefore: text,
    isCA: { type: 'boolean' },
    usages: texts,
    issuerRef,
    privateKey: {
      type: 'object',
      ...open,
      properties: {
        algorithm: { type: 'string', enum: ['RSA', 'ECDSA', 'Ed25519'] },
        encoding: { type: 'string', enum: ['PKCS1', 'PKCS8'] },
        rotationPolicy: { type: 'string', enum: ['Never', 'Always'] },
        size: { type: 'integer' },
      },
    },
    secretTemplate: { type: 'object', ...open, properties: { labels: textMap, annotations: textMap } },
    subject: {
      type: 'object',
      ...open,
      properties: {
        organizations: texts,
        organizationalUnits: texts,
        localities: texts,
        provinces: texts,
        countries: texts,
      },
    },
  },
} as const;

const certificateStatus = {
  type: 'object',
  properties: {
    conditions,
    revision: { type: 'integer' },
    notBefore: time,
    notAfter: time,
    renewalTime: time,
    lastFailureTime: time,
    failedIssuanceAttempts: { type: 'integer' },
    nextPrivateKeySecretName: text,
  },
} as const;

const requestSpec = {
  type: 'object',
  required: ['issuerRef', 'request'],
  ...open,
  properties: {
    request: { type: 'string', format: 'byte' },
    issuerRef,
    duration: text,
    isCA: { type: 'boolean' },
    usages: texts,
  },
} as const;

const requestStatus = {
  type: 'object',
  properties: {
    conditions,
    certificate: { type: 'string', format: 'byte' },
    ca: { type: 'string', format: 'byte' },
    failureTime: time,
  },
} as const;

const issuerSpec = {
  type: 'object',
  ...open,
  properties: {
    selfSigned: { type: 'object', ...open },
    ca: { type: 'object', required: ['secretName'], ...open, properties: { secretName: text } },
  },
} as const;

const issuerStatus = { type: 'object', ...open, properties: { conditions } } as const;

const ready = { name: 'Ready', type: 'string', jsonPath: '.status.conditions[?(@.type=="Ready")].status' };
const age = { name: 'Age', type: 'date', jsonPath: '.metadata.creationTimestamp' };
const issuedBy = { name: 'Issuer', type: 'string', jsonPath: '.spec.issuerRef.name' };

/** The kinds of cert-manager, as far as they are written and read here: shorter than cert-manager's own, and compatible. */
export const certManagerCrds: readonly object[] = [
  crd(CERTIFICATE, ['cert', 'certs'], certificateSpec, certificateStatus, [
    ready,
    { name: 'Secret', type: 'string', jsonPath: '.spec.secretName' },
    { ...issuedBy, priority: 1 },
    age,
  ]),
  crd(CERTIFICATE_REQUEST, ['cr', 'crs'], requestSpec, requestStatus, [
    { name: 'Approved', type: 'string', jsonPath: '.status.conditions[?(@.type=="Approved")].status' },
    { name: 'Denied', type: 'string', jsonPath: '.status.conditions[?(@.type=="Denied")].status' },
    ready,
    issuedBy,
    age,
  ]),
  crd(ISSUER, [], issuerSpec, issuerStatus, [ready, age]),
  crd(CLUSTER_ISSUER, [], issuerSpec, issuerStatus, [ready, age]),
];

function crd(
  { group, version, plural, kind, namespaced }: Resource,
  shortNames: readonly string[],
  spec: object,
  status: object,
  additionalPrinterColumns: readonly object[],
): object {
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `${plural}.${group}` },
    spec: {
      group,
      names: {
        kind,
        listKind: `${kind}List`,
        plural,
        singular: kind.toLowerCase(),
        shortNames,
        categories: ['cert-manager'],
      },
      scope: namespaced ? 'Namespaced' : 'Cluster',
      versions: [
        {
          name: version,
          served: true,
          storage: true,
          subresources: { status: {} },
          additionalPrinterColumns,
          schema: { openAPIV3Schema: { type: 'object', properties: { spec, status } } },
        },
      ],
    },
  };
}
