import type { KubeObject } from '../kubernetes/resource.ts';
import { duration } from './fields.ts';
import { probe, serverCertificate } from './gateway-spec.ts';
import { issuer } from './issuer-spec.ts';
import { delivery, proof, runtimes } from './runtimes-spec.ts';
import { type AsRead, type AsWritten, withDefaults } from './schema.ts';
import { fixed, refTo, rootList } from './spec-pieces.ts';
import type { TrustDomainStatus } from './trust-domain-status.ts';

const specFields = {
  rootSecretRef: refTo('istio-system', 'klm-watcher', 'The Secret with the current root and its key.'),
  gatewaySecretRef: {
    ...refTo(
      'istio-system',
      'klm-istio-gateway',
      'The Secret that the gateway takes bundle and server certificate from.',
    ),
    'x-kubernetes-validations': fixed('gatewaySecretRef'),
  },
  gatewayRef: refTo('kcp-system', 'klm-watcher', 'The Istio Gateway that names the gateway Secret.'),
  serverCertificate,
  probe,
  issuer,
  runtimes,
  proof,
  delivery,
  drift: {
    type: 'object',
    description: 'How runtimes are looked at while nothing changes.',
    default: {},
    properties: {
      interval: { ...duration, default: '10m', description: 'One read per runtime in this time, jittered.' },
    },
  },
  skewMargin: {
    ...duration,
    default: '5m',
    description:
      'Clocks differ by no more: a certificate is used so long after its start and until so long before its end.',
  },
  waves: {
    type: 'object',
    description: 'How many runtimes get a new certificate at a time.',
    default: {},
    properties: {
      concurrentIssuances: {
        type: 'integer',
        format: 'int32',
        minimum: 1,
        maximum: 10_000,
        default: 50,
        description: 'Issuances under way at once.',
      },
    },
  },
  revoked: rootList('Roots that must not be trusted any more; never the current one.', 'Why it was revoked.'),
  tainted: rootList(
    'Roots whose certificates are replaced first. Of one that is current nothing is issued that is not needed.',
    'Why it is tainted.',
  ),
  paused: {
    type: 'boolean',
    default: false,
    description:
      'Stops switches, retirements and re-issues. New roots still enter the bundle, and bundles are delivered.',
  },
} as const;

/** Schema of `TrustDomain.spec`. */
export const trustDomainSpec = {
  type: 'object',
  description: 'One gateway, its root and its fleet.',
  default: {},
  properties: specFields,
} as const;

/** As the API server returns it, defaults included. */
export type TrustDomainSpec = AsRead<typeof trustDomainSpec>;
/** As a person writes it. */
export type TrustDomainSpecWritten = AsWritten<typeof trustDomainSpec>;

/** One per gateway. */
export interface TrustDomain extends KubeObject {
  readonly spec: TrustDomainSpec;
  readonly status?: TrustDomainStatus;
}

/** The spec with the defaults that the API server would fill in; for tests and for programs without an API server. */
export function trustDomainDefaults(spec: TrustDomainSpecWritten = {}): TrustDomainSpec {
  return withDefaults(trustDomainSpec, spec) as TrustDomainSpec;
}
