import { expect, test } from 'vitest';
import type { KubeObject } from '../kubernetes/resource.ts';
import { mayTakeOver, ownersIn } from './field-owners.ts';
import { askedToIssue, backOffUntilMs, isIssuing } from './issuing-state.ts';

const certificate = (status: object): KubeObject => ({
  metadata: { name: 'c', generation: 4, resourceVersion: '8' },
  status,
});
const failedMs = Date.UTC(2026, 0, 1);
const hourMs = 3_600_000;

test('the wait of the issuer doubles with each failure, up to 32 hours', () => {
  const until = (failedIssuanceAttempts?: number) =>
    backOffUntilMs(certificate({ lastFailureTime: '2026-01-01T00:00:00Z', failedIssuanceAttempts }));
  expect(until()).toBe(failedMs + hourMs);
  expect(until(3)).toBe(failedMs + 4 * hourMs);
  expect(until(40)).toBe(failedMs + 32 * hourMs);
  expect(backOffUntilMs(certificate({}))).toBe(0);
});

test('it is asked by the condition Issuing, and all else in the status stays', () => {
  const ready = { type: 'Ready', status: 'True' };
  const asked = askedToIssue(
    certificate({ revision: 3, conditions: [ready, { type: 'Issuing', status: 'False' }] }),
    failedMs,
  );
  expect(isIssuing(asked)).toBe(true);
  expect(asked['status']).toEqual({
    revision: 3,
    conditions: [
      ready,
      {
        type: 'Issuing',
        status: 'True',
        reason: 'ManuallyTriggered',
        message: 'Certificate re-issuance manually triggered',
        lastTransitionTime: '2026-01-01T00:00:00Z',
        observedGeneration: 4,
      },
    ],
  });
  expect(asked.metadata.resourceVersion).toBe('8');
});

const conflict = (manager: string) => ({
  field: '.spec',
  message: `conflict with "${manager}" using cert-manager.io/v1`,
});

test("only the lifecycle-manager's fields are taken over", () => {
  expect(mayTakeOver([conflict('operator.kyma-project.io/lifecycle-manager')])).toBe(true);
  expect(mayTakeOver([conflict('operator.kyma-project.io/lifecycle-manager'), conflict('kubectl')])).toBe(false);
  expect(mayTakeOver([{ field: '.spec', message: 'conflict' }])).toBe(false);
  expect(ownersIn([conflict('kubectl'), conflict('kubectl')])).toEqual(['kubectl']);
});
