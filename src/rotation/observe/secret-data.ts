import type { SecretObject } from '../../kubernetes/resource.ts';

/** A key of a Secret as text; empty when it is absent, which counts as empty for every reader of these Secrets. */
export function dataOf(secret: SecretObject | undefined, key: string): string {
  const encoded = secret?.data?.[key];
  return encoded === undefined ? '' : Buffer.from(encoded, 'base64').toString('utf8');
}

/** Texts as the `data` of a Secret. */
export function asData(texts: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(
    Object.entries(texts).map(([key, text]) => [key, Buffer.from(text, 'utf8').toString('base64')]),
  );
}
