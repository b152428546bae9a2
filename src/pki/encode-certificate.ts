import { createHash, type KeyObject, sign } from 'node:crypto';
import { AsnConvert, OctetString } from '@peculiar/asn1-schema';
import {
  AttributeTypeAndValue,
  AttributeValue,
  AuthorityKeyIdentifier,
  BasicConstraints,
  ExtendedKeyUsage,
  Extension,
  Extensions,
  GeneralName,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  id_kp_clientAuth,
  id_kp_serverAuth,
  KeyIdentifier,
  KeyUsage,
  KeyUsageFlags,
  Name,
  RelativeDistinguishedName,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
} from '@peculiar/asn1-x509';
import { childrenOf, contentOf, readElement } from './der.ts';

/** Who a certificate is of. What is left out is not in the name; several values of one attribute stand in it as one set. */
export interface Subject {
  readonly commonName?: string;
  readonly organizationalUnit?: string | readonly string[];
  readonly organization?: string | readonly string[];
  readonly locality?: string | readonly string[];
  readonly province?: string | readonly string[];
  readonly country?: string | readonly string[];
}

export type ExtendedUsage = 'serverAuth' | 'clientAuth';
export type Usage = 'digitalSignature' | 'keyEncipherment' | 'keyCertSign' | 'crlSign';

/** A certificate before it is signed. Names and keys are DER, so that a signer's name is repeated byte by byte (Go insists). */
export interface Unsigned {
  readonly serial: Uint8Array;
  readonly issuer: Uint8Array;
  readonly subject: Uint8Array;
  readonly publicKeyInfo: Uint8Array;
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly extensions: readonly Extension[];
}

const usageFlags: Readonly<Record<Usage, number>> = {
  digitalSignature: KeyUsageFlags.digitalSignature,
  keyEncipherment: KeyUsageFlags.keyEncipherment,
  keyCertSign: KeyUsageFlags.keyCertSign,
  crlSign: KeyUsageFlags.cRLSign,
};

/** Signs with SHA-256, on the larger curves with the hash of their size. `null`: no algorithm for such a key. */
export function encodeSigned(unsigned: Unsigned, signer: KeyObject): Uint8Array | null {
  const algorithm = signatureAlgorithmOf(signer);
  if (algorithm === null) return null;
  const identifier = Buffer.from(algorithm.identifierHex, 'hex');
  const tbs = element(
    0x30,
    element(0xa0, element(0x02, Uint8Array.of(2))),
    element(0x02, unsigned.serial),
    identifier,
    unsigned.issuer,
    element(0x30, encodeTime(unsigned.notBeforeMs), encodeTime(unsigned.notAfterMs)),
    unsigned.subject,
    unsigned.publicKeyInfo,
    element(0xa3, new Uint8Array(AsnConvert.serialize(new Extensions([...unsigned.extensions])))),
  );
  const signature = sign(algorithm.hash, tbs, signer);
  return element(0x30, tbs, identifier, element(0x03, Uint8Array.of(0), signature));
}

/** In the order in which cert-manager's certificates have it. */
export function encodeSubject(subject: Subject): Uint8Array {
  const attributes: readonly (readonly [string, string | readonly string[] | undefined])[] = [
    ['2.5.4.6', subject.country],
    ['2.5.4.8', subject.province],
    ['2.5.4.7', subject.locality],
    ['2.5.4.10', subject.organization],
    ['2.5.4.11', subject.organizationalUnit],
    ['2.5.4.3', subject.commonName],
  ];
  const names = attributes.flatMap(([type, values = []]) => {
    const texts = (typeof values === 'string' ? [values] : values).filter((text) => text !== '');
    if (texts.length === 0) return [];
    const set = texts.map((text) => new AttributeTypeAndValue({ type, value: attributeValue(text) }));
    return [new RelativeDistinguishedName(inOrderOfBytes(set))];
  });
  return new Uint8Array(AsnConvert.serialize(new Name(names)));
}

