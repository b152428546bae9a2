import { CERTIFICATE } from '../../api/names.ts';
import { apiVersionOf, type KubeObject, SECRET, type SecretObject } from '../../kubernetes/resource.ts';
import type { Certificate } from '../../pki/certificate.ts';
import { ANNOTATION, CERTIFICATE_REQUEST, FAO_LABEL } from './kinds.ts';
import { leafIn } from './reissue-reason.ts';
import type { WantedCertificate } from './wanted-certificate.ts';

/** The CertificateRequest of one issuance. */
export function requestObject(
  certificate: KubeObject,
  { wanted, revision, requestPem }: { wanted: WantedCertificate; revision: number; requestPem: string },
): KubeObject {
  const { name, namespace = '', uid = '' } = certificate.metadata;
  const spec = (certificate['spec'] ?? {}) as { readonly usages?: readonly string[] };
  return {
    apiVersion: apiVersionOf(CERTIFICATE_REQUEST),
    kind: CERTIFICATE_REQUEST.kind,
    metadata: {
      name: requestName(name, revision),
      namespace,
      annotations: {
        [ANNOTATION.certificateName]: name,
        [ANNOTATION.certificateRevision]: String(revision),
        [ANNOTATION.privateKeySecretName]: wanted.secretName,
      },
      ownerReferences: [
        {
          apiVersion: apiVersionOf(CERTIFICATE),
          kind: CERTIFICATE.kind,
          name,
          uid,
          controller: true,
          blockOwnerDeletion: true,
        },
      ],
    },
    spec: {
      request: base64(requestPem),
      issuerRef: wanted.issuerRef,
      ...(wanted.durationAsked ? { duration: goDuration(wanted.durationMs) } : {}),
      ...(wanted.isCa ? { isCA: true } : {}),
      ...(spec.usages === undefined ? {} : { usages: spec.usages }),
    },
  };
}

/** As Go writes a duration: `48h0m0s`. */
function goDuration(ms: number): string {
  const [hours, minutes, seconds] = [Math.floor(ms / 3_600_000), Math.floor(ms / 60_000) % 60, (ms / 1000) % 60];
  if (hours > 0) return `${hours}h${minutes}m${seconds}s`;
  return minutes > 0 ? `${minutes}m${seconds}s` : `${seconds}s`;
}

export function requestName(certificate: string, revision: number): string {
  return `${certificate}-${revision}`;
}

/** Owner of what cert-manager applies. */
export const fieldManager = 'cert-manager-certificates-issuing';

/** The Secret that an issuance ends in, as cert-manager applies it. */
export function issuedSecret(
  certificate: KubeObject,
  issued: {
    readonly wanted: WantedCertificate;
    readonly leaf: Certificate;
    readonly certificatePem: string;
    readonly keyPem: string;
    readonly caPem: string;
    /** Of the Secret that is there already: it cannot be changed. */
    readonly type: string | undefined;
  },
): SecretObject {
  const data = { 'tls.crt': issued.certificatePem, 'tls.key': issued.keyPem, 'ca.crt': issued.caPem };
  return {
    apiVersion: apiVersionOf(SECRET),
    kind: SECRET.kind,
    metadata: {
      name: issued.wanted.secretName,
      namespace: certificate.metadata.namespace ?? '',
      labels: { ...issued.wanted.secretLabels, [FAO_LABEL]: 'true' },
      annotations: annotationsFor(certificate, issued.wanted, issued.leaf),
    },
    type: issued.type ?? 'kubernetes.io/tls',
    data: Object.fromEntries(Object.entries(data).map(([key, text]) => [key, base64(text)])),
  };
}

/** The same with what stands in the Secret already; undefined where nothing good does. */
export function standingSecret(
  certificate: KubeObject,
  wanted: WantedCertificate,
  secret: SecretObject,
): SecretObject | undefined {
  const leaf = leafIn(secret);
  if (leaf === undefined) return undefined;
  const text = (key: string): string => Buffer.from(secret.data?.[key] ?? '', 'base64').toString('utf8');
  return issuedSecret(certificate, {
    wanted,
    leaf,
    certificatePem: text('tls.crt'),
    keyPem: text('tls.key'),
    caPem: text('ca.crt'),
    type: secret.type,
  });
}

/** Whether labels and annotations of a Secret are those that were to be written, and none that were written once. */
export function standsOn(secret: SecretObject, written: SecretObject): boolean {
  const owned = (secret.metadata['managedFields'] as readonly ManagedFields[] | undefined)?.find(
    ({ manager, operation }) => manager === fieldManager && operation === 'Apply',
  );
  return (['labels', 'annotations'] as const).every((field) => {
    const wanted = written.metadata[field] ?? {};
    const names = Object.keys(owned?.fieldsV1?.['f:metadata']?.[`f:${field}`] ?? {});
    return (
      Object.entries(wanted).every(([name, text]) => secret.metadata[field]?.[name] === text) &&
      names.every((name) => name === '.' || Object.hasOwn(wanted, name.slice(2)))
    );
  });
}

interface ManagedFields {
  readonly manager?: string;
  readonly operation?: string;
  readonly fieldsV1?: { readonly 'f:metadata'?: Readonly<Record<string, object>> };
}

function annotationsFor(certificate: KubeObject, wanted: WantedCertificate, leaf: Certificate) {
  const { organization, organizationalUnit, country, province, locality } = wanted.subject;
  const subject = Object.entries({
    [ANNOTATION.organizations]: organization,
    [ANNOTATION.organizationalUnits]: organizationalUnit,
    [ANNOTATION.countries]: country,
    [ANNOTATION.provinces]: province,
    [ANNOTATION.localities]: locality,
  }).flatMap(([name, values = []]) => (values.length === 0 ? [] : [[name, commaSeparated([values].flat())]]));
  return {
    ...wanted.secretAnnotations,
    [ANNOTATION.certificateName]: certificate.metadata.name,
    [ANNOTATION.issuerName]: wanted.issuerRef.name,
    [ANNOTATION.issuerKind]: wanted.issuerRef.kind,
    [ANNOTATION.issuerGroup]: wanted.issuerRef.group,
    [ANNOTATION.commonName]: wanted.commonName,
    [ANNOTATION.altNames]: commaSeparated(leaf.dnsNames),
    [ANNOTATION.ipSans]: commaSeparated(leaf.ipAddresses),
    [ANNOTATION.uriSans]: '',
    ...Object.fromEntries(subject),
  };
}

/** As a line of CSV. */
function commaSeparated(values: readonly string[]): string {
  return values.map((text) => (/[",\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text)).join(',');
}

export function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
