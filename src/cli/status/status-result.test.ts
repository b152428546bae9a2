import { expect, test } from 'vitest';
import type { RuntimeTrust } from '../../api/runtime-trust.ts';
import { type TrustDomain, trustDomainDefaults } from '../../api/trust-domain.ts';
import { type StatusOptions, statusResult } from './status-result.ts';

const step = 'The bundle is delivered to the runtimes that lack it, and then the server follows.';
const domain: TrustDomain = {
  metadata: { namespace: 'kcp-system', name: 'klm-watcher' },
  spec: trustDomainDefaults(),
  status: { nextStep: step },
};

function linesOf(runtimes: number, room: Partial<StatusOptions>): readonly string[] {
  const records = Array.from({ length: runtimes }, (_, index): RuntimeTrust => {
    const ready = { type: 'Ready', status: index === 0 ? 'False' : 'True', reason: 'Any', message: '' } as const;
    const conditions = [{ ...ready, observedGeneration: 1, lastTransitionTime: '2026-01-01T00:00:00Z' }];
    return { metadata: { name: `runtime-${index}` }, spec: {}, status: { conditions } } as unknown as RuntimeTrust;
  });
  const pipe = { columns: Number.POSITIVE_INFINITY, rows: Number.POSITIVE_INFINITY };
  const options = { all: false, paint: (_: string, text: string) => text, nowMs: 0, ...pipe, ...room };
  return statusResult([{ domain, records }], options).lines(false);
}

test('a sentence takes as many lines as it needs, each below the one before', () => {
  expect(linesOf(0, {}).at(-1)).toBe(`  next       ${step}`);
  const lines = linesOf(0, { columns: 50 });
  const next = lines.slice(lines.findIndex((line) => line.startsWith('  next')));
  expect(next).toEqual([
    '  next       The bundle is delivered to the',
    '             runtimes that lack it, and then the',
    '             server follows.',
  ]);
});

test('a window that is too low shows who is not in order, and tells of the others', () => {
  expect(linesOf(20, { rows: 100 }).at(-1)).toMatch(/^runtime-19 /);
  const lines = linesOf(20, { rows: 18 });
  expect(lines).toHaveLength(18);
  expect(lines.find((line) => line.startsWith('runtime-'))).toMatch(/^runtime-0 +False/);
  const shown = lines.filter((line) => line.startsWith('runtime-')).length;
  expect(lines.at(-1)).toBe(`and ${20 - shown} more, of which ${20 - shown} are Ready: a taller window shows more`);
});

test('a large fleet is shortened even where there is room', () => {
  expect(linesOf(50, {}).at(-1)).toBe('and 10 more, of which 10 are Ready: see them with --all');
  expect(linesOf(50, { all: true }).at(-1)).toMatch(/^runtime-49 /);
});
