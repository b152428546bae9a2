import { expect, test } from 'vitest';
import { trustDomainDefaults } from '../../api/trust-domain.ts';
import { historyOf } from '../../checker/history.ts';
import { judge } from '../../checker/judge.ts';
import { EXIT } from '../exit-code.ts';
import { gapEntry } from './entries.ts';
import { exitCodeOf, type Verified, verifyResult } from './verify-result.ts';

const domain = { metadata: { namespace: 'kcp-system', name: 'klm-watcher' }, spec: trustDomainDefaults() };

function verified(lost: readonly string[], runtimes: readonly string[], forMs: number): Verified {
  const gaps = lost.flatMap((cluster) => ['stream', 'list'].map((what) => gapEntry(cluster, what, 'ECONNREFUSED', 1)));
  const judgement = { ...judge(historyOf([])), gaps: historyOf(gaps).gaps };
  return { domain, judgement, runtimes, without: [], forMs };
}

test('a hub that was lost leaves no verdict, which the last line says', () => {
  const what = verified(['hub', 'runtime-1'], ['runtime-1'], 12_000);
  expect(exitCodeOf(what)).toBe(EXIT.unseen);
  const lines = verifyResult(what).lines(false);
  expect(lines.at(-1)).toMatch(
    /^TrustDomain kcp-system\/klm-watcher, 1 runtime, over 12 s: no verdict, since the hub and 1 runtime \(runtime-1\) could not be watched to the end\. In what was seen: 0 violations; /,
  );
});

test('each cluster is told once, and of many the first', () => {
  const names = Array.from({ length: 9 }, (_, index) => `runtime-${index}`);
  const result = verifyResult(verified(names, names, 0));
  const lines = result.lines(false);
  expect(lines.slice(0, 6)).toEqual([
    ...names.slice(0, 5).map((name) => `Not seen: stream of ${name}: ECONNREFUSED`),
    'and 4 more that were not seen: see them with -o wide',
  ]);
  expect(lines).toHaveLength(7);
  expect(lines.at(-1)).toContain('9 runtimes, as it stands now: no verdict, since 9 runtimes (');
  expect(result.lines(true)).toHaveLength(19);
});

test('where nothing could be judged no verdict is given either', () => {
  expect(
    verifyResult(verified([], ['runtime-1'], 0))
      .lines(false)
      .at(-1),
  ).toContain('no verdict, since no certificate in use was found that could be judged.');
});
