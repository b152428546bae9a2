import { backOffUntilMs, isIssuing } from '../../issuers/issuing-state.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import { standingSecret, standsOn } from './certificate-objects.ts';
import { type CertificateStatus, type Condition, conditionOf, timeText, withCondition } from './kinds.ts';
import {
  leafIn,
  type Reason,
  requestSays,
  type StandingCertificate,
  whyNotReady,
  whyReissue,
} from './reissue-reason.ts';
import { keyName, renewalTimeMs } from './wanted-certificate.ts';

/** How the issuer answers a request. */
export type IssuerAnswer =
  | { readonly kind: 'sign' }
  | { readonly kind: 'deny' }
  | { readonly kind: 'fail'; readonly message: string }
  /** Somebody has to approve it, and nothing is said of it meanwhile. */
  | { readonly kind: 'unapproved' }
  /** Not now: the issuer or its authority's Secret has to come. */
  | { readonly kind: 'wait'; readonly reason: string; readonly message: string }
  /** It takes this long. */
  | { readonly kind: 'later'; readonly afterMs: number };

/** What is known of one Certificate. */
export interface IssuanceView extends StandingCertificate {
  readonly certificate: KubeObject;
  /** The request of the next revision. */
  readonly request: KubeObject | undefined;
  /** Whether that request is of the attempt under way, whose key is held: of any other the key is lost. */
  readonly ours: boolean;
  readonly answer: IssuerAnswer;
  /** Wait after a first failure. */
  readonly firstBackOffMs: number;
}

export type IssuanceStep =
  | { readonly do: 'rest'; readonly untilMs: number | null }
  | { readonly do: 'writeStatus'; readonly status: CertificateStatus }
  /** Ends the attempt; the next one begins with another request. */
  | { readonly do: 'giveUp'; readonly status: CertificateStatus }
  /** In place of the one that stands there, if one does. */
  | { readonly do: 'request'; readonly revision: number }
  | { readonly do: 'markRequest'; readonly conditions: readonly Condition[]; readonly failed: boolean }
  /** Sign, and say so in the request. */
  | { readonly do: 'sign' }
  /** What stands in the Secret is good, and what stands on it is not. */
  | { readonly do: 'writeSecret' }
  /** Write the Secret, then the status. */
  | { readonly do: 'finish'; readonly revision: number };

/** The next step towards what a Certificate asks for, in the order in which cert-manager's controllers take them. */
export function decideIssuance(view: IssuanceView): IssuanceStep {
  return isIssuing(view.certificate) ? goOn(view) : beginOrRest(view);
}

function beginOrRest(view: IssuanceView): IssuanceStep {
  const { certificate, request, wanted, firstBackOffMs, nowMs } = view;
  const reason = whyReissue(view);
  if (reason === null) {
    const leaf = leafIn(view.secret);
    const untilMs = leaf === undefined ? null : renewalTimeMs(leaf, wanted.renewBeforeMs);
    if (secretIsOutOfDate(view)) return { do: 'writeSecret' };
    return statusOr(view, readiness(view, statusOf(certificate)), { do: 'rest', untilMs });
  }
  // The wait is for the same request again: a Certificate that asks for something else now is tried at once.
  const another = request !== undefined && !requestSays(request, wanted);
  const backOffMs = another ? 0 : backOffUntilMs(certificate, firstBackOffMs);
  if (nowMs < backOffMs) {
    return statusOr(view, readiness(view, statusOf(certificate)), { do: 'rest', untilMs: backOffMs });
  }
  return { do: 'writeStatus', status: issuing(view, readiness(view, statusOf(certificate)), reason) };
}

function goOn(view: IssuanceView): IssuanceStep {
  const { certificate, request, answer, wanted, nowMs } = view;
  const revision = (statusOf(certificate).revision ?? 0) + 1;
  if (request === undefined || !view.ours || !requestSays(request, wanted)) {
    const standing = leafIn(view.secret);
    // A key that may not change and does not fit: cert-manager leaves it to a person (B52).
    const stuck = wanted.reuseKey && standing !== undefined && standing.keyAlgorithm !== keyName(wanted.key);
    return stuck ? { do: 'rest', untilMs: null } : { do: 'request', revision };
  }
  const ready = conditionOf(request, 'Ready');
  if (ready?.status === 'True') return { do: 'finish', revision };
  if (ready?.reason === 'Denied' || ready?.reason === 'Failed') {
    const { reason = '', message = '' } = conditionOf(request, 'Denied') ?? ready;
    return { do: 'giveUp', status: failed(view, { reason, message }) };
  }
  switch (answer.kind) {
    case 'later':
      return waiting(view, nowMs + answer.afterMs);
    case 'unapproved':
      return waiting(view, null);
    case 'sign':
      return { do: 'sign' };
    case 'wait': {
      const { reason, message } = answer;
      if (ready?.message === message) return waiting(view, null);
      return { do: 'markRequest', conditions: marked(view, { reason, message }), failed: false };
    }
    case 'deny': {
      const reason = { reason: 'Denied', message: 'The CertificateRequest was denied by an approval controller' };
      const denied = conditionOf(request, 'Denied') ?? { type: 'Denied', status: 'True', ...reason };
      return { do: 'markRequest', conditions: withCondition(marked(view, reason), denied, nowMs), failed: true };
    }
    case 'fail':
      return {
        do: 'markRequest',
        conditions: marked(view, { reason: 'Failed', message: answer.message }),
        failed: true,
      };
  }
}

