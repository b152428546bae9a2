import { createSecureContext, type SecureContext } from 'node:tls';
import { type Bundle, parseBundle } from '../../pki/bundle.ts';
import { parsePair } from '../../pki/pair.ts';

/** What a client makes of its mounted files. */
export interface MountedCredential {
  readonly context: SecureContext;
  readonly bundle: Bundle;
  /** Serial number of the client certificate, hex without leading zeros. */
  readonly serial: string;
  /** Authority key identifier of the client certificate, hex; empty where it has none. */
  readonly issuerKeyId: string;
}

export type MountedFiles = ReadonlyMap<string, Uint8Array>;

/** @returns why the files are of no use, or the credential that they hold */
export function readMounted(files: MountedFiles): MountedCredential | { readonly unusable: string } {
  const [certificatePem, keyPem, bundlePem] = ['tls.crt', 'tls.key', 'ca.crt'].map((name) => files.get(name));
  if (certificatePem === undefined || keyPem === undefined || bundlePem === undefined) {
    return { unusable: 'the mounted Secret lacks tls.crt, tls.key or ca.crt' };
  }
  const pair = parsePair({ certificatePem, keyPem });
  if (!pair.ok) return { unusable: `tls.crt and tls.key: ${pair.defects.map(({ detail }) => detail).join(', ')}` };
  const { certificates, defects } = parseBundle(bundlePem);
  if (certificates.length === 0 || defects.length > 0)
    return { unusable: 'ca.crt holds no certificate, or a bad block' };
  const { leaf } = pair.pair;
  return {
    context: createSecureContext({
      cert: Buffer.from(certificatePem),
      key: Buffer.from(keyPem),
      // The server is judged by `judgeServer`; without this, every context would carry the public roots of the web.
      ca: [],
      minVersion: 'TLSv1.3',
    }),
    bundle: certificates,
    serial: leaf.serial.replace(/^0+(?=.)/, ''),
    issuerKeyId: leaf.authorityKeyId ?? '',
  };
}
