import 'reflect-metadata';
import { createPrivateKey, type KeyObject, randomBytes, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

// Two declarations of one object: the DOM's and Node's.
x509.cryptoProvider.set(webcrypto as unknown as Parameters<(typeof x509.cryptoProvider)['set']>[0]);

const p256 = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' } as const;
const dayMs = 86_400_000;

/** Certificate and private key, both PEM. */
export interface Pair {
  readonly certificatePem: string;
  readonly keyPem: string;
}

export interface CaOptions {
  readonly commonName: string;
  /** Default: five minutes ago, for clocks that differ. */
  readonly notBefore?: Date;
  /** Default: 90 days from now. */
  readonly notAfter?: Date;
}

export interface LeafOptions {
  readonly commonName: string;
  readonly organization?: string;
  readonly dnsNames?: readonly string[];
  readonly ipAddresses?: readonly string[];
  readonly uris?: readonly string[];
  readonly notAfter?: Date;
}

/** A self-signed P-256 CA with subject key identifier, for the world's own parts and for tests. */
export async function createCa(options: CaOptions): Promise<Pair> {
  const keys = await webcrypto.subtle.generateKey(p256, true, ['sign', 'verify']);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    serialNumber: serialNumber(),
    name: [{ CN: [options.commonName] }],
    notBefore: options.notBefore ?? new Date(Date.now() - 300_000),
    notAfter: options.notAfter ?? new Date(Date.now() + 90 * dayMs),
    keys,
    signingAlgorithm: p256,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      new x509.KeyUsagesExtension(
        x509.KeyUsageFlags.keyCertSign | x509.KeyUsageFlags.cRLSign | x509.KeyUsageFlags.digitalSignature,
        true,
      ),
      await x509.SubjectKeyIdentifierExtension.create(keys.publicKey),
    ],
  });
  return { certificatePem: pem(certificate), keyPem: await privateKeyPem(keys.privateKey) };
}

/** A P-256 leaf signed by a CA of any key type (istiod's is RSA), with authority key identifier. */
export async function issueLeaf(ca: Pair, options: LeafOptions): Promise<Pair> {
  const issuer = new x509.X509Certificate(ca.certificatePem);
  const { signingKey, signingAlgorithm } = await importSigningKey(createPrivateKey(ca.keyPem));
  const keys = await webcrypto.subtle.generateKey(p256, true, ['sign', 'verify']);
  const names = [
    ...(options.dnsNames ?? []).map((value) => ({ type: 'dns' as const, value })),
    ...(options.ipAddresses ?? []).map((value) => ({ type: 'ip' as const, value })),
    ...(options.uris ?? []).map((value) => ({ type: 'url' as const, value })),
  ];
  const certificate = await x509.X509CertificateGenerator.create({
    serialNumber: serialNumber(),
    subject: [
      { CN: [options.commonName] },
      ...(options.organization === undefined ? [] : [{ O: [options.organization] }]),
    ],
    issuer: issuer.subject,
    notBefore: new Date(Date.now() - 300_000),
    notAfter: options.notAfter ?? new Date(Date.now() + 30 * dayMs),
    publicKey: keys.publicKey,
    signingKey,
    signingAlgorithm,
    extensions: [
      new x509.BasicConstraintsExtension(false, undefined, true),
      new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
      new x509.ExtendedKeyUsageExtension(['1.3.6.1.5.5.7.3.1', '1.3.6.1.5.5.7.3.2']),
      await x509.AuthorityKeyIdentifierExtension.create(issuer.publicKey),
      ...(names.length === 0 ? [] : [new x509.SubjectAlternativeNameExtension(names)]),
    ],
  });
  return { certificatePem: pem(certificate), keyPem: await privateKeyPem(keys.privateKey) };
}

async function importSigningKey(key: KeyObject) {
  const signingAlgorithm =
    key.asymmetricKeyType === 'rsa' ? ({ name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' } as const) : p256;
  const der = key.export({ type: 'pkcs8', format: 'der' });
  return {
    signingKey: await webcrypto.subtle.importKey('pkcs8', der, signingAlgorithm, false, ['sign']),
    signingAlgorithm,
  };
}

async function privateKeyPem(key: webcrypto.CryptoKey): Promise<string> {
  return `${x509.PemConverter.encode(await webcrypto.subtle.exportKey('pkcs8', key), 'PRIVATE KEY')}\n`;
}

function pem(certificate: x509.X509Certificate): string {
  return `${certificate.toString('pem')}\n`;
}

/** Positive and never zero-led, so that no verifier stumbles over its encoding. */
function serialNumber(): string {
  const bytes = randomBytes(16);
  bytes[0] = ((bytes[0] ?? 0) & 0x3f) | 0x40;
  return bytes.toString('hex');
}