/** The form that Go's issuers choose: printable where the letters allow it. */
function attributeValue(text: string): AttributeValue {
  const printable = /^[A-Za-z0-9 '()+,./:=?-]*$/.test(text);
  return new AttributeValue(printable ? { printableString: text } : { utf8String: text });
}

/** As DER wants the members of a set. */
function inOrderOfBytes(set: readonly AttributeTypeAndValue[]): AttributeTypeAndValue[] {
  const bytes = (one: AttributeTypeAndValue): Buffer => Buffer.from(AsnConvert.serialize(one));
  return [...set].sort((a, b) => Buffer.compare(bytes(a), bytes(b)));
}

/** SHA-1 of the key's bits (RFC 5280, 4.2.1.2, method 1), which is what OpenSSL and most issuers write. */
export function keyIdentifierOf(publicKeyInfo: Uint8Array): Uint8Array {
  const [, bits] = childrenOf(publicKeyInfo, readElement(publicKeyInfo, 0, publicKeyInfo.length));
  const content = bits === undefined ? new Uint8Array() : contentOf(publicKeyInfo, bits).subarray(1);
  return new Uint8Array(createHash('sha1').update(content).digest());
}

export const extension = {
  subjectKeyId: (id: Uint8Array): Extension =>
    make(id_ce_subjectKeyIdentifier, false, new SubjectKeyIdentifier(new Uint8Array(id))),
  authorityKeyId: (id: Uint8Array): Extension =>
    make(
      id_ce_authorityKeyIdentifier,
      false,
      new AuthorityKeyIdentifier({ keyIdentifier: new KeyIdentifier(new Uint8Array(id)) }),
    ),
  basicConstraints: (isCa: boolean, pathLen?: number): Extension =>
    make(
      id_ce_basicConstraints,
      true,
      new BasicConstraints({ cA: isCa, ...(pathLen === undefined ? {} : { pathLenConstraint: pathLen }) }),
    ),
  keyUsage: (usages: readonly Usage[]): Extension =>
    make(id_ce_keyUsage, true, new KeyUsage(usages.reduce((flags, usage) => flags | usageFlags[usage], 0))),
  extendedKeyUsage: (usages: readonly ExtendedUsage[]): Extension =>
    make(
      id_ce_extKeyUsage,
      false,
      new ExtendedKeyUsage(usages.map((usage) => (usage === 'serverAuth' ? id_kp_serverAuth : id_kp_clientAuth))),
    ),
  /** Critical where the subject is empty (RFC 5280, 4.2.1.6). */
  names: (dnsNames: readonly string[], ipAddresses: readonly string[], critical: boolean): Extension =>
    make(
      id_ce_subjectAltName,
      critical,
      new SubjectAlternativeName([
        ...dnsNames.map((dNSName) => new GeneralName({ dNSName })),
        ...ipAddresses.map((iPAddress) => new GeneralName({ iPAddress })),
      ]),
    ),
};

function make(extnID: string, critical: boolean, value: unknown): Extension {
  return new Extension({ extnID, critical, extnValue: new OctetString(AsnConvert.serialize(value)) });
}

// The identifiers as whole DER elements: RSA wants a NULL as parameter, ECDSA none at all, and verifiers check.
const algorithms = {
  rsa: { hash: 'sha256', identifierHex: '300d06092a864886f70d01010b0500' },
  prime256v1: { hash: 'sha256', identifierHex: '300a06082a8648ce3d040302' },
  secp384r1: { hash: 'sha384', identifierHex: '300a06082a8648ce3d040303' },
  secp521r1: { hash: 'sha512', identifierHex: '300a06082a8648ce3d040304' },
} as const;

function signatureAlgorithmOf(key: KeyObject): { readonly hash: string; readonly identifierHex: string } | null {
  const kind =
    key.asymmetricKeyType === 'ec' ? (key.asymmetricKeyDetails?.namedCurve ?? '') : (key.asymmetricKeyType ?? '');
  return Object.hasOwn(algorithms, kind) ? algorithms[kind as keyof typeof algorithms] : null;
}

function encodeTime(timeMs: number): Uint8Array {
  const text = new Date(timeMs)
    .toISOString()
    .replace(/\.\d+Z$/, 'Z')
    .replace(/[-:T]/g, '');
  // RFC 5280, 4.1.2.5: the short form until 2049, and never after; Go and OpenSSL read both.
  const short = Number(text.slice(0, 4)) < 2050;
  return element(short ? 0x17 : 0x18, Buffer.from(short ? text.slice(2) : text, 'latin1'));
}

function element(tag: number, ...parts: readonly Uint8Array[]): Uint8Array {
  const content = Buffer.concat(parts);
  const length: number[] = [];
  if (content.length < 0x80) {
    length.push(content.length);
  } else {
    for (let left = content.length; left > 0; left = Math.floor(left / 256)) length.unshift(left % 256);
    length.unshift(0x80 + length.length);
  }
  return new Uint8Array(Buffer.concat([Uint8Array.of(tag, ...length), content]));
}
