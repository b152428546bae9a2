import type { conditions } from './fields.ts';
import type { Reason } from './reasons.ts';
import type { AsRead } from './schema.ts';

/** A condition as it stands in a status; its reason may be of another version's catalogue. */
export type Condition = AsRead<typeof conditions>[number];

/** What a controller has to say about one condition. */
export interface ConditionNow {
  readonly type: string;
  readonly status: 'True' | 'False' | 'Unknown';
  readonly reason: Reason;
  readonly message: string;
}

/**
 * The conditions of a status brought up to date. `lastTransitionTime` changes with `status` only: a time that changed with
 * every pass would make a status write of each, and a hot loop of those. Conditions that are not mentioned stay.
 *
 * @param nowMs epoch milliseconds
 */
export function withConditions(
  standing: readonly Condition[] | undefined,
  changes: readonly ConditionNow[],
  observedGeneration: number,
  nowMs: number,
): readonly Condition[] {
  const updated = changes.map((change): Condition => {
    const before = standing?.find(({ type }) => type === change.type);
    const unchanged = before?.status === change.status;
    const lastTransitionTime = unchanged ? before.lastTransitionTime : `${new Date(nowMs).toISOString().slice(0, 19)}Z`;
    return { ...change, message: change.message.slice(0, 4096), lastTransitionTime, observedGeneration };
  });
  const known = (standing ?? []).map((before) => updated.find(({ type }) => type === before.type) ?? before);
  return [...known, ...updated.filter(({ type }) => !known.some((other) => other.type === type))];
}
