import { CERTIFICATE } from '../../api/names.ts';
import type { KubeObject, Resource } from '../../kubernetes/resource.ts';

const { group, version } = CERTIFICATE;

export const CERTIFICATE_REQUEST: Resource = {
  group,
  version,
  plural: 'certificaterequests',
  kind: 'CertificateRequest',
  namespaced: true,
};
export const ISSUER: Resource = { group, version, plural: 'issuers', kind: 'Issuer', namespaced: true };
export const CLUSTER_ISSUER: Resource = {
  group,
  version,
  plural: 'clusterissuers',
  kind: 'ClusterIssuer',
  namespaced: false,
};

/** Annotations and labels that cert-manager puts on what it writes. */
export const ANNOTATION = {
  certificateName: 'cert-manager.io/certificate-name',
  certificateRevision: 'cert-manager.io/certificate-revision',
  privateKeySecretName: 'cert-manager.io/private-key-secret-name',
  issuerName: 'cert-manager.io/issuer-name',
  issuerKind: 'cert-manager.io/issuer-kind',
  issuerGroup: 'cert-manager.io/issuer-group',
  commonName: 'cert-manager.io/common-name',
  altNames: 'cert-manager.io/alt-names',
  ipSans: 'cert-manager.io/ip-sans',
  uriSans: 'cert-manager.io/uri-sans',
  organizations: 'cert-manager.io/subject-organizations',
  organizationalUnits: 'cert-manager.io/subject-organizationalunits',
  countries: 'cert-manager.io/subject-countries',
  provinces: 'cert-manager.io/subject-provinces',
  localities: 'cert-manager.io/subject-localities',
} as const;
/** On Secrets that its cache holds. */
export const FAO_LABEL = 'controller.cert-manager.io/fao';

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
  readonly lastTransitionTime?: string;
  readonly observedGeneration?: number;
}

/** `status` of a Certificate. Times are RFC 3339. */
export interface CertificateStatus {
  readonly conditions?: readonly Condition[];
  readonly revision?: number;
  readonly notBefore?: string;
  readonly notAfter?: string;
  readonly renewalTime?: string;
  readonly lastFailureTime?: string;
  readonly failedIssuanceAttempts?: number;
  readonly [field: string]: unknown;
}

export function conditionsOf(object: KubeObject | undefined): readonly Condition[] {
  const status = object?.['status'] as { readonly conditions?: readonly Condition[] } | undefined;
  return status?.conditions ?? [];
}

export function conditionOf(object: KubeObject | undefined, type: string): Condition | undefined {
  return conditionsOf(object).find((condition) => condition.type === type);
}

/** As Kubernetes writes times: whole seconds. */
export function timeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19)}Z`;
}

/** The conditions with this one in place of its like; the time of transition moves only when the status does. */
export function withCondition(
  conditions: readonly Condition[],
  next: Omit<Condition, 'lastTransitionTime'>,
  nowMs: number,
): readonly Condition[] {
  const standing = conditions.find(({ type }) => type === next.type);
  const moved = standing === undefined || standing.status !== next.status;
  const lastTransitionTime = moved ? timeText(nowMs) : (standing.lastTransitionTime ?? timeText(nowMs));
  const condition = { ...next, lastTransitionTime };
  return standing === undefined
    ? [...conditions, condition]
    : conditions.map((one) => (one.type === next.type ? condition : one));
}
