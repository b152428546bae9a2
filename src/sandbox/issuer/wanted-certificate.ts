import { parseDurationMs } from '../../api/duration.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import type { Certificate } from '../../pki/certificate.ts';
import type { ExtendedUsage, Subject, Usage } from '../../pki/encode-certificate.ts';
import type { KeyEncoding } from '../../pki/issue.ts';

export type WantedKey =
  | { readonly kind: 'rsa'; readonly bits: number }
  | { readonly kind: 'ec'; readonly curve: 'P-256' | 'P-384' | 'P-521' };

/** What a Certificate asks for, with cert-manager's defaults, except that a key is P-256 where none is named. */
export interface WantedCertificate {
  readonly secretName: string;
  readonly commonName: string;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  readonly subject: Subject;
  readonly isCa: boolean;
  readonly usages: readonly Usage[];
  readonly extendedUsages: readonly ExtendedUsage[];
  readonly durationMs: number;
  /** Whether the duration was asked for. Where it was not, another one later is no reason to issue again. */
  readonly durationAsked: boolean;
  readonly renewBeforeMs: number | null;
  readonly key: WantedKey;
  readonly keyEncoding: KeyEncoding;
  readonly reuseKey: boolean;
  readonly issuerRef: { readonly name: string; readonly kind: string; readonly group: string };
  readonly secretLabels: Readonly<Record<string, string>>;
  readonly secretAnnotations: Readonly<Record<string, string>>;
}

interface CertificateSpec {
  readonly secretName?: string;
  readonly commonName?: string;
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  readonly subject?: {
    readonly organizations?: readonly string[];
    readonly organizationalUnits?: readonly string[];
    readonly localities?: readonly string[];
    readonly provinces?: readonly string[];
    readonly countries?: readonly string[];
  };
  readonly isCA?: boolean;
  readonly usages?: readonly string[];
  readonly duration?: string;
  readonly renewBefore?: string;
  readonly privateKey?: {
    readonly algorithm?: string;
    readonly size?: number;
    readonly encoding?: string;
    readonly rotationPolicy?: string;
  };
  readonly issuerRef?: { readonly name?: string; readonly kind?: string; readonly group?: string };
  readonly secretTemplate?: {
    readonly labels?: Readonly<Record<string, string>>;
    readonly annotations?: Readonly<Record<string, string>>;
  };
}

const defaultDurationMs = 90 * 86_400_000;

const usageNames: Readonly<Record<string, Usage>> = {
  signing: 'digitalSignature',
  'digital signature': 'digitalSignature',
  'key encipherment': 'keyEncipherment',
  'cert sign': 'keyCertSign',
  'crl sign': 'crlSign',
};
const extendedUsageNames: Readonly<Record<string, ExtendedUsage>> = {
  'server auth': 'serverAuth',
  'client auth': 'clientAuth',
};

export function wantedCertificate(certificate: KubeObject): WantedCertificate {
  const spec = (certificate['spec'] ?? {}) as CertificateSpec;
  const { subject = {}, privateKey = {}, issuerRef = {}, secretTemplate = {} } = spec;
  const named = spec.usages ?? ['digital signature', 'key encipherment'];
  const isCa = spec.isCA ?? false;
  const usages = named.flatMap((name) => usageNames[name] ?? []);
  const key = wantedKey(privateKey.algorithm, privateKey.size);
  return {
    secretName: spec.secretName ?? '',
    commonName: spec.commonName ?? '',
    // An empty one is no name, though the lifecycle-manager may write one.
    dnsNames: (spec.dnsNames ?? []).filter((name) => name !== ''),
    ipAddresses: spec.ipAddresses ?? [],
    subject: {
      country: subject.countries ?? [],
      organization: subject.organizations ?? [],
      organizationalUnit: subject.organizationalUnits ?? [],
      locality: subject.localities ?? [],
      province: subject.provinces ?? [],
      commonName: spec.commonName ?? '',
    },
    isCa,
    usages: [...new Set<Usage>(isCa ? [...usages, 'keyCertSign'] : usages)],
    extendedUsages: named.flatMap((name) => extendedUsageNames[name] ?? []),
    durationMs: parseDurationMs(spec.duration ?? '') ?? defaultDurationMs,
    durationAsked: spec.duration !== undefined,
    renewBeforeMs: parseDurationMs(spec.renewBefore ?? ''),
    key,
    keyEncoding: privateKey.encoding === 'PKCS8' ? 'PKCS8' : key.kind === 'rsa' ? 'PKCS1' : 'SEC1',
    reuseKey: privateKey.rotationPolicy === 'Never',
    issuerRef: {
      name: issuerRef.name ?? '',
      kind: issuerRef.kind ?? 'Issuer',
      group: issuerRef.group || 'cert-manager.io',
    },
    secretLabels: secretTemplate.labels ?? {},
    secretAnnotations: secretTemplate.annotations ?? {},
  };
}

/** When cert-manager renews a certificate: as long before its end as asked, or when two thirds of its life are over. */
export function renewalTimeMs(
  { notBeforeMs, notAfterMs }: Pick<Certificate, 'notBeforeMs' | 'notAfterMs'>,
  renewBeforeMs: number | null,
): number {
  const lifeMs = notAfterMs - notBeforeMs;
  const beforeMs = renewBeforeMs !== null && renewBeforeMs > 0 && renewBeforeMs < lifeMs ? renewBeforeMs : lifeMs / 3;
  return Math.floor((notAfterMs - beforeMs) / 1000) * 1000;
}

/** `RSA-2048`, `P-256`: as `Certificate.keyAlgorithm` names it. */
export function keyName(key: WantedKey): string {
  return key.kind === 'rsa' ? `RSA-${key.bits}` : key.curve;
}

function wantedKey(algorithm: string | undefined, size: number | undefined): WantedKey {
  if (algorithm === 'RSA') return { kind: 'rsa', bits: size || 2048 };
  return { kind: 'ec', curve: size === 521 ? 'P-521' : size === 384 ? 'P-384' : 'P-256' };
}
