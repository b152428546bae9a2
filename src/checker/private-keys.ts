import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';

/**
 * Finds private keys in any text (PEM, base64 of PEM, base64 of DER) and names each by the digest of its public half,
 * so that one key has one name in whatever encoding it is written.
 */
export interface FoundKey {
  /** `spki-sha256:HEX`, or `sha256:HEX` of its text where it cannot be read (encrypted, cut off). */
  readonly identity: string;
  readonly start: number;
  readonly end: number;
}

const identityText = /\b(?:spki-)?sha256:[0-9a-f]{64}\b/;
const redacted = /\[private key ((?:spki-)?sha256:[0-9a-f]{64})\]/g;
// The end line may be missing: half a key in a log is a leak as well.
const pemKey = /-----BEGIN ([A-Z0-9 ]*)PRIVATE KEY-----(?:[\s\S]*?-----END \1PRIVATE KEY-----|[\s\S]*$)/g;
const base64Run = /(?:[A-Za-z0-9+/]{4}(?:\r?\n[ \t]*)?){10,}(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?/g;

/** By the digest of a text (never the text, S4): the same key is met in every version of every Secret that holds it. */
const identities = new Map<string, string>();
const mostIdentities = 10_000;

export function findPrivateKeys(text: string): FoundKey[] {
  const found: FoundKey[] = [];
  for (const match of text.matchAll(redacted)) {
    found.push({ identity: match[1] ?? '', start: match.index, end: match.index + match[0].length });
  }
  // A PEM whose line ends were escaped, as JSON in an annotation has them, is the same key.
  for (const match of text.matchAll(pemKey)) {
    found.push({ identity: keyIdentity(match[0]), start: match.index, end: match.index + match[0].length });
  }
  for (const match of text.matchAll(base64Run)) {
    const inside = found.some(({ start, end }) => match.index >= start && match.index < end);
    if (inside) continue;
    const bytes = Buffer.from(match[0].replace(/\s+/g, ''), 'base64');
    const identity = keyInBytes(bytes);
    if (identity !== undefined) found.push({ identity, start: match.index, end: match.index + match[0].length });
  }
  return found.sort((a, b) => a.start - b.start);
}

/** Replaces every private key by a mark that names it without giving it away. */
export function redactPrivateKeys(text: string): string {
  let result = '';
  let from = 0;
  for (const { identity, start, end } of findPrivateKeys(text)) {
    if (start < from) continue;
    result += `${text.slice(from, start)}[private key ${identity}]`;
    from = end;
  }
  return result + text.slice(from);
}

/** The name of the private key that a field such as `tls.key` holds (a key, or its name in a recorded history). */
export function keyIdentity(text: string): string {
  const named = identityText.exec(text);
  if (named !== null && !text.includes('-----BEGIN')) return named[0];
  const digest = createHash('sha256').update(text).digest('hex');
  const known = identities.get(digest) ?? identityOfText(text, digest);
  if (identities.size >= mostIdentities) identities.clear();
  identities.set(digest, known);
  return known;
}

function identityOfText(text: string, digest: string): string {
  try {
    return publicKeyIdentity(createPublicKey(createPrivateKey(text.replaceAll('\\n', '\n'))));
  } catch {
    return `sha256:${digest}`;
  }
}

export function publicKeyIdentity(publicKey: KeyObject): string {
  const spki = publicKey.export({ type: 'spki', format: 'der' });
  return `spki-sha256:${createHash('sha256').update(spki).digest('hex')}`;
}

function keyInBytes(bytes: Buffer): string | undefined {
  const text = bytes.toString('latin1');
  if (text.includes('PRIVATE KEY-----')) {
    return findPrivateKeys(text)[0]?.identity ?? keyIdentity(text);
  }
  // Base64 inside base64: what `kubectl` shows of a Secret inside a Secret.
  if (/^[A-Za-z0-9+/=\s]{60,}$/.test(text)) return findPrivateKeys(text)[0]?.identity;
  // A key in DER is a SEQUENCE that starts with an INTEGER, its version; a certificate's starts with a SEQUENCE.
  const lengthBytes = (bytes[1] ?? 0) & 0x80 ? (bytes[1] ?? 0) & 0x7f : 0;
  if (bytes[0] !== 0x30 || bytes[2 + lengthBytes] !== 0x02) return undefined;
  for (const type of ['pkcs8', 'pkcs1', 'sec1'] as const) {
    try {
      return publicKeyIdentity(createPublicKey(createPrivateKey({ key: bytes, format: 'der', type })));
    } catch {
      // Not this encoding.
    }
  }
  return undefined;
}
