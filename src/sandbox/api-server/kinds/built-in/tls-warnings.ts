import { createPrivateKey, X509Certificate } from 'node:crypto';
import type { JsonObject } from '../../json.ts';
import { textAt } from '../../object-fields.ts';

/** What the server warns of when the pair of a TLS Secret is none, in the words of Go's `tls.X509KeyPair`. */
export function tlsWarnings(data: JsonObject): readonly string[] {
  const pem = (key: string): string => Buffer.from(textAt(data, key) ?? '', 'base64').toString('latin1');
  const [certificate, key] = [pem('tls.crt'), pem('tls.key')];
  if (!/-----BEGIN CERTIFICATE-----/.test(certificate)) {
    return ['tls: failed to find any PEM data in certificate input'];
  }
  if (!/-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(key)) return ['tls: failed to find any PEM data in key input'];
  try {
    const matches = new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key));
    return matches ? [] : ['tls: private key does not match public key'];
  } catch {
    // What OpenSSL says is dropped along with the text that it says it of (S4).
    return ['tls: failed to parse the pair'];
  }
}
