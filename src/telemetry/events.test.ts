import { expect, test } from 'vitest';
import { createTestClock } from '../controller/test-clock.ts';
import type { KubeClient } from '../kubernetes/client.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { createEventRecorder, type EventNow } from './events.ts';

const domain: KubeObject = {
  apiVersion: 'keyturn.kyma-project.io/v1alpha1',
  kind: 'TrustDomain',
  metadata: { name: 'klm-watcher', namespace: 'kcp-system', uid: 'u-1', resourceVersion: '7' },
};
const switched: EventNow = {
  type: 'Normal',
  reason: 'ServerSwitched',
  action: 'Switch',
  note: 'The server certificate is of root abc now',
};

function recorder(instance = 'keyturn-0', fails = false) {
  const created: KubeObject[] = [];
  const patched: unknown[] = [];
  const client: Pick<KubeClient, 'create' | 'mergePatch'> = {
    create: (_, object) => {
      created.push(object);
      return fails ? Promise.reject(new Error('refused')) : Promise.resolve(object);
    },
    mergePatch: (_, ref, patch) => {
      patched.push([ref.name, patch]);
      return Promise.resolve(patch as never);
    },
  };
  const clock = createTestClock();
  const events = createEventRecorder({ client, clock, instance, signal: new AbortController().signal });
  return { events, created, patched, clock };
}

test('an event names its object, the reason and who reports it', async () => {
  const { events, created } = recorder();
  events.record(domain, switched);
  await events.drain();
  expect(created).toHaveLength(1);
  const { metadata, ...event } = created[0] ?? domain;
  expect(metadata.name).toMatch(/^klm-watcher\.[0-9a-f]+$/);
  expect(metadata.namespace).toBe('kcp-system');
  expect(event).toMatchObject({
    type: 'Normal',
    reason: 'ServerSwitched',
    action: 'Switch',
    eventTime: '2026-01-01T00:00:00.000000Z',
    reportingInstance: 'keyturn-0',
    regarding: { kind: 'TrustDomain', namespace: 'kcp-system', name: 'klm-watcher', uid: 'u-1' },
  });
});

test('the same event again is counted, and written once a minute at most', async () => {
  const { events, created, patched, clock } = recorder();
  for (let i = 0; i < 50; i += 1) events.record(domain, switched);
  await clock.advance(61_000);
  events.record(domain, switched);
  await events.drain();
  expect(created).toHaveLength(1);
  expect(patched).toEqual([
    [created[0]?.metadata.name, { series: { count: 51, lastObservedTime: expect.any(String) } }],
  ]);
});

test('the same event after a quiet time is a new one', async () => {
  const { events, created, clock } = recorder();
  events.record(domain, switched);
  await clock.advance(601_000);
  events.record(domain, switched);
  await events.drain();
  expect(created).toHaveLength(2);
  expect(created[0]?.metadata.name).not.toBe(created[1]?.metadata.name);
});

test('a long instance name and a long note are cut to what the API server takes', async () => {
  const { events, created } = recorder('ü'.repeat(200));
  events.record(domain, { ...switched, note: 'x'.repeat(5_000) });
  await events.drain();
  expect(Buffer.byteLength(String(created[0]?.['reportingInstance']))).toBeLessThanOrEqual(128);
  expect(String(created[0]?.['note'])).toHaveLength(1024);
});

test('events that cannot be written are counted as lost and throw nothing', async () => {
  const { events } = recorder('a', true);
  events.record(domain, switched);
  await events.drain();
  expect(events.lost()).toBe(1);
});

test('more than can be written do not pile up', async () => {
  const { events, created } = recorder();
  for (let i = 0; i < 1_000; i += 1) events.record(domain, { ...switched, note: `number ${i}` });
  await events.drain();
  expect(created.length).toBe(256);
  expect(events.lost()).toBe(744);
});
