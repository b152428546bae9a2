import type { Digest, KeyId, Root } from './values.ts';

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
  | 'RootWithoutKeyIdentifier';

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
 * @param others roots that are in use; two of one subject need key identifiers, or OpenSSL and Envoy try the first only
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
  const sharesSubject = (other: Root, self: Digest): boolean => other.digest !== self && other.subject === root.subject;
  if (!root.hasSubjectKeyId && others.some((other) => sharesSubject(other, root.digest))) {
    reasons.push('RootWithoutKeyIdentifier');
  }
  return reasons.length === 0 ? { admitted: true, root } : { admitted: false, reasons };
}
