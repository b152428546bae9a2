import { isDeepStrictEqual } from 'node:util';
import { parseDurationMs } from '../../api/duration.ts';
import type { KubeObject, SecretObject } from '../../kubernetes/resource.ts';
import type { Certificate } from '../../pki/certificate.ts';
import { coversHost } from '../../pki/covers-host.ts';
import { type PairDefect, type PairDefectReason, type PairResult, parsePair } from '../../pki/pair.ts';
import { ANNOTATION } from './kinds.ts';
import { asksFor, keyIdIn } from './signing-request.ts';
import { keyName, renewalTimeMs, type WantedCertificate } from './wanted-certificate.ts';

/** Reason and message of a condition, in cert-manager's words. */
export interface Reason {
  readonly reason: string;
  readonly message: string;
}

export interface StandingCertificate {
  readonly certificateName: string;
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

/** Why a Certificate is to be issued again: it is not what is asked for, or its time of renewal has come. */
export function whyReissue(standing: StandingCertificate): Reason | null {
  const mismatch = whyMismatched(standing);
  if (mismatch !== null) return mismatch;
  const leaf = leafIn(standing.secret);
  if (leaf === undefined) return null;
  const renewalMs = renewalTimeMs(leaf, standing.wanted.renewBeforeMs);
  if (standing.nowMs < renewalMs) return null;
  return {
    reason: 'Renewing',
    message: `Renewing certificate as renewal was scheduled at ${goTimeText(renewalMs)}`,
  };
}

/** Why a Certificate is not ready: it is not what is asked for, or has expired. */
export function whyNotReady(standing: StandingCertificate): Reason | null {
  const mismatch = whyMismatched(standing);
  if (mismatch !== null) return mismatch;
  const leaf = leafIn(standing.secret);
  if (leaf === undefined || standing.nowMs <= leaf.notAfterMs) return null;
  return {
    reason: 'Expired',
    message: `Certificate expired on ${new Date(leaf.notAfterMs).toUTCString().replace('GMT', 'UTC')}`,
  };
}

/** The first reason in cert-manager's order. */
function whyMismatched({ certificateName, wanted, secret, lastRequest }: StandingCertificate): Reason | null {
  const issuingAs = (why: string): string => `Issuing certificate as ${why}`;
  if (secret === undefined) return { reason: 'DoesNotExist', message: issuingAs('Secret does not exist') };
  const { data, metadata } = secret;
  if (data === undefined) {
    return { reason: 'MissingData', message: issuingAs('Secret does not contain any data') };
  }
  for (const [key, what] of [
    ['tls.key', 'a private key'],
    ['tls.crt', 'a certificate'],
  ] as const) {
    if ((data[key] ?? '') === '') {
      return { reason: 'MissingData', message: issuingAs(`Secret does not contain ${what}`) };
    }
  }
  const pair = pairIn(secret);
  if (pair?.ok !== true) return whyInvalid(pair?.defects ?? []);
  const { leaf } = pair.pair;
  const { name, kind, group } = wanted.issuerRef;
  const annotations = metadata.annotations ?? {};
  const issuedBy = [
    annotations[ANNOTATION.issuerName],
    annotations[ANNOTATION.issuerKind],
    annotations[ANNOTATION.issuerGroup],
  ];
  if (issuedBy.some((text) => text !== undefined) && !isDeepStrictEqual(issuedBy, [name, kind, group])) {
    const before = `${issuedBy[1]}.${issuedBy[2]}/${issuedBy[0]}`;
    return { reason: 'IncorrectIssuer', message: issuingAs(`Secret was previously issued by "${before}"`) };
  }
  const issuedFor = annotations[ANNOTATION.certificateName];
  if (issuedFor !== undefined && issuedFor !== certificateName) {
    const message = `Secret was issued for "${issuedFor}". If this message is not transient, you might have two conflicting Certificates pointing to the same secret.`;
    return { reason: 'IncorrectCertificate', message };
  }
  if (leaf.keyAlgorithm !== keyName(wanted.key)) {
    const message = 'Existing private key is not up to date for spec: [spec.privateKey]';
    return { reason: 'SecretMismatch', message };
  }
  if (lastRequest !== undefined && keyIdIn(requestPemOf(lastRequest)) !== leaf.keyId) {
    const message = 'Secret contains a private key that does not match the current CertificateRequest';
    return { reason: 'SecretMismatch', message };
  }
  if (lastRequest === undefined) {
    const message = issuingAs('Existing issued Secret is not up to date for spec');
    return leafSays(leaf, wanted) ? null : { reason: 'SecretMismatch', message };
  }
  if (requestSays(lastRequest, wanted)) return null;
  return { reason: 'RequestChanged', message: 'Fields on existing CertificateRequest resource not up to date' };
}

/** cert-manager reads the key first. */
function whyInvalid(defects: readonly PairDefect[]): Reason {
  const has = (...reasons: readonly PairDefectReason[]): boolean =>
    defects.some(({ reason }) => reasons.includes(reason));
  const why = (what: string): string => `Issuing certificate as Secret contains ${what}`;
  if (has('KeyUnreadable', 'NoKey')) return { reason: 'InvalidKeyPair', message: why('invalid private key data') };
  if (has('KeyDoesNotMatch', 'LeafNotFirst')) {
    return { reason: 'InvalidKeyPair', message: why('a private key that does not match the certificate') };
  }
  return { reason: 'InvalidCertificate', message: why('an invalid certificate') };
}

/** Whether a CertificateRequest asks for what is wanted now. */
export function requestSays(request: KubeObject, wanted: WantedCertificate): boolean {
  const spec = (request['spec'] ?? {}) as {
    readonly duration?: string;
    readonly isCA?: boolean;
    readonly issuerRef?: { readonly name?: string; readonly kind?: string; readonly group?: string };
  };
  const { name, kind, group } = wanted.issuerRef;
  return (
    (spec.duration === undefined || !wanted.durationAsked || parseDurationMs(spec.duration) === wanted.durationMs) &&
    (spec.isCA ?? false) === wanted.isCa &&
    spec.issuerRef?.name === name &&
    spec.issuerRef.kind === kind &&
    spec.issuerRef.group === group &&
    asksFor(requestPemOf(request), wanted)
  );
}

function requestPemOf(request: KubeObject): string {
  const { request: text = '' } = (request['spec'] ?? {}) as { readonly request?: string };
  return Buffer.from(text, 'base64').toString('utf8');
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

/** As Go writes a time into a sentence. */
function goTimeText(ms: number): string {
  return `${new Date(ms).toISOString().slice(0, 19).replace('T', ' ')} +0000 UTC`;
}
