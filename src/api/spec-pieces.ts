import { namespaceName, objectName, sha256 } from './fields.ts';

export const dnsName = { type: 'string', minLength: 1, maxLength: 253 } as const;

/** Reference to an object; the defaults are the names of Kyma's hub. */
export const refTo = <const N extends string, const M extends string>(namespace: N, name: M, description: string) =>
  ({
    type: 'object',
    description,
    default: {},
    properties: {
      namespace: { ...namespaceName, default: namespace, description: 'Its namespace.' },
      name: { ...objectName, default: name, description: 'Its name.' },
    },
  }) as const;

/** A rule against changing a field. */
export const fixed = (what: string) =>
  [{ rule: 'self == oldSelf', message: `${what} cannot be changed: create another TrustDomain` }] as const;

export const endsAfterRenewal = {
  rule: 'duration(self.renewBefore) < duration(self.duration)',
  message: 'renewBefore must be shorter than duration, or each certificate would be replaced at once',
  fieldPath: '.renewBefore',
} as const;

export const rootList = (description: string, why: string) =>
  ({
    type: 'array',
    description,
    default: [],
    maxItems: 20,
    'x-kubernetes-list-type': 'map',
    'x-kubernetes-list-map-keys': ['publicKey'],
    items: {
      type: 'object',
      required: ['publicKey'],
      properties: {
        publicKey: { ...sha256, description: 'SHA-256 of the subject public key info, lower-case hex.' },
        reason: { type: 'string', maxLength: 256, description: why },
      },
    },
  }) as const;

export const subjectValues = <const V extends string>(value: V, description: string) =>
  ({ type: 'array', description, default: [value], maxItems: 10, items: { type: 'string', maxLength: 128 } }) as const;
