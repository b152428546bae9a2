import { DURATION_MAX_LENGTH, DURATION_PATTERN } from './duration.ts';

/** Fields that occur in several schemas. Every one is bounded, or the API server refuses the rules that look at it. */

export const namespaceName = { type: 'string', minLength: 1, maxLength: 63 } as const;
export const objectName = { type: 'string', minLength: 1, maxLength: 253 } as const;
export const duration = { type: 'string', pattern: DURATION_PATTERN, maxLength: DURATION_MAX_LENGTH } as const;
export const sha256 = { type: 'string', pattern: '^[0-9a-f]{64}$', maxLength: 64 } as const;
export const resourceVersion = { type: 'string', maxLength: 128 } as const;
export const time = { type: 'string', format: 'date-time', maxLength: 64 } as const;
export const text = { type: 'string', maxLength: 1024 } as const;
export const count = { type: 'integer', format: 'int32', minimum: 0 } as const;
export const reasonName = { type: 'string', pattern: '^[A-Za-z]*$', maxLength: 128 } as const;
export const observedGeneration = {
  type: 'integer',
  format: 'int64',
  minimum: 0,
  description: 'Generation of the spec that this status speaks of.',
} as const;

/** Roots that a status can tell of: far more than overlapping rotations leave behind, since a status that is refused stops its controller. */
export const MAX_ROOTS = 500;

/** `metav1.Condition`, one entry per type. */
export const conditions = {
  type: 'array',
  description: 'What holds now, one entry per type; True is good.',
  maxItems: 20,
  'x-kubernetes-list-type': 'map',
  'x-kubernetes-list-map-keys': ['type'],
  items: {
    type: 'object',
    required: ['type', 'status', 'reason', 'message', 'lastTransitionTime'],
    properties: {
      type: { type: 'string', minLength: 1, maxLength: 316, description: 'What the condition is about.' },
      status: { type: 'string', enum: ['True', 'False', 'Unknown'], description: 'Whether it holds.' },
      reason: { type: 'string', minLength: 1, maxLength: 128, description: 'A word of the catalogue of reasons.' },
      message: { type: 'string', maxLength: 4096, description: 'A sentence for people.' },
      lastTransitionTime: { ...time, description: 'When `status` last changed.' },
      observedGeneration,
    },
  },
} as const;
