import type { KubeObject, SecretObject } from '../../kubernetes/resource.ts';
import type { Certificate } from '../../pki/certificate.ts';
import { coversHost } from '../../pki/covers-host.ts';
import { type PairResult, parsePair } from '../../pki/pair.ts';
import { ANNOTATION, timeText } from './kinds.ts';
import { asksFor } from './signing-request.ts';
import { keyName, renewalTimeMs, type WantedCertificate } from './wanted-certificate.ts';

/** Reason and message of a condition, in cert-manager's words. */
export interface Reason {
  readonly reason: string;
  readonly message: string;
}

export interface StandingCertificate {
  readonly wanted: WantedCertificate;
  /** What `spec.secretName` names. */
  readonly secret: SecretObject | undefined;
  /** The request that the last issuance was made by, if it is still there. */
  readonly lastRequest: KubeObject | undefined;
  readonly nowMs: number;
}

/** The certificate that a Secret holds; undefined where it holds none that goes with its key. */
export function leafIn(secret: SecretObject | undefined): Certificate | undefined {
  const pair = pairIn(secret);
  return pair?.ok === true ? pair.pair.leaf : undefined;
}

/** Why a Certificate is not up to date, as cert-manager's readiness looks at it: the first reason in its order. */
export function whyNotReady({ wanted, secret, lastRequest, nowMs }: StandingCertificate): Reason | null {
  if (secret === undefined) {
    return { reason: 'DoesNotExist', message: 'Issuing certificate as Secret does not exist' };
  }
  const pair = pairIn(secret);
  if (pair === undefined) {
    return { reason: 'MissingData', message: 'Issuing certificate as Secret does not contain a certificate and a key' };
  }
  if (!pair.ok) {
    return { reason: 'InvalidKeyPair', message: 'Issuing certificate as Secret contains an invalid key-pair' };
  }
  const { leaf } = pair.pair;
  if (leaf.keyAlgorithm !== keyName(wanted.key)) {
    const message = 'Existing private key is not up to date for spec: [spec.privateKey]';
    return { reason: 'SecretMismatch', message };
  }
  const annotations = secret.metadata.annotations ?? {};
  const { name, kind, group } = wanted.issuerRef;
  if (
    annotations[ANNOTATION.issuerName] !== name ||
    annotations[ANNOTATION.issuerKind] !== kind ||
    annotations[ANNOTATION.issuerGroup] !== group
  ) {
    return {
      reason: 'IncorrectIssuer',
      message: 'Issuing certificate as Secret was previously issued by another issuer',
    };
  }
  if (lastRequest === undefined ? !leafSays(leaf, wanted) : !requestSays(lastRequest, wanted)) {
    return { reason: 'RequestChanged', message: 'Fields on existing CertificateRequest resource not up to date' };
  }
  if (nowMs >= leaf.notAfterMs) {
    return { reason: 'Expired', message: `Certificate expired on ${timeText(leaf.notAfterMs)}` };
  }
  return null;
}

/** Why a Certificate is to be issued again: it is not up to date, or its time of renewal has come. */
export function whyReissue(standing: StandingCertificate): Reason | null {
  const notReady = whyNotReady(standing);
  if (notReady !== null) return notReady;
  const leaf = leafIn(standing.secret);
  if (leaf === undefined) return null;
  const renewalMs = renewalTimeMs(leaf, standing.wanted.renewBeforeMs);
  if (standing.nowMs < renewalMs) return null;
  return {
    reason: 'Renewing',
    message: `Renewing certificate as renewal was scheduled at ${timeText(renewalMs)}`,
  };
}

/** Whether a CertificateRequest asks for what is wanted now. */
export function requestSays(request: KubeObject, wanted: WantedCertificate): boolean {
  const spec = (request['spec'] ?? {}) as {
    readonly request?: string;
    readonly duration?: string;
    readonly isCA?: boolean;
    readonly issuerRef?: { readonly name?: string; readonly kind?: string; readonly group?: string };
  };
  const { name, kind, group } = wanted.issuerRef;
  return (
    spec.duration === `${wanted.durationMs / 1000}s` &&
    (spec.isCA ?? false) === wanted.isCa &&
    spec.issuerRef?.name === name &&
    spec.issuerRef.kind === kind &&
    spec.issuerRef.group === group &&
    asksFor(Buffer.from(spec.request ?? '', 'base64').toString('utf8'), wanted)
  );
}

function pairIn(secret: SecretObject | undefined): PairResult | undefined {
  const { 'tls.crt': certificate = '', 'tls.key': key = '' } = secret?.data ?? {};
  if (certificate === '' || key === '') return undefined;
  return parsePair({ certificatePem: Buffer.from(certificate, 'base64'), keyPem: Buffer.from(key, 'base64') });
}

/** Without the request only what shows in the certificate can be compared. */
function leafSays(leaf: Certificate, wanted: WantedCertificate): boolean {
  return (
    leaf.isCa === wanted.isCa &&
    leaf.dnsNames.length === new Set(wanted.dnsNames).size &&
    wanted.dnsNames.every((name) => coversHost(leaf, name))
  );
}
