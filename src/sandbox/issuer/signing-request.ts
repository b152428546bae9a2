import { type KeyObject, sign } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import { Extensions } from '@peculiar/asn1-x509';
import { sha256Hex } from '../../pki/certificate.ts';
import { bytesOf, childrenOf, readElement } from '../../pki/der.ts';
import { encodeSubject, extension } from '../../pki/encode-certificate.ts';
import { encodePem } from '../../pki/pem.ts';
import { publicKeyInfoOf } from './sign-certificate.ts';
import type { WantedCertificate } from './wanted-certificate.ts';

/** A signing request (PKCS #10) for what is wanted, in PEM. */
export function signingRequest(wanted: WantedCertificate, key: KeyObject): string {
  const { subject, attributes } = requested(wanted);
  const info = element(0x30, element(0x02, Uint8Array.of(0)), subject, publicKeyInfoOf(key), attributes);
  const { hash, identifierHex } = algorithmOf(key);
  const signature = sign(hash, info, key);
  const der = element(0x30, info, Buffer.from(identifierHex, 'hex'), element(0x03, Uint8Array.of(0), signature));
  return encodePem('CERTIFICATE REQUEST', der);
}

/** Whether a signing request asks for the names and usages that are wanted, with whatever key. */
export function asksFor(requestPem: string, wanted: WantedCertificate): boolean {
  const der = derOf(requestPem);
  try {
    const [info] = childrenOf(der, readElement(der, 0, der.length));
    if (info === undefined) return false;
    const [, subject, , attributes] = childrenOf(der, info);
    if (subject === undefined || attributes === undefined) return false;
    const expected = requested(wanted);
    return (
      Buffer.from(bytesOf(der, subject)).equals(expected.subject) &&
      Buffer.from(bytesOf(der, attributes)).equals(expected.attributes)
    );
  } catch {
    // Somebody else's text in our place is no request of ours.
    return false;
  }
}

/** SHA-256 of the public key that a signing request is for; undefined where it is none. */
export function keyIdIn(requestPem: string): string | undefined {
  const der = derOf(requestPem);
  try {
    const [info] = childrenOf(der, readElement(der, 0, der.length));
    const [, , publicKeyInfo] = info === undefined ? [] : childrenOf(der, info);
    return publicKeyInfo === undefined ? undefined : sha256Hex(bytesOf(der, publicKeyInfo));
  } catch {
    return undefined;
  }
}

function derOf(requestPem: string): Buffer {
  return Buffer.from(requestPem.replace(/-----[^-]+-----/g, ''), 'base64');
}

interface Requested {
  readonly subject: Uint8Array;
  readonly attributes: Uint8Array;
}

/** A Certificate is compared with its request at each event, and asks for the same each time. */
const known = new Map<string, Requested>();
const mostKnown = 1_000;

function requested(wanted: WantedCertificate): Requested {
  const { subject, dnsNames, ipAddresses, usages, extendedUsages, isCa } = wanted;
  const key = JSON.stringify([subject, dnsNames, ipAddresses, usages, extendedUsages, isCa]);
  const encoded = known.get(key) ?? encode(wanted);
  if (known.size >= mostKnown) known.clear();
  known.set(key, encoded);
  return encoded;
}

function encode(wanted: WantedCertificate): Requested {
  const subject = encodeSubject(wanted.subject);
  // In the order of the alphabet: the same names in another order are the same request.
  const [dnsNames, ipAddresses] = [[...wanted.dnsNames].sort(), [...wanted.ipAddresses].sort()];
  const extensions = [
    ...(dnsNames.length + ipAddresses.length > 0 ? [extension.names(dnsNames, ipAddresses, subject.length === 2)] : []),
    ...(wanted.usages.length > 0 ? [extension.keyUsage(wanted.usages)] : []),
    ...(wanted.extendedUsages.length > 0 ? [extension.extendedKeyUsage(wanted.extendedUsages)] : []),
    extension.basicConstraints(wanted.isCa),
  ];
  const list = new Uint8Array(AsnConvert.serialize(new Extensions(extensions)));
  // extensionRequest of PKCS #9.
  const type = Buffer.from('06092a864886f70d01090e', 'hex');
  return { subject, attributes: element(0xa0, element(0x30, type, element(0x31, list))) };
}

function algorithmOf(key: KeyObject): { readonly hash: string; readonly identifierHex: string } {
  if (key.asymmetricKeyType === 'rsa') return { hash: 'sha256', identifierHex: '300d06092a864886f70d01010b0500' };
  switch (key.asymmetricKeyDetails?.namedCurve) {
    case 'secp384r1':
      return { hash: 'sha384', identifierHex: '300a06082a8648ce3d040303' };
    case 'secp521r1':
      return { hash: 'sha512', identifierHex: '300a06082a8648ce3d040304' };
    default:
      return { hash: 'sha256', identifierHex: '300a06082a8648ce3d040302' };
  }
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
