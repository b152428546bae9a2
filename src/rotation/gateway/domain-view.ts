import type { Reason } from '../../api/reasons.ts';
import type { RuntimeTrust } from '../../api/runtime-trust.ts';
import type { TrustDomain } from '../../api/trust-domain.ts';
import type { Certificate } from '../../pki/certificate.ts';
import type { GatewayPlan } from '../decide/gateway.ts';
import type { GatewayJournal } from '../decide/gateway-journal.ts';
import type { GatewaySecret } from '../decide/values.ts';

/** Everything that the status of a trust domain is made from. */
export interface DomainView {
  readonly domain: TrustDomain;
  readonly plan: GatewayPlan;
  readonly secret: GatewaySecret | null;
  readonly journal: GatewayJournal | null;
  /** What is wrong with the root Secret, for people. */
  readonly rootDetails: readonly string[];
  readonly rootCertificate: Certificate | null;
  /** Members of the fleet. */
  readonly names: readonly string[];
  readonly records: ReadonlyMap<string, RuntimeTrust>;
  /** What keeps the whole trust domain from acting. */
  readonly halted: { readonly reason: Reason; readonly message: string } | null;
  readonly endpointNotes: readonly string[];
  readonly endpointCount: number | null;
  readonly nowMs: number;
}

/** The fleet in numbers. */
export interface DomainCounts {
  readonly total: number;
  readonly current: number;
  readonly bundle: number;
  readonly proven: number;
  readonly tainted: number;
  readonly issuing: number;
  readonly unreachable: number;
}
