import { CERTIFICATE } from '../../api/names.ts';
import { apiVersionOf, type KubeObject, SECRET, type SecretObject } from '../../kubernetes/resource.ts';
import { ANNOTATION, CERTIFICATE_REQUEST, FAO_LABEL } from './kinds.ts';
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
      duration: `${wanted.durationMs / 1000}s`,
      ...(wanted.isCa ? { isCA: true } : {}),
      ...(spec.usages === undefined ? {} : { usages: spec.usages }),
    },
  };
}

export function requestName(certificate: string, revision: number): string {
  return `${certificate}-${revision}`;
}

/** The Secret that an issuance ends in, as cert-manager applies it. */
export function issuedSecret(
  certificate: KubeObject,
  issued: {
    readonly wanted: WantedCertificate;
    readonly certificatePem: string;
    readonly keyPem: string;
    readonly caPem: string;
    /** Of the Secret that is there already: it cannot be changed. */
    readonly type: string | undefined;
  },
): SecretObject {
  const { wanted } = issued;
  return {
    apiVersion: apiVersionOf(SECRET),
    kind: SECRET.kind,
    metadata: {
      name: wanted.secretName,
      namespace: certificate.metadata.namespace ?? '',
      labels: { ...wanted.secretLabels, [FAO_LABEL]: 'true' },
      annotations: {
        ...wanted.secretAnnotations,
        [ANNOTATION.certificateName]: certificate.metadata.name,
        [ANNOTATION.issuerName]: wanted.issuerRef.name,
        [ANNOTATION.issuerKind]: wanted.issuerRef.kind,
        [ANNOTATION.issuerGroup]: wanted.issuerRef.group,
        [ANNOTATION.commonName]: wanted.commonName,
        [ANNOTATION.altNames]: wanted.dnsNames.join(','),
        [ANNOTATION.ipSans]: wanted.ipAddresses.join(','),
        [ANNOTATION.uriSans]: '',
      },
    },
    type: issued.type ?? 'kubernetes.io/tls',
    data: {
      'tls.crt': base64(issued.certificatePem),
      'tls.key': base64(issued.keyPem),
      'ca.crt': base64(issued.caPem),
    },
  };
}

export function base64(text: string): string {
  return Buffer.from(text, 'utf8').toString('base64');
}
