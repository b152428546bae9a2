import type { Condition } from '../../api/condition.ts';
import { REASONS, type Reason, type ReasonText } from '../../api/reasons.ts';

/** The condition of a type, if the status has one. */
export function conditionOf(conditions: readonly Condition[] | undefined, type: string): Condition | undefined {
  return conditions?.find((condition) => condition.type === type);
}

export function isTrue(conditions: readonly Condition[] | undefined, type: string): boolean {
  return conditionOf(conditions, type)?.status === 'True';
}

/** The text of a reason; one of a newer catalogue says its word only. */
export function textOf(reason: string): ReasonText {
  return reason in REASONS
    ? REASONS[reason as Reason]
    : { meaning: `${reason}.`, next: 'This command does not know the word: use the version of the operator' };
}
