import { expect, test } from 'vitest';
import type { Condition } from '../api/condition.ts';
import type { RuntimeTrust, RuntimeTrustStatus } from '../api/runtime-trust.ts';
import { type TrustDomain, trustDomainDefaults } from '../api/trust-domain.ts';
import type { TrustDomainStatus } from '../api/trust-domain-status.ts';
import { createMetrics } from './metrics.ts';
import { stateOf, tellStatuses } from './status-metrics.ts';

const condition = (type: string, status: Condition['status'], reason = 'Settled'): Condition => ({
  type,
  status,
  reason,
  message: '',
  lastTransitionTime: '2026-01-01T00:00:00Z',
});
const record = (status: RuntimeTrustStatus): RuntimeTrust => ({
  metadata: { name: 'a' },
  spec: { trustDomainRef: { name: 'd' } },
  status,
});
const domain = (status: TrustDomainStatus): TrustDomain => ({
  metadata: { name: 'd' },
  spec: trustDomainDefaults(),
  status,
});

const current = record({ conditions: [condition('Ready', 'True'), condition('Reachable', 'True')] });
const unreachable = record({ conditions: [condition('Reachable', 'False')], waits: ['RuntimeUnreachable'] });
const waiting = record({
  conditions: [condition('Ready', 'False')],
  waits: ['PairSignerNotProven', 'PairNotYetValid'],
});
const unproven = record({ conditions: [condition('Delivered', 'False', 'DeliveryNotProven')] });

test.each([
  ['current', current],
  ['unreachable', unreachable],
  ['waiting', waiting],
  ['unproven', unproven],
  ['behind', record({})],
])('a runtime is %s', (state, runtime) => {
  expect(stateOf(runtime)).toBe(state);
});

test('gauges say what the statuses say, also after they have changed', async () => {
  const metrics = createMetrics('1');
  const root = { digest: 'd', keyId: 'k', notAfter: '2026-03-01T00:00:00Z' };
  const first = domain({
    conditions: [condition('RootAdmitted', 'False', 'RootExpired')],
    root,
    bundle: [
      { digest: 'd', keyId: 'k', trusted: true, keptBy: { use: 'IsCurrent', by: '' } },
      { digest: 'e', keyId: 'l', trusted: true, keptBy: { use: 'RuntimeMayPresent', by: 'kyma-1' } },
    ],
    candidate: { digest: 'c', waitsFor: ['a'], waitsForCount: 40, breaks: ['b'] },
  });
  const second = domain({ root: { ...root, notAfter: '2026-02-01T00:00:00Z' } });
  tellStatuses(metrics, [first, second], [current, current, unreachable, waiting]);
  const text = await metrics.render();
  for (const line of [
    'keyturn_runtimes{state="current"} 2',
    'keyturn_runtimes{state="behind"} 0',
    'keyturn_runtime_waits{reason="PairSignerNotProven"} 1',
    'keyturn_bundle_roots 2',
    'keyturn_bundle_roots_kept{reason="RuntimeMayPresent"} 1',
    'keyturn_root_refused{reason="RootExpired"} 1',
    'keyturn_server_switch_waits 40',
    'keyturn_server_switch_breaks 1',
    `keyturn_root_expiry_timestamp_seconds ${Date.UTC(2026, 1, 1) / 1_000}`,
  ]) {
    expect(text).toContain(`${line}\n`);
  }
  tellStatuses(metrics, [second], [current]);
  const later = await metrics.render();
  expect(later).toContain('keyturn_server_switch_waits 0\n');
  expect(later).not.toContain('PairSignerNotProven');
  expect(later).not.toContain('RootExpired');
});
