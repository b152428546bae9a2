import { duration, namespaceName, objectName } from './fields.ts';
import { fixed } from './spec-pieces.ts';

const kyma = {
  type: 'object',
  description: 'One runtime per Kyma resource; its kubeconfig Secret is found by label.',
  'x-kubernetes-validations': fixed('kyma'),
  properties: {
    namespace: { ...namespaceName, default: 'kcp-system', description: 'Where the Kymas are.' },
    kubeconfigNamespace: { ...namespaceName, default: 'kcp-system', description: 'Where the kubeconfig Secrets are.' },
  },
} as const;

const selector = {
  type: 'object',
  description: 'One runtime per kubeconfig Secret that the labels select.',
  required: ['namespace', 'matchLabels'],
  properties: {
    namespace: {
      ...namespaceName,
      description: 'Where the kubeconfig Secrets are.',
      // A selector moved elsewhere would make the whole fleet count as gone in one write, and its roots would leave.
      'x-kubernetes-validations': fixed('namespace'),
    },
    matchLabels: {
      type: 'object',
      description: 'Labels that a kubeconfig Secret carries.',
      maxProperties: 10,
      additionalProperties: { type: 'string', maxLength: 63 },
    },
    key: { ...objectName, default: 'config', description: 'Key of the Secret that holds the kubeconfig.' },
    nameFrom: {
      type: 'object',
      description: 'Where the name of a runtime comes from; the name of the Secret unless a label is given.',
      default: {},
      'x-kubernetes-validations': fixed('nameFrom'),
      properties: { label: { type: 'string', maxLength: 316, description: 'Label whose value names the runtime.' } },
    },
  },
} as const;

/** `TrustDomain.spec.runtimes`: who belongs to the fleet. */
export const runtimes = {
  type: 'object',
  description: 'Which runtimes belong to the fleet, and what is written there.',
  default: { kyma: {} },
  'x-kubernetes-validations': [
    { rule: 'has(self.kyma) != has(self.selector)', message: 'exactly one of kyma and selector must be given' },
    {
      rule: 'has(self.kyma) == has(oldSelf.kyma)',
      message: 'kyma cannot be replaced by selector, nor the reverse: create another TrustDomain',
    },
  ],
  properties: {
    kyma,
    selector,
    webhook: {
      type: 'object',
      description: 'The webhook configuration whose caBundle follows the bundle, where a runtime has one.',
      default: {},
      properties: {
        name: { ...objectName, default: 'skr-webhook', description: 'Its name, and that of its Service.' },
      },
    },
    secret: {
      type: 'object',
      description: 'The Secret of a runtime that gets bundle and pair.',
      default: {},
      // What a runtime may be using is recorded for one Secret; another name would leave the old one in use and unrecorded.
      'x-kubernetes-validations': fixed('secret'),
      properties: {
        namespace: { ...namespaceName, default: 'kyma-system', description: 'Its namespace.' },
        name: { ...objectName, default: 'skr-webhook-tls', description: 'Its name.' },
      },
    },
  },
} as const;

/** `TrustDomain.spec.proof`. */
export const proof = {
  type: 'object',
  description: 'What counts as proof that a runtime uses what it was given.',
  default: {},
  'x-kubernetes-validations': [
    {
      rule: 'duration(self.unprovableAfter) >= duration(self.propagationDelay)',
      message:
        'unprovableAfter must not be shorter than propagationDelay, or every runtime would be given up before it can be proven',
      fieldPath: '.unprovableAfter',
    },
  ],
  properties: {
    level: {
      type: 'string',
      enum: ['delivered'],
      default: 'delivered',
      description: '`delivered`: written, confirmed, and the propagation delay has passed.',
    },
    propagationDelay: {
      ...duration,
      default: '2m',
      description: 'From a confirmed write until every reader uses it.',
    },
    unprovableAfter: {
      ...duration,
      default: '96h',
      description: 'A runtime without proof for so long no longer holds the switch; it is named as one that breaks.',
    },
  },
} as const;

/** `TrustDomain.spec.delivery`. */
export const delivery = {
  type: 'object',
  description: 'How runtimes are written to.',
  default: {},
  properties: {
    deadline: {
      ...duration,
      default: '20s',
      description: 'No write of a delivery begins later than this after its start.',
    },
    concurrency: {
      type: 'integer',
      format: 'int32',
      minimum: 1,
      maximum: 1000,
      default: 20,
      description: 'Deliveries under way at once.',
    },
  },
} as const;
