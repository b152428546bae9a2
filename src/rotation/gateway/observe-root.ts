import type { SecretObject } from '../../kubernetes/resource.ts';
import { parseBundle } from '../../pki/bundle.ts';
import type { Certificate } from '../../pki/certificate.ts';
import { parsePair } from '../../pki/pair.ts';
import { type RootDefectReason, rootDefects } from '../../pki/root-defects.ts';
import type { RootObservation, RootRefusal } from '../decide/admit.ts';
import { rootValue } from '../observe/as-values.ts';
import { dataOf } from '../observe/secret-data.ts';

/** The root Secret as read. */
export interface RootReading {
  readonly observation: RootObservation;
  /** `null` where no certificate can be read. */
  readonly certificate: Certificate | null;
  /** What was wrong, for people. */
  readonly details: readonly string[];
}

/**
 * Reads the root Secret. The key is looked at only to see that it matches (S4).
 *
 * @param nowMs epoch milliseconds
 */
export function readRootSecret(secret: SecretObject | undefined, nowMs: number): RootReading {
  if (secret === undefined) return unreadable('RootSecretMissing', null, []);
  const certificatePem = dataOf(secret, 'tls.crt');
  const pair = parsePair({ certificatePem, keyPem: dataOf(secret, 'tls.key') });
  const certificate = pair.ok ? pair.pair.leaf : (parseBundle(certificatePem).certificates[0] ?? null);
  const found = rootDefects(pair, nowMs);
  const details = found.map(({ reason, detail }) => `${reason}: ${detail}`);
  if (certificate === null) return unreadable('RootUnreadable', null, details);
  const defects: RootRefusal[] = [];
  for (const { reason } of found) {
    const refusal = refusalOf(reason);
    if (refusal === 'RootUnreadable') return unreadable('RootUnreadable', certificate, details);
    if (refusal !== null && !defects.includes(refusal)) defects.push(refusal);
  }
  return { observation: { state: 'readable', root: rootValue(certificate), defects }, certificate, details };
}

/** `null`: decided later, against the time of the decision. */
function refusalOf(reason: RootDefectReason): RootRefusal | null {
  switch (reason) {
    case 'NotYetValid':
    case 'Expired':
      return null;
    case 'NotSelfSigned':
      return 'RootNotSelfSigned';
    case 'NotCa':
    case 'MayNotSign':
      return 'RootIsNoCa';
    case 'NoKey':
    case 'KeyUnreadable':
    case 'KeyDoesNotMatch':
    case 'LeafNotFirst':
      return 'RootKeyDoesNotMatch';
    default:
      return 'RootUnreadable';
  }
}

function unreadable(
  reason: 'RootSecretMissing' | 'RootUnreadable',
  certificate: Certificate | null,
  details: readonly string[],
): RootReading {
  return { observation: { state: 'unreadable', reason }, certificate, details };
}
