import type { TrustDomainSpecWritten } from '../src/api/trust-domain.ts';

/** The delays that a scenario runs under. They are the policy's, not the product's speed, and are listed beside every time. */
export interface Policy {
  /** `proof.propagationDelay`. */
  readonly propagationDelayMs: number;
  /** `probe.delay`. */
  readonly probeDelayMs: number;
  /** `probe.interval`. */
  readonly probeIntervalMs: number;
  /** `skewMargin`. */
  readonly skewMarginMs: number;
  /** `delivery.deadline`. */
  readonly deliveryDeadlineMs: number;
  /** `proof.unprovableAfter`. */
  readonly unprovableAfterMs: number;
}

/** How slow the parts of a world are, and the policy that fits to it. */
export interface Pace {
  readonly policy: Policy;
  /** How late a mounted Secret may appear. */
  readonly mountDelay: { readonly minMs: number; readonly maxMs: number };
  /** How long a try of the traffic client may go on with the files that it read at its start. */
  readonly requestGraceMs: number;
  /** How much later the last endpoint gets its configuration, unless a scenario says otherwise. */
  readonly slowGatewayMs: number;
  /** Rotations that overlap follow each other after one to five of these. */
  readonly hurryMs: number;
  /** How long what must not happen is waited for. */
  readonly watchedMs: number;
  /** How long traffic goes on when everything is in place. */
  readonly calmMs: number;
}

/**
 * On real parts. The propagation delay outlasts kubelet's 5 s, its two looks, and a try that began with the old files, with
 * 3 s to spare for a machine that is busy. The probe's delay outlasts the slow Envoy by far: for a renewed root and one that
 * comes back it is the only proof. See real-parts/traffic-client for the tries.
 */
export const realPace: Pace = {
  policy: {
    propagationDelayMs: 12_000,
    probeDelayMs: 6_000,
    probeIntervalMs: 250,
    skewMarginMs: 1_000,
    deliveryDeadlineMs: 10_000,
    unprovableAfterMs: 3_600_000,
  },
  mountDelay: { minMs: 0, maxMs: 5_000 },
  requestGraceMs: 3_000,
  slowGatewayMs: 1_500,
  hurryMs: 1_000,
  watchedMs: 3_000,
  calmMs: 10_000,
};

/** The same proportions in a world that is all in one process and has nothing to wait for. */
export const embeddedPace: Pace = {
  policy: {
    propagationDelayMs: 1_600,
    probeDelayMs: 800,
    probeIntervalMs: 100,
    skewMarginMs: 200,
    deliveryDeadlineMs: 10_000,
    unprovableAfterMs: 3_600_000,
  },
  mountDelay: { minMs: 0, maxMs: 400 },
  requestGraceMs: 600,
  slowGatewayMs: 200,
  hurryMs: 150,
  watchedMs: 1_000,
  calmMs: 2_000,
};

export type KeyKind = 'P-256' | 'RSA-4096';

/** The spec of the scenario's trust domain: Kyma's names and values but for delays, keys, and where the gateway is. */
export function trustDomainSpec(
  policy: Policy,
  endpoints: readonly { readonly name: string; readonly host: string; readonly port: number }[],
  keys: KeyKind,
): TrustDomainSpecWritten {
  return {
    probe: {
      addresses: endpoints.map(({ name, host, port }) => ({ name, host, port })),
      delay: `${policy.probeDelayMs}ms`,
      interval: `${policy.probeIntervalMs}ms`,
    },
    proof: { propagationDelay: `${policy.propagationDelayMs}ms`, unprovableAfter: `${policy.unprovableAfterMs}ms` },
    delivery: { deadline: `${policy.deliveryDeadlineMs}ms` },
    skewMargin: `${policy.skewMarginMs}ms`,
    issuer: {
      // An API server on loopback cannot reach a Service, so its webhook is called by this name.
      additionalDnsNames: ['localhost'],
      ...(keys === 'P-256' ? { privateKey: { algorithm: 'ECDSA', size: 256, encoding: 'PKCS8' } } : {}),
    },
  };
}
