import type { KeyId, Root } from './values.ts';

/** Why a root does not enter, in the words of the catalogue (design 3.0). */
export type RootRefusal =
  | 'RootSecretMissing'
  | 'RootUnreadable'
  | 'RootNotSelfSigned'
  | 'RootIsNoCa'
  | 'RootKeyDoesNotMatch'
  | 'RootNotYetValid'
  | 'RootExpired'
  | 'RootRevoked'
  | 'RootWithoutKeyIdentifier'
  | 'RootKeyIdentifierTaken';

/** The root Secret as its bytes say; defects that need no other object were found when it was parsed. */
export type RootObservation =
  | { readonly state: 'readable'; readonly root: Root; readonly defects: readonly RootRefusal[] }
  | { readonly state: 'unreadable'; readonly reason: 'RootSecretMissing' | 'RootUnreadable' };

export type Admission =
  | { readonly admitted: true; readonly root: Root }
  | { readonly admitted: false; readonly reasons: readonly RootRefusal[] };

/**
 * May this root enter? A refused root changes nothing: the last good state goes on serving.
 *
 * @param others roots that are in use
 */
export function admit(
  seen: RootObservation,
  others: readonly Root[],
  revoked: readonly KeyId[],
  nowMs: number,
): Admission {
  if (seen.state === 'unreadable') return { admitted: false, reasons: [seen.reason] };
  const { root } = seen;
  const reasons: RootRefusal[] = [...seen.defects];
  if (nowMs < root.notBeforeMs) reasons.push('RootNotYetValid');
  if (nowMs >= root.notAfterMs) reasons.push('RootExpired');
  if (revoked.includes(root.keyId)) reasons.push('RootRevoked');
  const confused = confusedWith(root, others);
  if (confused !== null) reasons.push(confused);
  return reasons.length === 0 ? { admitted: true, root } : { admitted: false, reasons };
}

/**
 * OpenSSL and Envoy look for a signer by its subject and, where both sides have one, by key identifier; they try the first
 * that fits and no other. So of two keys with one subject each needs an identifier of its own, whichever entered first
 * (design, traps). Entering is what can still be refused: a root that is in use already is only left by moving on.
 */
function confusedWith(root: Root, others: readonly Root[]): RootRefusal | null {
  if (others.some(({ digest }) => digest === root.digest)) return null;
  const namesakes = others.filter(({ subject, keyId }) => subject === root.subject && keyId !== root.keyId);
  if (namesakes.length > 0 && [root, ...namesakes].some(({ subjectKeyId }) => subjectKeyId === null)) {
    return 'RootWithoutKeyIdentifier';
  }
  return namesakes.some(({ subjectKeyId }) => subjectKeyId === root.subjectKeyId) ? 'RootKeyIdentifierTaken' : null;
}
