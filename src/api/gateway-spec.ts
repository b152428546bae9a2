import { duration } from './fields.ts';
import { dnsName, endsAfterRenewal } from './spec-pieces.ts';

/** `TrustDomain.spec`: what concerns the gateway. */

export const serverCertificate = {
  type: 'object',
  description: 'What the gateway presents.',
  default: {},
  'x-kubernetes-validations': [endsAfterRenewal],
  properties: {
    mode: {
      type: 'string',
      enum: ['issued', 'root'],
      default: 'issued',
      description: '`issued`: a leaf of the root. `root`: the root itself; not supported yet, a condition says so.',
    },
    duration: { ...duration, default: '2160h', description: 'Lifetime of a leaf; never longer than that of its root.' },
    renewBefore: { ...duration, default: '720h', description: 'A leaf is replaced when less than this is left of it.' },
    keyAlgorithm: {
      type: 'string',
      enum: ['P-256', 'RSA-2048', 'RSA-4096'],
      default: 'P-256',
      description: 'Key of a leaf.',
    },
  },
} as const;

export const probe = {
  type: 'object',
  description: 'How the gateway is asked which roots it trusts.',
  default: {},
  properties: {
    addresses: {
      type: 'array',
      description: 'Endpoints to ask, each of them; without it, the ready pods that the selector of the Gateway names.',
      maxItems: 100,
      items: {
        type: 'object',
        required: ['host', 'port'],
        properties: {
          name: { type: 'string', maxLength: 63, description: 'How messages call it.' },
          host: { ...dnsName, description: 'IP address or host name.' },
          port: { type: 'integer', format: 'int32', minimum: 1, maximum: 65_535, description: 'TCP port.' },
        },
      },
    },
    delay: { ...duration, default: '1m', description: 'Stands in for a probe that gets no answer or cannot tell.' },
    path: {
      type: 'string',
      pattern: '^/',
      maxLength: 1024,
      default: '/',
      description: 'Path of the request; any HTTP answer counts.',
    },
    timeout: { ...duration, default: '5s', description: 'How long one request may take.' },
    interval: { ...duration, default: '500ms', description: 'Time between rounds while something is unproven.' },
  },
} as const;
