import { expect, it } from 'vitest';
import type { Judgement } from './judge.ts';
import { brokenOff, joined, outcomeOf } from './outcome.ts';

const good: Judgement = {
  ok: true,
  requests: 100,
  failed: 0,
  failedKnown: 0,
  perSecond: { a: 11, b: 9.5 },
  violations: [],
  violationsKnown: [],
  gaps: [],
  rotations: [],
  overlapping: 0,
  judged: { S1: 1, S2: 1, S3: 0 },
  ending: { rootDigest: 'x', pairsOfOlderRoots: [], otherBundles: [], serversOfOlderRoots: [], rootsLeft: [] },
};
const outcome = (changed: Partial<Judgement>, problems: readonly string[] = []) =>
  outcomeOf({ scenario: 's', judgement: { ...good, ...changed }, seconds: 1, problems });

it('holds when nothing failed, and names the slowest runtime', () => {
  expect(outcome({})).toMatchObject({ ok: true, problems: [], perSecond: 9.5 });
});

it.each<[string, Partial<Judgement>]>([
  ['a failed request', { failed: 1 }],
  ['a violation', { violations: [{ rule: 'S1', atMs: 0, untilMs: 1, detail: 'd' }] }],
  ['a gap', { gaps: [{ atMs: 0, cluster: 'hub', what: 'secrets', detail: 'd' }] }],
  ['too few requests of one runtime', { perSecond: { a: 11, b: 4.9 } }],
  ['no traffic at all', { perSecond: {} }],
  ['nothing judged', { judged: { S1: 0, S2: 1, S3: 0 } }],
  ['a root left at the end', { ending: { ...good.ending, rootsLeft: ['y'] } }],
  ['a runtime on an older root at the end', { ending: { ...good.ending, pairsOfOlderRoots: ['a'] } }],
])('does not hold with %s', (_, changed) => {
  expect(outcome(changed)).toMatchObject({ ok: false, problems: [expect.any(String)] });
});

it('does not hold when the scenario itself found something', () => {
  expect(outcome({}, ['not as it should be']).ok).toBe(false);
});

it('asks of a run that a person ended early neither traffic nor an end, and everything else', () => {
  const early = (changed: Partial<Judgement>) =>
    outcomeOf({ scenario: 's', judgement: { ...good, ...changed }, seconds: 1, problems: [], endedEarly: true });
  const unfinished = { perSecond: {}, judged: { S1: 0, S2: 0, S3: 0 }, ending: { ...good.ending, rootsLeft: ['y'] } };
  expect(early(unfinished)).toMatchObject({ ok: true, problems: [] });
  expect(early({ failed: 1 }).ok).toBe(false);
  expect(early({ violations: [{ rule: 'S1', atMs: 0, untilMs: 1, detail: 'd' }] }).ok).toBe(false);
});

it('joins runs: all must hold, counts add up', () => {
  expect(joined('both', [outcome({}), outcome({})])).toMatchObject({ ok: true, requests: 200 });
  expect(joined('both', [outcome({}), brokenOff('x', 1, 'broken')])).toMatchObject({
    ok: false,
    problems: ['x: broken'],
  });
  expect(joined('none', []).ok).toBe(false);
});
