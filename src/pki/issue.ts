import { createPrivateKey, createPublicKey, generateKeyPair, type KeyObject, randomBytes } from 'node:crypto';
import { promisify } from 'node:util';
import { type Certificate, parseCertificate } from './certificate.ts';
import {
  type ExtendedUsage,
  encodeSigned,
  encodeSubject,
  extension,
  keyIdentifierOf,
  type Subject,
  type Usage,
} from './encode-certificate.ts';
import { encodePem, splitPem } from './pem.ts';

export type { ExtendedUsage, Subject, Usage } from './encode-certificate.ts';

export type KeyAlgorithm = 'P-256' | 'P-384' | 'RSA-2048' | 'RSA-4096';

/** How a private key is written: PKCS1 is for RSA only, SEC1 for curves only. */
export type KeyEncoding = 'PKCS8' | 'PKCS1' | 'SEC1';

/** A certificate and its key, as they go into a Secret. The key is held by nobody but the caller (S4). */
export interface IssuedPair {
  readonly certificate: Certificate;
  readonly certificatePem: string;
  readonly keyPem: string;
}

/** Signing is not possible with what was given. The message names the certificate and holds no byte of a key. */
export class IssuingError extends Error {
  override readonly name = 'IssuingError';
}

export interface LeafRequest {
  readonly rootCertificatePem: string;
  /** PKCS8, PKCS1 or SEC1. Used once, in memory, and not kept (S4). */
  readonly rootKeyPem: string;
  readonly subject?: Subject;
  readonly dnsNames: readonly string[];
  readonly ipAddresses?: readonly string[];
  /** Epoch milliseconds. Back-date it a little: a certificate used in the second of its issue fails on a slower clock. */
  readonly notBeforeMs: number;
  /** Cut to the root's own end, unless `mayOutliveRoot` (B12). */
  readonly notAfterMs: number;
  readonly mayOutliveRoot?: boolean;
  /** Both by default. An empty list leaves the extension out, as cert-manager does. */
  readonly usages?: readonly ExtendedUsage[];
  readonly keyAlgorithm: KeyAlgorithm;
  readonly keyEncoding?: KeyEncoding;
  /** `false` is for tests of what verifiers do without it. */
  readonly authorityKeyId?: boolean;
}

export interface RootRequest {
  readonly subject: Subject;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly keyAlgorithm: KeyAlgorithm;
  /** The key of an earlier generation: the root is renewed and not re-keyed. `keyAlgorithm` is not looked at then. */
  readonly keyPem?: string;
  readonly keyEncoding?: KeyEncoding;
  /** `false`: none, as some issuers leave it out. Bytes: these, whatever the key is. */
  readonly subjectKeyId?: boolean | Uint8Array;
  /** OpenSSL writes one on roots, Go does not; Node tells two roots of one name apart by it. */
  readonly authorityKeyId?: boolean;
  /** Hosts, where the root is itself the server certificate, as the lifecycle-manager has it. */
  readonly dnsNames?: readonly string[];
  readonly extendedKeyUsage?: readonly ExtendedUsage[];
  readonly keyUsage?: readonly Usage[] | null;
  readonly isCa?: boolean;
  readonly pathLen?: number;
}

const generate = promisify(generateKeyPair);

/**
 * Signs a new leaf with a key of its own.
 *
 * It always names the signer's key (authority key identifier): without that, OpenSSL and Envoy try only the first of several
 * roots with one subject. Where the root has no identifier of its own, the one computed from its key is written: verifiers
 * then pass over every namesake that has another, and still take this root, which has none to disagree with.
 *
 * @throws IssuingError when certificate and key of the root do not go together or cannot sign
 */
export async function issueLeaf(request: LeafRequest): Promise<IssuedPair> {
  const root = readRoot(request.rootCertificatePem);
  const rootKey = readPrivateKey(request.rootKeyPem, root.subjectText);
  const rootKeyInfo = publicKeyInfoOf(createPublicKey(request.rootCertificatePem));
  if (!publicKeyInfoOf(createPublicKey(rootKey)).equals(rootKeyInfo)) {
    throw new IssuingError(`The key is not that of ${root.subjectText}; nothing was signed`);
  }
  const key = await newKey(request.keyAlgorithm);
  const publicKeyInfo = publicKeyInfoOf(createPublicKey(key));
  const usages = request.usages ?? ['serverAuth', 'clientAuth'];
  const keyUsage: readonly Usage[] =
    key.asymmetricKeyType === 'rsa' ? ['digitalSignature', 'keyEncipherment'] : ['digitalSignature'];
  const names = { dns: request.dnsNames, ip: request.ipAddresses ?? [] };
  const subject = encodeSubject(request.subject ?? {});
  const signerKeyId = root.subjectKeyId === null ? keyIdentifierOf(rootKeyInfo) : Buffer.from(root.subjectKeyId, 'hex');
  const der = encodeSigned(
    {
      serial: newSerial(),
      issuer: Buffer.from(root.subject, 'hex'),
      subject,
      publicKeyInfo,
      notBeforeMs: request.notBeforeMs,
      notAfterMs: request.mayOutliveRoot === true ? request.notAfterMs : Math.min(request.notAfterMs, root.notAfterMs),
      extensions: [
        extension.keyUsage(keyUsage),
        ...(usages.length > 0 ? [extension.extendedKeyUsage(usages)] : []),
        extension.basicConstraints(false),
        extension.subjectKeyId(keyIdentifierOf(publicKeyInfo)),
        ...(request.authorityKeyId === false ? [] : [extension.authorityKeyId(signerKeyId)]),
        ...(names.dns.length + names.ip.length > 0 ? [extension.names(names.dns, names.ip, subject.length === 2)] : []),
      ],
    },
    rootKey,
  );
  return finished(der, key, request.keyEncoding ?? 'PKCS8');
}

