import type { Bundle } from './bundle.ts';
import { type Certificate, isValidAt } from './certificate.ts';
import type { PairDefectReason, PairResult } from './pair.ts';
import { whyNotSignedBy } from './signed-by.ts';

export type RootDefectReason =
  | PairDefectReason
  | 'NotSelfSigned'
  | 'NotCa'
  | 'MayNotSign'
  | 'NotYetValid'
  | 'Expired'
  /** A key that not every verifier takes. */
  | 'UnsupportedKey'
  | 'StrangeCriticalExtension'
  /** Another root has the same name, and without an identifier verifiers try only the first of the two. */
  | 'NoSubjectKeyId'
  /** Another key has the same name and the same identifier: no verifier can tell them apart. */
  | 'SubjectKeyIdTaken';

export interface RootDefect {
  readonly reason: RootDefectReason;
  readonly detail: string;
}

const supportedKeys: ReadonlySet<string> = new Set(['P-256', 'P-384', 'RSA-2048', 'RSA-3072', 'RSA-4096']);

/**
 * Everything that keeps the pair of a root Secret from being admitted; empty when nothing does.
 *
 * @param nowMs epoch milliseconds
 * @param others roots that it would stand beside; the root itself and renewals of its key may be among them
 */
export function rootDefects(pair: PairResult, nowMs: number, others: Bundle): readonly RootDefect[] {
  if (!pair.ok) return pair.defects;
  return [...defectsOfCertificate(pair.pair.leaf, nowMs), ...defectsBeside(pair.pair.leaf, others)];
}

function defectsOfCertificate(root: Certificate, nowMs: number): readonly RootDefect[] {
  const defects: RootDefect[] = [];
  const name = root.subjectText || root.digest.slice(0, 16);
  if (!root.isCa) {
    defects.push({ reason: 'NotCa', detail: `${name} is no certificate authority` });
  } else if (root.keyUsage !== null && !root.keyUsage.includes('keyCertSign')) {
    defects.push({ reason: 'MayNotSign', detail: `the key usage of ${name} lacks keyCertSign` });
  } else {
    const why = whyNotSignedBy(root, root);
    if (why !== null) defects.push({ reason: 'NotSelfSigned', detail: `${name} did not sign itself: ${why}` });
  }
  if (!supportedKeys.has(root.keyAlgorithm)) {
    defects.push({ reason: 'UnsupportedKey', detail: `${root.keyAlgorithm}; use RSA from 2048 bits, P-256 or P-384` });
  }
  for (const id of root.strangeCriticalExtensions) {
    defects.push({
      reason: 'StrangeCriticalExtension',
      detail: `extension ${id} is critical and not known everywhere`,
    });
  }
  if (!isValidAt(root, nowMs)) {
    const early = nowMs < root.notBeforeMs;
    const at = new Date(early ? root.notBeforeMs : root.notAfterMs).toISOString();
    defects.push(
      early ? { reason: 'NotYetValid', detail: `valid from ${at}` } : { reason: 'Expired', detail: `ended ${at}` },
    );
  }
  return defects;
}

function defectsBeside(root: Certificate, others: Bundle): readonly RootDefect[] {
  const namesakes = others.filter((other) => other.subject === root.subject && other.keyId !== root.keyId);
  if (namesakes.length === 0) return [];
  if (root.subjectKeyId === null) {
    const detail = 'another root has the same subject, so it needs a subject key identifier';
    return [{ reason: 'NoSubjectKeyId', detail }];
  }
  const same = namesakes.find((other) => other.subjectKeyId === root.subjectKeyId);
  return same === undefined
    ? []
    : [{ reason: 'SubjectKeyIdTaken', detail: `root ${same.digest.slice(0, 16)} has the same name and identifier` }];
}
