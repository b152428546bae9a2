import { X509Certificate } from 'node:crypto';
import { AsnConvert } from '@peculiar/asn1-schema';
import {
  type AttributeTypeAndValue,
  Certificate as CertificateSyntax,
  id_ce_subjectAltName,
  SubjectAlternativeName,
} from '@peculiar/asn1-x509';
import type { Certificate } from '../../pki/certificate.ts';

/** By digest of the certificate: a client shows the same one with each of its requests. */
const known = new Map<string, string>();
const mostKnown = 1_000;

/** Value of `X-Forwarded-Client-Cert` as Istio's gateways set it for a verified client. */
export function forwardedCertificate(leaf: Certificate): string {
  const text = known.get(leaf.digest) ?? describe(leaf);
  if (known.size >= mostKnown) known.clear();
  known.set(leaf.digest, text);
  return text;
}

function describe(leaf: Certificate): string {
  const { subject, extensions = [] } = AsnConvert.parse(
    new X509Certificate(leaf.pem).raw,
    CertificateSyntax,
  ).tbsCertificate;
  const names = extensions.find(({ extnID }) => extnID === id_ce_subjectAltName);
  const uris =
    names === undefined
      ? []
      : AsnConvert.parse(names.extnValue, SubjectAlternativeName).flatMap(
          ({ uniformResourceIdentifier }) => uniformResourceIdentifier ?? [],
        );
  return [
    `Hash=${leaf.digest}`,
    `Cert="${encodeURIComponent(leaf.pem)}"`,
    `Subject="${rfc2253(subject)}"`,
    // The key stands there without a value as well; that of the DNS names does not.
    ...(uris.length === 0 ? ['URI='] : uris.map((uri) => `URI=${uri}`)),
    ...leaf.dnsNames.map((name) => `DNS=${name}`),
  ].join(';');
}

const shortNames: Readonly<Record<string, string>> = {
  '2.5.4.3': 'CN',
  '2.5.4.5': 'serialNumber',
  '2.5.4.6': 'C',
  '2.5.4.7': 'L',
  '2.5.4.8': 'ST',
  '2.5.4.9': 'street',
  '2.5.4.10': 'O',
  '2.5.4.11': 'OU',
  '2.5.4.17': 'postalCode',
};

/** A name as OpenSSL writes it by RFC 2253: the last attribute first, in a set as well. */
function rfc2253(name: readonly (readonly AttributeTypeAndValue[])[]): string {
  const attribute = ({ type, value }: AttributeTypeAndValue): string =>
    `${shortNames[type] ?? type}=${escaped(value.toString())}`;
  return [...name]
    .reverse()
    .map((set) => [...set].reverse().map(attribute).join('+'))
    .join(',');
}

function escaped(text: string): string {
  return text
    .replace(/[,+"\\<>;]|^[ #]| $/g, '\\$&')
    .replace(/[^\x20-\x7e]/gu, (letter) => Buffer.from(letter).toString('hex').toUpperCase().replace(/../g, '\\$&'));
}
