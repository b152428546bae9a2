import { AsnConvert } from '@peculiar/asn1-schema';
import {
  AuthorityKeyIdentifier,
  BasicConstraints,
  ExtendedKeyUsage,
  Extensions,
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
  KeyUsage,
  SubjectAlternativeName,
  SubjectKeyIdentifier,
} from '@peculiar/asn1-x509';
import { bytesOf, childrenOf, contentOf, type DerElement, DerError, readElement } from './der.ts';

/** What stands in a certificate, field by field; `null` where an extension is absent. */
export interface CertificateFields {
  /** Hex of the name's DER. Go compares names byte by byte, OpenSSL and BoringSSL more loosely: equal bytes suit all three. */
  readonly subject: string;
  readonly issuer: string;
  /** Hex of the serial number. Generations of one root may share it (Gardener gives each root the number 1). */
  readonly serial: string;
  readonly subjectKeyId: string | null;
  readonly authorityKeyId: string | null;
  /** Serial number that the authority key identifier names; seldom present, but OpenSSL and BoringSSL insist on it then. */
  readonly authoritySerial: string | null;
  readonly isCa: boolean;
  readonly pathLen: number | null;
  readonly keyUsage: readonly string[] | null;
  /** `serverAuth`, `clientAuth`, or the object identifier of another usage. */
  readonly extendedKeyUsage: readonly string[] | null;
  /** Epoch milliseconds, whole seconds. */
  readonly notBeforeMs: number;
  readonly notAfterMs: number;
  readonly dnsNames: readonly string[];
  readonly ipAddresses: readonly string[];
  /** Object identifier of the algorithm it was signed with. */
  readonly signatureAlgorithm: string;
  /** Critical extensions that not every verifier understands; one who does not must refuse the certificate. */
  readonly strangeCriticalExtensions: readonly string[];
}

export type CertificateDefect =
  /** Not one well-formed DER element, or not the elements that X.509 asks for. */
  | 'Malformed'
  | 'TrailingBytes'
  /** Versions 1 and 2 carry no basic constraints, so nothing says what such a certificate may do. */
  | 'NotVersion3'
  | 'SameExtensionTwice'
  /** Signed with one algorithm, announced with another. */
  | 'TwoSignatureAlgorithms'
  /** Well-formed as far as we read, but OpenSSL does not take it, and Envoy would refuse the whole bundle. */
  | 'RefusedByOpenSsl';

type Read =
  | { readonly ok: true; readonly fields: CertificateFields; readonly publicKeyInfo: Uint8Array }
  | { readonly ok: false; readonly defect: CertificateDefect; readonly detail: string };

const integer = 0x02;
const bitString = 0x03;
const objectIdentifier = 0x06;
const sequence = 0x30;
const versionTag = 0xa0;
const extensionsTag = 0xa3;

const usageNames: Readonly<Record<string, string>> = {
  '1.3.6.1.5.5.7.3.1': 'serverAuth',
  '1.3.6.1.5.5.7.3.2': 'clientAuth',
};

const understood: ReadonlySet<string> = new Set([
  id_ce_authorityKeyIdentifier,
  id_ce_basicConstraints,
  id_ce_extKeyUsage,
  id_ce_keyUsage,
  id_ce_subjectAltName,
  id_ce_subjectKeyIdentifier,
]);

/**
 * Reads the fields of a DER certificate. Names, key and validity are taken as the very bytes that stand there; the library
 * reads only what is within extensions. Never throws.
 */
export function readCertificateFields(der: Uint8Array): Read {
  try {
    return readStrictly(der);
  } catch (error) {
    const detail = error instanceof Error ? error.message : 'cannot be read';
    return { ok: false, defect: 'Malformed', detail };
  }
}

function readStrictly(der: Uint8Array): Read {
  const whole = expect(readElement(der, 0, der.length), sequence, 'certificate');
  if (whole.end !== der.length) {
    return { ok: false, defect: 'TrailingBytes', detail: `${der.length - whole.end} bytes after the certificate` };
  }
  const [tbs, outerAlgorithm, signature, ...more] = childrenOf(der, whole);
  expect(tbs, sequence, 'signed part');
  expect(outerAlgorithm, sequence, 'signature algorithm');
  expect(signature, bitString, 'signature');
  if (more.length > 0) throw new DerError('more than three parts');

  const parts = [...childrenOf(der, tbs as DerElement)];
  const version = parts[0]?.tag === versionTag ? parts.shift() : undefined;
  const [number] = version === undefined ? [] : childrenOf(der, version);
  if (number === undefined || hexOf(contentOf(der, expect(number, integer, 'version'))) !== '02') {
    return { ok: false, defect: 'NotVersion3', detail: 'only version 3 says what a certificate may do' };
  }
  const serial = expect(parts.shift(), integer, 'serial number');
  const innerAlgorithm = expect(parts.shift(), sequence, 'signature algorithm');
  const issuer = expect(parts.shift(), sequence, 'issuer');
  const validity = expect(parts.shift(), sequence, 'validity');
  const subject = expect(parts.shift(), sequence, 'subject');
  const publicKeyInfo = expect(parts.shift(), sequence, 'public key');
  const rest = parts.filter((part) => part.tag !== 0x81 && part.tag !== 0x82);
  const extensionsPart = rest.shift();
  if (rest.length > 0) throw new DerError('unknown part after the public key');

  if (hexOf(bytesOf(der, innerAlgorithm)) !== hexOf(bytesOf(der, outerAlgorithm as DerElement))) {
    return { ok: false, defect: 'TwoSignatureAlgorithms', detail: 'inner and outer signature algorithm differ' };
  }
  const [notBefore, notAfter, ...otherTimes] = childrenOf(der, validity);
  if (notBefore === undefined || notAfter === undefined || otherTimes.length > 0)
    throw new DerError('validity has not two times');

  const extensions = readExtensions(der, extensionsPart);
  if (new Set(extensions.map((extension) => extension.id)).size !== extensions.length) {
    return { ok: false, defect: 'SameExtensionTwice', detail: 'which of the two counts is not said' };
  }
  return {
    ok: true,
    publicKeyInfo: bytesOf(der, publicKeyInfo),
    fields: {
      subject: hexOf(bytesOf(der, subject)),
      issuer: hexOf(bytesOf(der, issuer)),
      serial: hexOf(contentOf(der, serial)),
      notBeforeMs: readTime(der, notBefore),
      notAfterMs: readTime(der, notAfter),
      signatureAlgorithm: readObjectIdentifier(der, childrenOf(der, innerAlgorithm)[0]),
      ...fieldsOfExtensions(extensions),
    },
  };
}

