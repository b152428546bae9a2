import type { KubeObject } from '../kubernetes/resource.ts';

export interface CertificateCondition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

interface CertificateStatus {
  readonly conditions?: readonly CertificateCondition[];
  readonly lastFailureTime?: string;
  readonly failedIssuanceAttempts?: number;
  readonly [field: string]: unknown;
}

const firstBackOffMs = 3_600_000;
/** Up to 32 times the first wait. */
const mostDoublings = 5;

/** Status of a cert-manager `Certificate`, as far as it tells about an issuance. */
function certificateStatus(certificate: KubeObject): CertificateStatus {
  const status = certificate['status'];
  return typeof status === 'object' && status !== null ? (status as CertificateStatus) : {};
}

export function isIssuing(certificate: KubeObject): boolean {
  return (
    certificateStatus(certificate).conditions?.some(({ type, status }) => type === 'Issuing' && status === 'True') ??
    false
  );
}

/**
 * Until when cert-manager leaves a failed certificate alone: an hour, doubled with each failure, at most 32. Asking before
 * would get past the wait and hammer a broken issuer (B49); by itself cert-manager tries again then.
 *
 * @param firstMs the wait after the first failure
 * @returns epoch milliseconds; 0 where nothing failed
 */
export function backOffUntilMs(certificate: KubeObject, firstMs = firstBackOffMs): number {
  const { lastFailureTime, failedIssuanceAttempts = 1 } = certificateStatus(certificate);
  const failedMs = lastFailureTime === undefined ? Number.NaN : Date.parse(lastFailureTime);
  if (Number.isNaN(failedMs)) return 0;
  const doublings = Math.min(Math.max(0, failedIssuanceAttempts - 1), mostDoublings);
  return failedMs + firstMs * 2 ** doublings;
}

/** cert-manager counts failures from the last good issuance on, and forgets them with it. */
export function failedIssuances(certificate: KubeObject): number {
  const { lastFailureTime, failedIssuanceAttempts = 1 } = certificateStatus(certificate);
  return lastFailureTime === undefined ? 0 : failedIssuanceAttempts;
}

/** The status with which cert-manager is asked to issue again. */
export function askedToIssue(certificate: KubeObject, nowMs: number): KubeObject {
  const status = certificateStatus(certificate);
  const issuing: CertificateCondition = {
    type: 'Issuing',
    status: 'True',
    reason: 'ManuallyTriggered',
    message: 'Certificate re-issuance manually triggered',
    lastTransitionTime: `${new Date(nowMs).toISOString().slice(0, 19)}Z`,
    ...(certificate.metadata.generation === undefined ? {} : { observedGeneration: certificate.metadata.generation }),
  };
  const others = (status.conditions ?? []).filter(({ type }) => type !== 'Issuing');
  return { ...certificate, status: { ...status, conditions: [...others, issuing] } };
}
