import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { KubeObject } from './resource.ts';
import { createStore, type StoreChange } from './store.ts';
import type { WatchEvent } from './watch-machine.ts';

function secret(name: string, resourceVersion: string, labels: Record<string, string> = {}): KubeObject {
  return { metadata: { name, namespace: 'kcp', resourceVersion, labels } };
}

function filled(events: readonly WatchEvent[], labels: readonly string[] = []) {
  const { reader, write } = createStore({ labels });
  const changes: string[] = [];
  reader.subscribe(({ kind, key, initial }: StoreChange<KubeObject>) => {
    changes.push(`${kind} ${key}${initial ? ' initially' : ''}`);
  });
  for (const event of events) write(event);
  return { reader, write, changes };
}

const initial = (...objects: KubeObject[]): WatchEvent[] => [
  { type: 'Init' },
  ...objects.map((object) => ({ type: 'InitApply', object }) as const),
  { type: 'InitDone' },
];

describe('the store', () => {
  test('is not synced before the initial list is complete, and waiters are woken then', async () => {
    const { reader, write } = createStore();
    const controller = new AbortController();
    const waiting = reader.whenSynced(controller.signal);
    write({ type: 'Init' });
    write({ type: 'InitApply', object: secret('a', '1') });
    expect([reader.synced, reader.size]).toEqual([false, 0]);
    write({ type: 'InitDone' });
    await waiting;
    expect([reader.synced, reader.size]).toEqual([true, 1]);
    await reader.whenSynced(controller.signal);
  });

  test('lets a waiter go when its signal aborts', async () => {
    const { reader } = createStore();
    const controller = new AbortController();
    const waiting = reader.whenSynced(controller.signal);
    controller.abort(new Error('stop'));
    await expect(waiting).rejects.toThrow('stop');
    await expect(reader.whenSynced(controller.signal)).rejects.toThrow('stop');
  });

  test('shows the old state during a re-list, then swaps at once and tells only what differs', () => {
    const { reader, write, changes } = filled(initial(secret('a', '1'), secret('b', '1'), secret('c', '1')));
    changes.length = 0;
    write({ type: 'Init' });
    write({ type: 'InitApply', object: secret('a', '1') });
    write({ type: 'InitApply', object: secret('b', '2') });
    write({ type: 'InitApply', object: secret('d', '2') });
    expect(reader.list().map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'c']);
    expect(changes).toEqual([]);
    write({ type: 'InitDone' });
    expect(reader.list().map(({ metadata }) => metadata.name)).toEqual(['a', 'b', 'd']);
    expect(changes).toEqual(['changed kcp/b initially', 'added kcp/d initially', 'removed kcp/c initially']);
  });

  test('forgets a half-done re-list when another begins', () => {
    const { reader, write } = filled(initial(secret('a', '1')));
    write({ type: 'Init' });
    write({ type: 'InitApply', object: secret('ghost', '2') });
    for (const event of initial(secret('a', '3'))) write(event);
    expect(reader.list().map(({ metadata }) => metadata.name)).toEqual(['a']);
  });

  test('tells events, but not the same version twice', () => {
    const { changes } = filled([
      ...initial(),
      { type: 'Apply', object: secret('a', '1') },
      { type: 'Apply', object: secret('a', '1') },
      { type: 'Apply', object: secret('a', '2') },
      { type: 'Delete', object: secret('a', '3') },
      { type: 'Delete', object: secret('a', '3') },
    ]);
    expect(changes).toEqual(['added kcp/a', 'changed kcp/a', 'removed kcp/a']);
  });

  test('finds by namespace and name, and by namespace', () => {
    const { reader } = filled(initial(secret('a', '1'), { metadata: { name: 'a', namespace: 'other' } }));
    expect(reader.get({ namespace: 'kcp', name: 'a' })?.metadata.resourceVersion).toBe('1');
    expect(reader.byKey('other/a')).toBeDefined();
    expect(reader.get({ namespace: 'kcp', name: 'b' })).toBeUndefined();
    expect(reader.list('other')).toHaveLength(1);
  });

  test('by label finds exactly the objects that have it now, after any events', () => {
    const name = fc.constantFrom('a', 'b', 'c');
    const value = fc.option(fc.constantFrom('x', 'y'), { nil: undefined });
    const object = fc
      .tuple(name, fc.nat(3), value)
      .map(([n, version, v]) => secret(n, String(version), v === undefined ? {} : { owner: v }));
    const event: fc.Arbitrary<WatchEvent> = fc.oneof(
      object.map((o) => ({ type: 'Apply', object: o }) as const),
      object.map((o) => ({ type: 'Delete', object: o }) as const),
      fc.constant({ type: 'Init' } as const),
      object.map((o) => ({ type: 'InitApply', object: o }) as const),
      fc.constant({ type: 'InitDone' } as const),
    );
    fc.assert(
      fc.property(fc.array(event, { maxLength: 30 }), (events) => {
        const { reader } = filled(events, ['owner']);
        for (const v of ['x', 'y']) {
          const byScan = reader.list().filter(({ metadata }) => metadata.labels?.['owner'] === v);
          expect(new Set(reader.withLabel('owner', v))).toEqual(new Set(byScan));
        }
      }),
    );
  });
});
