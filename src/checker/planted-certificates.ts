import 'reflect-metadata';
import { KeyObject, webcrypto } from 'node:crypto';
import * as x509 from '@peculiar/x509';

/** Certificates for tests of the checker: P-256, one subject for all roots, as cert-manager makes KLM's. */
export interface PlantedRoot {
  readonly name: string;
  readonly pem: string;
  readonly keyPem: string;
  readonly keys: webcrypto.CryptoKeyPair;
}

export interface PlantedPair {
  readonly crt: string;
  readonly key: string;
}

interface Validity {
  readonly notBefore?: Date;
  readonly notAfter?: Date;
}

x509.cryptoProvider.set(webcrypto as unknown as Parameters<typeof x509.cryptoProvider.set>[0]);
const algorithm = { name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' };
const always = { notBefore: new Date('2020-01-01T00:00:00Z'), notAfter: new Date('2050-01-01T00:00:00Z') };
const rootName = 'CN=klm-watcher-selfsigned-ca';

export async function plantRoot(name: string, validity: Validity = {}, keys?: webcrypto.CryptoKeyPair) {
  const rootKeys = keys ?? (await newKeys());
  const certificate = await x509.X509CertificateGenerator.createSelfSigned({
    name: rootName,
    keys: rootKeys,
    signingAlgorithm: algorithm,
    ...always,
    ...validity,
    extensions: [
      new x509.BasicConstraintsExtension(true, undefined, true),
      await x509.SubjectKeyIdentifierExtension.create(rootKeys.publicKey),
    ],
  });
  const root: PlantedRoot = { name, pem: certificate.toString('pem'), keyPem: keyPem(rootKeys), keys: rootKeys };
  return root;
}

/** A leaf of `root`; `naming: 'issuer'` leaves out the authority key identifier. */
export async function plantPair(
  root: PlantedRoot,
  subject: string,
  { naming = 'key', ...validity }: Validity & { readonly naming?: 'key' | 'issuer' } = {},
): Promise<PlantedPair> {
  const keys = await newKeys();
  const certificate = await x509.X509CertificateGenerator.create({
    subject: `CN=${subject}`,
    issuer: rootName,
    publicKey: keys.publicKey,
    signingKey: root.keys.privateKey,
    signingAlgorithm: algorithm,
    ...always,
    ...validity,
    extensions: [
      new x509.SubjectAlternativeNameExtension([{ type: 'dns', value: subject }]),
      ...(naming === 'key' ? [await x509.AuthorityKeyIdentifierExtension.create(root.keys.publicKey)] : []),
    ],
  });
  return { crt: certificate.toString('pem'), key: keyPem(keys) };
}

function newKeys(): Promise<webcrypto.CryptoKeyPair> {
  return webcrypto.subtle.generateKey(algorithm, true, ['sign', 'verify']);
}

function keyPem(keys: webcrypto.CryptoKeyPair): string {
  return KeyObject.from(keys.privateKey).export({ type: 'pkcs8', format: 'pem' }).toString();
}
