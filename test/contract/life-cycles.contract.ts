import { beforeAll, expect, test } from 'vitest';
import { apiVersionOf, type Resource } from '../../src/kubernetes/resource.ts';
import { lifeCycles } from './lives.ts';
import type { Part } from './part.ts';

/** Kinds of which the server fills in more than a double has to. */
const byHand = new Set(['Pod', 'Service']);

function pathOf(resource: Resource, namespace?: string): string {
  const root = resource.group === '' ? '/api/v1' : `/apis/${apiVersionOf(resource)}`;
  const scope = resource.namespaced && namespace !== undefined ? `/namespaces/${namespace}` : '';
  return `${root}${scope}/${resource.plural}`;
}

export const lifeCyclesPart: Part = {
  title: 'the life of an object',
  file: 'life-cycles',
  cases: (on) => {
    beforeAll(async () => {
      await on.api.namespace('lives');
      await on.api.namespace('lives-too');
    });

    test.each(lifeCycles.map((one) => [one.called ?? one.resource.kind, one] as const))(
      'of kind %s is created, read, listed, watched, changed, patched, applied and deleted',
      async (_called, { resource, content, status }) => {
        const { kind } = resource;
        const compare = byHand.has(kind) ? ({ compare: false } as const) : {};
        const all = pathOf(resource);
        const some = pathOf(resource, 'lives');
        const type = { apiVersion: apiVersionOf(resource), kind };
        const metadata = { name: 'one', labels: { lives: 'yes' }, annotations: { note: 'a' } };

        const created = await on.api.post(some, { ...type, metadata, ...content }, compare);
        expect(created).toMatchObject({ status: 201, body: { ...type, metadata } });
        const read = await on.api.get(`${some}/one`, compare);
        expect(read.body).toEqual(created.body);

        const label = 'labelSelector=lives%3Dyes';
        for (const path of [some, all]) {
          const list = await on.api.get(`${path}?${label}&limit=500`, compare);
          expect(list.body).toMatchObject({ kind: `${kind}List`, items: [{ metadata: { name: 'one' } }] });
        }
        expect(
          (await on.api.get(`${some}?limit=500&fieldSelector=metadata.name%3Done`, compare)).body.items,
        ).toHaveLength(1);
        expect((await on.api.get(`${some}?resourceVersion=0&limit=500&${label}`, compare)).status).toBe(200);

        const initial = 'sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
        const watch = await on.api.watch(`${some}?${label}&watch=true&${initial}&timeoutSeconds=300`, compare);
        expect((await watch.take(2)).map((event) => event.type)).toEqual(['ADDED', 'BOOKMARK']);

        const noted = { ...read.body, metadata: { ...read.body.metadata, annotations: { note: 'b' } } };
        const changed = await on.api.put(`${some}/one?fieldManager=me`, noted, compare);
        expect(changed).toMatchObject({ status: 200, body: { metadata: { annotations: { note: 'b' } } } });
        const patched = await on.api.patch(
          'merge',
          `${some}/one`,
          { metadata: { annotations: { note: 'c' } } },
          compare,
        );
        expect(patched.body.metadata['annotations']).toEqual({ note: 'c' });
        const applied = { ...type, metadata: { name: 'one', annotations: { mine: 'd' } } };
        const owned = await on.api.patch('apply', `${some}/one?fieldManager=owner&force=false`, applied, compare);
        expect(owned).toMatchObject({ status: 200, body: { metadata: { annotations: { note: 'c', mine: 'd' } } } });

        if (status !== undefined) {
          const settled = await on.api.put(`${some}/one/status?fieldManager=me`, { ...owned.body, status }, compare);
          expect(settled).toMatchObject({ status: 200, body: { status } });
        }
        // A pod would be given time to end, and is told of its end even where that time is none.
        const now = kind === 'Pod' ? '?gracePeriodSeconds=0' : '';
        expect((await on.api.delete(`${some}/one${now}`, compare)).status).toBe(200);
        const changes = 3 + (status === undefined ? 0 : 1) + (kind === 'Pod' ? 1 : 0);
        const events = await watch.take(changes + 1);
        expect(events.map((event) => event.type)).toEqual([...Array(changes).fill('MODIFIED'), 'DELETED']);
        watch.close();
      },
    );

    test.each(
      lifeCycles
        .filter(({ resource }) => resource.namespaced)
        .map((one) => [one.called ?? one.resource.kind, one] as const),
    )('of kind %s ends with that of all others in its namespace', async (_called, { resource, content }) => {
      const { kind } = resource;
      const compare = byHand.has(kind) ? ({ compare: false } as const) : {};
      const all = pathOf(resource, 'lives-too');
      const about = kind === 'Event' ? { regarding: { kind: 'Secret', namespace: 'lives-too', name: 'any' } } : {};
      for (const name of ['one', 'two']) {
        const object = { apiVersion: apiVersionOf(resource), kind, metadata: { name }, ...content, ...about };
        expect((await on.api.post(all, object, compare)).status).toBe(201);
      }
      const now = kind === 'Pod' ? '?gracePeriodSeconds=0' : '';
      const { status, body } = await on.api.delete(`${all}${now}`, compare);
      expect([status, body.items.map(({ metadata }) => metadata.name)]).toEqual([200, ['one', 'two']]);
      expect((await on.api.get(`${all}?limit=500`, compare)).body.items).toEqual([]);
    });
  },
};
