import type { KubeObject } from '../kubernetes/resource.ts';
import {
  conditions,
  count,
  MAX_ROOTS,
  namespaceName,
  objectName,
  observedGeneration,
  reasonName,
  resourceVersion,
  sha256,
} from './fields.ts';
import type { AsRead } from './schema.ts';

const digest = { ...sha256, description: 'SHA-256 of the certificate.' } as const;

const heldValue = {
  type: 'object',
  description: 'One value of the Secret that its readers may be using.',
  required: ['serial', 'bundle', 'state', 'resourceVersion'],
  properties: {
    serial: { type: 'string', maxLength: 253, description: 'Names the delivery that wrote it.' },
    bundle: { type: 'array', description: 'Digests of its roots, in its order.', maxItems: MAX_ROOTS, items: sha256 },
    client: {
      type: 'object',
      nullable: true,
      description: 'Its client certificate; null: none.',
      required: ['digest', 'notAfterMs'],
      properties: {
        digest,
        signer: { ...sha256, nullable: true, description: 'Key of the root that signed it; null: no known one.' },
        notAfterMs: { type: 'integer', format: 'int64', description: 'When it ends, in milliseconds since 1970.' },
      },
    },
    state: {
      type: 'string',
      enum: ['intended', 'confirmed', 'adopted'],
      description:
        '`intended`: registered, the answer of the write is not known. `confirmed`: written and answered. `adopted`: found there, written by somebody whose record is lost.',
    },
    resourceVersion: {
      ...resourceVersion,
      description: 'Of the Secret in the runtime, once confirmed or adopted; empty before.',
    },
  },
} as const;

/** Schema of `RuntimeTrust.status.held`, field by field the record that the decisions work on. */
export const heldSchema = {
  type: 'object',
  description: 'What the runtime may be using, oldest first. Without it the record counts as lost.',
  required: ['beyond', 'values'],
  properties: {
    beyond: {
      type: 'string',
      enum: ['nothing', 'unseen', 'lost'],
      description:
        'What may be in use beside `values`. `nothing`. `unseen`: never looked and never delivered. `lost`: anything, the record is gone.',
    },
    values: { type: 'array', description: 'The values, oldest first.', maxItems: 500, items: heldValue },
  },
} as const;

/** Schema of `RuntimeTrust.spec`. */
export const runtimeTrustSpec = {
  type: 'object',
  description: 'Which fleet the runtime belongs to.',
  required: ['trustDomainRef'],
  properties: {
    trustDomainRef: {
      type: 'object',
      description: 'The TrustDomain, in the same namespace unless another is given.',
      required: ['name'],
      'x-kubernetes-validations': [{ rule: 'self == oldSelf', message: 'trustDomainRef cannot be changed' }],
      properties: {
        namespace: { ...namespaceName, description: 'Its namespace.' },
        name: { ...objectName, description: 'Its name.' },
      },
    },
  },
} as const;

/** Schema of `RuntimeTrust.status`. */
export const runtimeTrustStatus = {
  type: 'object',
  description: 'What the runtime holds, how that is proven, and why not yet.',
  properties: {
    observedGeneration,
    conditions,
    clusterUid: {
      type: 'string',
      maxLength: 64,
      description: 'Identity of the cluster: uid of its namespace kube-system. Another one is another runtime.',
    },
    held: heldSchema,
    root: {
      type: 'string',
      pattern: '^([0-9a-f]{64})?$',
      maxLength: 64,
      description: 'Key of the root that signed the newest client certificate it was given; empty: none.',
    },
    bundleCount: { ...count, description: 'Roots in the newest bundle it was given.' },
    proof: {
      type: 'string',
      enum: ['none', 'delivered'],
      description: 'How the newest value is proven to be in use, and no older one.',
    },
    waits: {
      type: 'array',
      description: 'What the next step waits for, in words of the catalogue of reasons.',
      maxItems: 20,
      items: reasonName,
    },
  },
} as const;

export type RuntimeTrustSpec = AsRead<typeof runtimeTrustSpec>;
export type RuntimeTrustStatus = AsRead<typeof runtimeTrustStatus>;

/** One per runtime, beside its Kyma and of the same name. */
export interface RuntimeTrust extends KubeObject {
  readonly spec: RuntimeTrustSpec;
  readonly status?: RuntimeTrustStatus;
}

/** Types of the conditions of a `RuntimeTrust`. `Ready` sums the others up. */
export const RUNTIME_TRUST_CONDITIONS = ['Ready', 'Reachable', 'CertificateIssued', 'Delivered'] as const;
export type RuntimeTrustCondition = (typeof RUNTIME_TRUST_CONDITIONS)[number];
