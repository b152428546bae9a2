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
  | 'StrangeCriticalExtension';

export interface RootDefect {
  readonly reason: RootDefectReason;
  readonly detail: string;
}

const supportedKeys: ReadonlySet<string> = new Set(['P-256', 'P-384', 'RSA-2048', 'RSA-3072', 'RSA-4096']);

/**
 * Everything in the pair of a root Secret itself that keeps it from being admitted; empty when nothing does. What speaks
 * against it beside other roots is decided where those are known.
 *
 * @param nowMs epoch milliseconds
 */
export function rootDefects(pair: PairResult, nowMs: number): readonly RootDefect[] {
  return pair.ok ? defectsOfCertificate(pair.pair.leaf, nowMs) : pair.defects;
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
