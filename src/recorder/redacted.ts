import { isUtf8 } from 'node:buffer';
import type { SecretRole } from '../checker/history.ts';
import { findPrivateKeys, keyIdentity, redactPrivateKeys } from '../checker/private-keys.ts';

const keyField = /(?:^|[.-])key$/;

/**
 * A Secret's data as a history may hold it: decoded, each private key replaced by its name (S4). Of a Secret that has no
 * part in the rotation only the names of its private keys are kept.
 */
export function redactedData(
  role: SecretRole,
  data: Readonly<Record<string, string>> | undefined,
): Readonly<Record<string, string>> {
  const kept: Record<string, string> = {};
  for (const [field, base64] of Object.entries(data ?? {})) {
    const bytes = Buffer.from(base64, 'base64');
    const text = isUtf8(bytes) ? bytes.toString('utf8') : base64;
    const value = redactedField(field, text);
    if (role !== 'other') kept[field] = value;
    else if (keyField.test(field)) kept[field] = value;
    else {
      const keys = findPrivateKeys(value);
      if (keys.length > 0) kept[field] = keys.map(({ identity }) => `[private key ${identity}]`).join(' ');
    }
  }
  return kept;
}

/** One value of a Secret or of a folder that shows it. */
export function redactedField(field: string, text: string): string {
  if (!keyField.test(field)) return redactPrivateKeys(text);
  return text === '' ? '' : keyIdentity(text);
}

export function redactedTexts(texts: Readonly<Record<string, string>> = {}): Readonly<Record<string, string>> {
  return Object.fromEntries(Object.entries(texts).map(([name, text]) => [name, redactPrivateKeys(text)]));
}