/**
 * Makes a self-signed root: for tests and scenarios, and for the throw-away authority whose certificate a gateway must refuse.
 *
 * @throws IssuingError when the key that was given cannot sign
 */
export async function issueRoot(request: RootRequest): Promise<IssuedPair> {
  const key =
    request.keyPem === undefined ? await newKey(request.keyAlgorithm) : readPrivateKey(request.keyPem, 'the root');
  const publicKeyInfo = publicKeyInfoOf(createPublicKey(key));
  const name = encodeSubject(request.subject);
  const keyId = request.subjectKeyId instanceof Uint8Array ? request.subjectKeyId : keyIdentifierOf(publicKeyInfo);
  const usages = request.extendedKeyUsage ?? [];
  const names = request.dnsNames ?? [];
  const keyUsage =
    request.keyUsage === undefined
      ? (['digitalSignature', 'keyEncipherment', 'keyCertSign'] as const)
      : request.keyUsage;
  const der = encodeSigned(
    {
      serial: newSerial(),
      issuer: name,
      subject: name,
      publicKeyInfo,
      notBeforeMs: request.notBeforeMs,
      notAfterMs: request.notAfterMs,
      extensions: [
        ...(keyUsage === null ? [] : [extension.keyUsage(keyUsage)]),
        ...(usages.length > 0 ? [extension.extendedKeyUsage(usages)] : []),
        extension.basicConstraints(request.isCa ?? true, request.pathLen),
        ...(request.subjectKeyId === false ? [] : [extension.subjectKeyId(keyId)]),
        ...(request.authorityKeyId === true ? [extension.authorityKeyId(keyId)] : []),
        ...(names.length > 0 ? [extension.names(names, [], false)] : []),
      ],
    },
    key,
  );
  return finished(der, key, request.keyEncoding ?? 'PKCS8');
}

function readRoot(certificatePem: string): Certificate {
  const [block] = splitPem(certificatePem);
  const result = block?.kind === 'certificate' ? parseCertificate(block.der) : null;
  if (result?.ok !== true) {
    throw new IssuingError(
      `The root's certificate cannot be read (${result?.defect ?? 'no certificate block'}); nothing was signed`,
    );
  }
  return result.certificate;
}

function readPrivateKey(keyPem: string, whose: string): KeyObject {
  try {
    return createPrivateKey(keyPem);
  } catch {
    // What OpenSSL says is dropped along with the text that it says it of (S4).
    throw new IssuingError(`The private key of ${whose} cannot be read; give it in PEM and not encrypted`);
  }
}

async function newKey(algorithm: KeyAlgorithm): Promise<KeyObject> {
  const pair = algorithm.startsWith('RSA-')
    ? await generate('rsa', { modulusLength: Number(algorithm.slice(4)) })
    : await generate('ec', { namedCurve: algorithm });
  return pair.privateKey;
}

function publicKeyInfoOf(key: KeyObject): Buffer {
  return key.export({ type: 'spki', format: 'der' });
}

// Positive and without a leading zero byte, as DER wants an integer; 127 bits of chance.
function newSerial(): Uint8Array {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes;
}

function finished(der: Uint8Array | null, key: KeyObject, encoding: KeyEncoding): IssuedPair {
  if (der === null) throw new IssuingError('The key cannot sign; use RSA, P-256, P-384 or P-521');
  const result = parseCertificate(der);
  if (!result.ok)
    throw new IssuingError(`The new certificate would not be accepted (${result.defect}: ${result.detail})`);
  // The cast chooses an overload; whether the encoding suits the key is for OpenSSL to say.
  const type = encoding.toLowerCase() as 'pkcs8';
  const keyPem = key.export({ type, format: 'pem' }).toString();
  return { certificate: result.certificate, certificatePem: encodePem('CERTIFICATE', der), keyPem };
}