interface ReadExtension {
  readonly id: string;
  readonly critical: boolean;
  readonly value: ArrayBuffer;
}

function readExtensions(der: Uint8Array, part: DerElement | undefined): readonly ReadExtension[] {
  if (part === undefined) return [];
  const [list, ...more] = childrenOf(der, expect(part, extensionsTag, 'extensions'));
  if (more.length > 0) throw new DerError('two lists of extensions');
  const parsed = AsnConvert.parse(bytesOf(der, expect(list, sequence, 'extensions')), Extensions);
  return parsed.map((extension) => ({
    id: extension.extnID,
    critical: extension.critical,
    value: extension.extnValue.buffer,
  }));
}

function fieldsOfExtensions(extensions: readonly ReadExtension[]) {
  const read = <T>(id: string, type: new () => T): T | null => {
    const found = extensions.find((extension) => extension.id === id);
    if (found === undefined) return null;
    const bytes = new Uint8Array(found.value);
    if (readElement(bytes, 0, bytes.length).end !== bytes.length) throw new DerError(`bytes after extension ${id}`);
    return AsnConvert.parse(found.value, type);
  };
  const constraints = read(id_ce_basicConstraints, BasicConstraints);
  const names = read(id_ce_subjectAltName, SubjectAlternativeName);
  const authority = read(id_ce_authorityKeyIdentifier, AuthorityKeyIdentifier);
  const usages = read(id_ce_extKeyUsage, ExtendedKeyUsage);
  const isText = (text: string | undefined): text is string => text !== undefined;
  return {
    subjectKeyId: hexOrNull(read(id_ce_subjectKeyIdentifier, SubjectKeyIdentifier)?.buffer),
    authorityKeyId: hexOrNull(authority?.keyIdentifier?.buffer),
    authoritySerial: hexOrNull(authority?.authorityCertSerialNumber),
    isCa: constraints?.cA ?? false,
    pathLen: constraints?.pathLenConstraint ?? null,
    keyUsage: read(id_ce_keyUsage, KeyUsage)?.toJSON() ?? null,
    extendedKeyUsage: usages === null ? null : Array.from(usages, (usage) => usageNames[usage] ?? usage),
    dnsNames: Array.from(names ?? [], (name) => name.dNSName).filter(isText),
    ipAddresses: Array.from(names ?? [], (name) => name.iPAddress).filter(isText),
    strangeCriticalExtensions: extensions
      .filter((extension) => extension.critical && !understood.has(extension.id))
      .map((extension) => extension.id),
  };
}

function readTime(der: Uint8Array, element: DerElement): number {
  const text = Buffer.from(contentOf(der, element)).toString('latin1');
  const match = (element.tag === 0x17 ? /^(\d\d)(\d{10})Z$/ : element.tag === 0x18 ? /^(\d{4})(\d{10})Z$/ : /$^/).exec(
    text,
  );
  const [, year = '', rest = ''] = match ?? [];
  if (match === null) throw new DerError('time in no form that X.509 knows');
  // RFC 5280, 4.1.2.5.1: two digits mean 1950 to 2049.
  const fullYear = year.length === 4 ? year : `${Number(year) < 50 ? '20' : '19'}${year}`;
  const [month, day, hour, minute, second] = rest.match(/\d\d/g) ?? [];
  const iso = `${fullYear}-${month}-${day}T${hour}:${minute}:${second}.000Z`;
  const time = new Date(iso);
  // 31 February is read as 3 March unless it is written back and compared.
  if (Number.isNaN(time.getTime()) || time.toISOString() !== iso) throw new DerError('time that no calendar has');
  return time.getTime();
}

function readObjectIdentifier(der: Uint8Array, element: DerElement | undefined): string {
  const bytes = contentOf(der, expect(element, objectIdentifier, 'object identifier'));
  const arcs: number[] = [];
  let value = 0;
  for (const byte of bytes) {
    value = value * 128 + (byte & 0x7f);
    if (byte >= 0x80) continue;
    arcs.push(value);
    value = 0;
  }
  const [first = 0, ...others] = arcs;
  const root = Math.min(2, Math.floor(first / 40));
  return [root, first - root * 40, ...others].join('.');
}

function expect(element: DerElement | undefined, tag: number, what: string): DerElement {
  if (element === undefined || element.tag !== tag) throw new DerError(`${what} is missing or of another type`);
  return element;
}

function hexOf(bytes: Uint8Array): string {
  return Buffer.from(bytes).toString('hex');
}

function hexOrNull(buffer: ArrayBuffer | undefined): string | null {
  return buffer === undefined ? null : hexOf(new Uint8Array(buffer));
}
