import {
  conditions,
  count,
  MAX_ROOTS,
  observedGeneration,
  reasonName,
  resourceVersion,
  sha256,
  text,
  time,
} from './fields.ts';
import type { AsRead } from './schema.ts';

const digest = { ...sha256, description: 'SHA-256 of the certificate.' } as const;
const keyId = { ...sha256, description: 'SHA-256 of the public key.' } as const;
const signer = { ...sha256, description: 'Key of the root that signed it.' } as const;
const notAfter = { ...time, description: 'When it ends.' } as const;
const added = { ...resourceVersion, description: 'Names the write that put the root in.' } as const;
const runtimeName = { type: 'string', maxLength: 253 } as const;

/** Runtimes are listed up to this many; the count beside the list is whole. */
export const MAX_NAMED_RUNTIMES = 20;

/** Schema of `TrustDomain.status`. */
export const trustDomainStatus = {
  type: 'object',
  description: 'Where the rotation stands.',
  properties: {
    observedGeneration,
    conditions,
    root: {
      type: 'object',
      description: 'The current root, once admitted.',
      required: ['digest', 'keyId'],
      properties: {
        digest,
        keyId,
        subject: { ...text, description: 'Its subject.' },
        notAfter,
        since: { ...time, description: 'When it was first seen as the current one. Told, never decided by.' },
      },
    },
    bundle: {
      type: 'array',
      description: 'The bundle of the gateway, in its order.',
      maxItems: MAX_ROOTS,
      items: {
        type: 'object',
        required: ['digest', 'keyId', 'trusted'],
        properties: {
          digest,
          keyId,
          notAfter,
          added,
          trusted: { type: 'boolean', description: 'Every endpoint of the gateway is proven to trust it.' },
          keptBy: {
            type: 'object',
            description: 'Why it does not leave.',
            required: ['use', 'by'],
            properties: {
              use: { ...reasonName, description: 'A word of the catalogue of reasons.' },
              by: { ...runtimeName, description: 'The runtime that uses it; empty when it is no runtime.' },
            },
          },
        },
      },
    },
    trusted: {
      type: 'array',
      description: 'Roots that every endpoint is proven to trust. Runtimes are given certificates of these only.',
      maxItems: MAX_ROOTS,
      items: { type: 'object', required: ['digest', 'added'], properties: { digest, added } },
    },
    proof: {
      type: 'object',
      description: 'Versions of the gateway Secret that are proven at every endpoint; a proof counts for no newer one.',
      required: ['bundleVersion', 'serverVersion'],
      properties: {
        bundleVersion: { ...resourceVersion, description: 'Version whose bundle every endpoint uses; empty: none.' },
        serverVersion: {
          ...resourceVersion,
          description: 'Version whose server certificate every endpoint presents; empty: none.',
        },
      },
    },
    server: {
      type: 'object',
      description: 'The server certificate in the gateway Secret.',
      required: ['digest'],
      properties: { digest, signer, notAfter },
    },
    candidate: {
      type: 'object',
      description: 'The server certificate of the next switch.',
      required: ['digest', 'waitsFor', 'waitsForCount', 'breaks'],
      properties: {
        digest,
        signer,
        notAfter,
        why: { ...reasonName, description: 'Why the standing one has to go.' },
        waitsFor: {
          type: 'array',
          description: 'Runtimes whose proof is awaited, the first of them.',
          maxItems: MAX_NAMED_RUNTIMES,
          items: runtimeName,
        },
        waitsForCount: { ...count, description: 'How many runtimes are awaited.' },
        breaks: {
          type: 'array',
          description: 'Runtimes that the switch no longer waits for, the first of them.',
          maxItems: MAX_NAMED_RUNTIMES,
          items: runtimeName,
        },
      },
    },
    runtimes: {
      type: 'object',
      description: 'The fleet in numbers.',
      required: ['total', 'current', 'bundle', 'proven', 'issuing', 'unreachable'],
      properties: {
        total: { ...count, description: 'Runtimes that count.' },
        current: { ...count, description: 'Those whose newest client certificate is of the current root.' },
        bundle: { ...count, description: 'Those that were given the whole bundle of the gateway.' },
        proven: { ...count, description: 'Those proven to use the newest value they were given, and no older one.' },
        tainted: { ...count, description: 'Those that may present a certificate of a tainted root.' },
        issuing: { ...count, description: 'Those whose certificate is being issued.' },
        unreachable: { ...count, description: 'Those whose cluster does not answer.' },
      },
    },
    switches: {
      type: 'integer',
      format: 'int64',
      minimum: 0,
      description: 'How often the server certificate was changed. Told, never decided by.',
    },
    nextStep: { ...text, description: 'What happens next and what it waits for, in one sentence.' },
  },
} as const;

export type TrustDomainStatus = AsRead<typeof trustDomainStatus>;

/** Types of the conditions of a `TrustDomain`. `Ready` sums the others up. */
export const TRUST_DOMAIN_CONDITIONS = [
  'Ready',
  'RootAdmitted',
  'GatewayProven',
  'ServerCurrent',
  'FleetCurrent',
  'TaintedReplaced',
  'OldRootsRetired',
] as const;
export type TrustDomainCondition = (typeof TRUST_DOMAIN_CONDITIONS)[number];