/** Whether it is ready is looked at along with it; that it expires meanwhile is seen at the next occasion only, as with cert-manager. */
function waiting(view: IssuanceView, untilMs: number | null): IssuanceStep {
  return statusOr(view, readiness(view, statusOf(view.certificate)), { do: 'rest', untilMs });
}

function secretIsOutOfDate({ certificate, wanted, secret }: IssuanceView): boolean {
  const written = secret === undefined ? undefined : standingSecret(certificate, wanted, secret);
  return secret !== undefined && written !== undefined && !standsOn(secret, written);
}

/** The status after a good issuance, with the Secret as it was written. */
export function issuedStatus(view: IssuanceView, revision: number): CertificateStatus {
  const { lastFailureTime: _, failedIssuanceAttempts: __, ...status } = statusOf(view.certificate);
  const conditions = (status.conditions ?? []).filter(({ type }) => type !== 'Issuing');
  return readiness(view, { ...status, conditions, revision });
}

function failed(view: IssuanceView, { reason, message }: Reason): CertificateStatus {
  const { certificate, nowMs } = view;
  const status = statusOf(certificate);
  const text = `The certificate request has failed to complete and will be retried: ${message}`;
  return {
    ...status,
    conditions: withCondition(
      status.conditions ?? [],
      of(certificate, 'Issuing', 'False', { reason, message: text }),
      nowMs,
    ),
    lastFailureTime: timeText(nowMs),
    failedIssuanceAttempts: (status.failedIssuanceAttempts ?? 0) + 1,
  };
}

function issuing({ certificate, nowMs }: IssuanceView, status: CertificateStatus, reason: Reason): CertificateStatus {
  return {
    ...status,
    conditions: withCondition(status.conditions ?? [], of(certificate, 'Issuing', 'True', reason), nowMs),
  };
}

/** Condition Ready and the times, from the Secret. */
function readiness(view: IssuanceView, status: CertificateStatus): CertificateStatus {
  const { certificate, wanted, nowMs } = view;
  const leaf = leafIn(view.secret);
  const why = whyNotReady(view);
  const upToDate = { reason: 'Ready', message: 'Certificate is up to date and has not expired' };
  const ready = of(certificate, 'Ready', why === null ? 'True' : 'False', why ?? upToDate);
  const { notBefore: _, notAfter: __, renewalTime: ___, ...others } = status;
  return {
    ...others,
    conditions: withCondition(status.conditions ?? [], ready, nowMs),
    ...(leaf === undefined
      ? {}
      : {
          notBefore: timeText(leaf.notBeforeMs),
          notAfter: timeText(leaf.notAfterMs),
          renewalTime: timeText(renewalTimeMs(leaf, wanted.renewBeforeMs)),
        }),
  };
}

function marked({ request, nowMs }: IssuanceView, { reason, message }: Reason): readonly Condition[] {
  const conditions =
    (request?.['status'] as { readonly conditions?: readonly Condition[] } | undefined)?.conditions ?? [];
  return withCondition(conditions, { type: 'Ready', status: 'False', reason, message }, nowMs);
}

function of(
  certificate: KubeObject,
  type: string,
  status: string,
  reason: Reason,
): Omit<Condition, 'lastTransitionTime'> {
  const { generation } = certificate.metadata;
  return { type, status, ...reason, ...(generation === undefined ? {} : { observedGeneration: generation }) };
}

function statusOr({ certificate }: IssuanceView, wanted: CertificateStatus, otherwise: IssuanceStep): IssuanceStep {
  return sameValue(statusOf(certificate), wanted) ? otherwise : { do: 'writeStatus', status: wanted };
}

function statusOf(certificate: KubeObject): CertificateStatus {
  return (certificate['status'] ?? {}) as CertificateStatus;
}

/** Whatever the order of the fields. */
function sameValue(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== 'object' || typeof b !== 'object' || a === null || b === null) return false;
  const [left, right] = [a as Readonly<Record<string, unknown>>, b as Readonly<Record<string, unknown>>];
  const keys = new Set([...Object.keys(left), ...Object.keys(right)]);
  return Array.isArray(a) === Array.isArray(b) && [...keys].every((key) => sameValue(left[key], right[key]));
}
