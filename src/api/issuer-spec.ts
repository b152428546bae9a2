import { duration, namespaceName, objectName } from './fields.ts';
import { dnsName, endsAfterRenewal, subjectValues } from './spec-pieces.ts';

/** `TrustDomain.spec.issuer`: who signs client certificates, and what they look like. */
export const issuer = {
  type: 'object',
  description: 'Who signs the client certificates of runtimes, and what they look like.',
  default: {},
  'x-kubernetes-validations': [endsAfterRenewal],
  properties: {
    kind: { type: 'string', enum: ['cert-manager'], default: 'cert-manager', description: 'Which issuer.' },
    ref: {
      type: 'object',
      description: 'The issuer resource.',
      default: {},
      properties: {
        name: { ...objectName, default: 'klm-watcher-selfsigned', description: 'Its name.' },
        kind: { type: 'string', enum: ['Issuer', 'ClusterIssuer'], default: 'Issuer', description: 'Its kind.' },
        group: { type: 'string', maxLength: 253, default: 'cert-manager.io', description: 'Its API group.' },
      },
    },
    namespace: {
      ...namespaceName,
      default: 'istio-system',
      description: 'Where Certificates and the Secrets with their pairs are.',
    },
    privateKey: {
      type: 'object',
      description: 'Key of a client certificate.',
      default: {},
      'x-kubernetes-validations': [
        {
          rule: "self.algorithm == 'RSA' ? self.size in [2048, 3072, 4096] : self.size in [256, 384, 521]",
          message: 'size must be 2048, 3072 or 4096 for RSA and 256, 384 or 521 for ECDSA',
          fieldPath: '.size',
        },
      ],
      properties: {
        algorithm: { type: 'string', enum: ['RSA', 'ECDSA'], default: 'RSA', description: 'Its algorithm.' },
        size: {
          type: 'integer',
          format: 'int32',
          minimum: 256,
          maximum: 4096,
          default: 4096,
          description: 'Its length in bits.',
        },
        encoding: {
          type: 'string',
          enum: ['PKCS1', 'PKCS8'],
          default: 'PKCS1',
          description: 'Its form in the Secret.',
        },
      },
    },
    duration: { ...duration, default: '1440h', description: 'Lifetime of a client certificate.' },
    renewBefore: { ...duration, default: '720h', description: 'It is renewed when less than this is left of it.' },
    additionalDnsNames: {
      type: 'array',
      description: 'DNS names beside the domain of the runtime and its webhook Service.',
      default: [],
      maxItems: 20,
      items: dnsName,
    },
    subject: {
      type: 'object',
      description: 'Subject beside the common name, which is the id of the runtime.',
      default: {},
      properties: {
        organizationalUnits: subjectValues('BTP Kyma Runtime', 'OU.'),
        organizations: subjectValues('SAP SE', 'O.'),
        localities: subjectValues('Walldorf', 'L.'),
        provinces: subjectValues('Baden-Württemberg', 'ST.'),
        countries: subjectValues('DE', 'C.'),
      },
    },
  },
} as const;
