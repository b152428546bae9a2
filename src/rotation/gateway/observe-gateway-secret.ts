import { GATEWAY_ANNOTATION, SECRET_KEY } from '../../api/names.ts';
import type { SecretObject } from '../../kubernetes/resource.ts';
import { type Bundle, parseBundle } from '../../pki/bundle.ts';
import type { Certificate } from '../../pki/certificate.ts';
import { parsePair } from '../../pki/pair.ts';
import type { Digest, GatewaySecret, ServerLeaf } from '../decide/values.ts';
import { rootValue, serverLeafValue } from '../observe/as-values.ts';
import { dataOf } from '../observe/secret-data.ts';

/** The gateway Secret as read, with the certificates that its value names by digest. */
export type GatewaySecretReading =
  | { readonly state: 'missing' }
  | { readonly state: 'unreadable'; readonly object: SecretObject }
  | {
      readonly state: 'readable';
      readonly object: SecretObject;
      readonly secret: GatewaySecret;
      readonly bundle: Bundle;
      /** `ca.crt` stands there as we would write it. */
      readonly canonical: boolean;
    };

/** @param others roots beside the bundle that may have signed the server certificate: the current one */
export function readGatewaySecret(object: SecretObject | undefined, others: Bundle): GatewaySecretReading {
  if (object === undefined) return { state: 'missing' };
  const { certificates: bundle, canonical } = parseBundle(dataOf(object, SECRET_KEY.bundle));
  if (bundle.length === 0) return { state: 'unreadable', object };
  const annotations = object.metadata.annotations ?? {};
  const secret: GatewaySecret = {
    resourceVersion: object.metadata.resourceVersion ?? '',
    bundle: bundle.map(rootValue),
    // Bytes that we would not write are read differently by every verifier, so whatever the record says of them is void;
    // the repair of the record that follows writes them as they should be.
    added: canonical ? readAdded(annotations[GATEWAY_ANNOTATION.added]) : {},
    server: readServer(object, [...bundle, ...others]),
    closing: readClosing(annotations[GATEWAY_ANNOTATION.closing]),
  };
  return { state: 'readable', object, secret, bundle, canonical };
}

/** The leaf of a server pair; `null` when absent, unreadable, or its key does not match. */
export function readServer(object: SecretObject | undefined, known: readonly Certificate[]): ServerLeaf | null {
  const pair = parsePair({
    certificatePem: dataOf(object, SECRET_KEY.certificate),
    keyPem: dataOf(object, SECRET_KEY.privateKey),
  });
  return pair.ok ? serverLeafValue(pair.pair.leaf, known) : null;
}

/** The annotations of a record of additions and marks. */
export function recordAnnotations(
  added: Readonly<Record<Digest, string>>,
  closing: readonly Digest[],
): Readonly<Record<string, string>> {
  return { [GATEWAY_ANNOTATION.added]: JSON.stringify(added), [GATEWAY_ANNOTATION.closing]: closing.join(',') };
}

/** A record that cannot be read is none: it is made anew, and the proofs with it. */
function readAdded(text: string | undefined): Readonly<Record<Digest, string>> {
  let parsed: unknown;
  try {
    parsed = JSON.parse(text ?? '{}');
  } catch {
    return {};
  }
  if (typeof parsed !== 'object' || parsed === null || Array.isArray(parsed)) return {};
  return Object.fromEntries(
    Object.entries(parsed).filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
  );
}

function readClosing(text: string | undefined): readonly Digest[] {
  return (text ?? '').split(',').filter((digest) => digest !== '');
}
