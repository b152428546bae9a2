import { mayPresent } from './holdings.ts';
import { type Holdings, type KeyId, LOST } from './values.ts';

export interface OrderSituation {
  /** `null`: there is no record, so it may be using anything (S6). */
  readonly held: Holdings | null;
  /** Key that signed the pair in the hub; `null` where there is none, or no known root signed it. */
  readonly signer: KeyId | null;
  /** Its cluster answered the look that this is decided in. */
  readonly reachable: boolean;
  readonly tainted: readonly KeyId[];
}

/**
 * Does a runtime come before others (design, Emergency)? If it holds a pair of a tainted root, or may still present one.
 * Only while its cluster answers: what an unreachable one would get before others could not be delivered (L2).
 */
export function comesFirst({ held, signer, reachable, tainted }: OrderSituation): boolean {
  if (!reachable || tainted.length === 0) return false;
  return (signer !== null && tainted.includes(signer)) || mayPresent(held ?? LOST, tainted);
}
