import { expect, expectTypeOf, test } from 'vitest';
import { REASON_GROUPS, REASONS, type Reason } from '../../src/api/reasons.ts';
import type { RootRefusal } from '../../src/rotation/decide/admit.ts';
import type { CandidateNeed } from '../../src/rotation/decide/candidate.ts';
import type { GatewayChange } from '../../src/rotation/decide/gateway.ts';
import type { GatewayDoubt } from '../../src/rotation/decide/gateway-journal.ts';
import type { PairObstacle } from '../../src/rotation/decide/may-deliver-pair.ts';
import type { RootUse } from '../../src/rotation/decide/may-retire.ts';
import type { IssueStep, IssueWait } from '../../src/rotation/decide/needs-issue.ts';
import type { DeliveryWait } from '../../src/rotation/decide/runtime.ts';

type Decided =
  | RootRefusal
  | RootUse
  | CandidateNeed
  | GatewayChange
  | GatewayDoubt
  | Extract<IssueStep, { reason: string }>['reason']
  | IssueWait
  | PairObstacle
  | DeliveryWait;

// The compiler refuses this line when a decision has a reason that the catalogue lacks.
const everyDecidedReason = REASONS satisfies Record<Decided, unknown>;

test('every reason of a decision is in the catalogue', () => {
  expectTypeOf<Exclude<Decided, Reason>>().toBeNever();
  expect(Object.keys(everyDecidedReason).length).toBeGreaterThan(60);
});

test('no reason stands in two groups with different texts', () => {
  const texts = new Map<string, unknown>();
  for (const [reason, text] of Object.values(REASON_GROUPS).flatMap((group) => Object.entries(group))) {
    expect(texts.get(reason) ?? text, reason).toBe(text);
    texts.set(reason, text);
  }
  expect([...texts.keys()].sort()).toEqual(Object.keys(REASONS).sort());
});

test.each(Object.entries(REASONS))('%s says what is so and what to do next', (reason, { meaning, next }) => {
  expect(reason).toMatch(/^[A-Z][A-Za-z]{2,63}$/);
  expect(meaning).toMatch(/^[A-Z].*\.$/);
  expect(next).toMatch(/^[A-Z].*[^.]$/);
});
