import type { Refusal } from '../refusal.ts';
import type { Violation } from './violations.ts';

/** The 422 answer: `TrustDomain.keyturn.kyma-project.io "x" is invalid: spec.a: Required value`. */
export function invalid(group: string, kind: string, name: string, violations: readonly Violation[]): Refusal {
  const texts = [...new Set(violations.map(({ field, message }) => `${field}: ${message}`))];
  const what = group === '' ? kind : `${kind}.${group}`;
  return {
    code: 422,
    reason: 'Invalid',
    message: `${what} "${name}" is invalid: ${texts.length === 1 ? texts[0] : `[${texts.join(', ')}]`}`,
    causes: violations,
  };
}
