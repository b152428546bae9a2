import { expect, test } from 'vitest';
import { secret, widget, widgetsIn } from './objects.ts';
import type { Part } from './part.ts';
import type { WatchEvent } from './speaker.ts';

const brief = (events: readonly WatchEvent[]): readonly string[] =>
  events.map(({ type, object }) => `${type} ${object.metadata?.name ?? ''}`.trim());
const initialEventsEnd = { 'k8s.io/initial-events-end': 'true' };

export const watching: Part = {
  title: 'watching',
  file: 'watching',
  cases: (on) => {
    const secretsOf = async (name: string): Promise<string> => `${await on.api.namespace(name)}/secrets`;

    test('from a version on gives each change after it, once and in order', async () => {
      const secrets = await secretsOf('watch-from');
      await on.api.post(secrets, secret('before'));
      const { body: list } = await on.api.get(secrets);
      const watch = await on.api.watch(`${secrets}?watch=true&resourceVersion=${list.metadata.resourceVersion}`);
      await on.api.post(secrets, secret('one', { a: '1' }));
      await on.api.patch('merge', `${secrets}/one`, { metadata: { labels: { a: 'b' } } });
      await on.api.delete(`${secrets}/one`);
      const events = await watch.take(3);
      expect(brief(events)).toEqual(['ADDED one', 'MODIFIED one', 'DELETED one']);
      const versions = events.map(({ object }) => Number(object.metadata.resourceVersion));
      expect(versions).toEqual([...versions].sort((a, b) => a - b));
      expect(new Set(versions).size).toBe(3);
    });

    test('from a version that lies back gives what happened since', async () => {
      const secrets = await secretsOf('watch-back');
      const { body: first } = await on.api.post(secrets, secret('one'));
      await on.api.post(secrets, secret('two'));
      await on.api.delete(`${secrets}/one`);
      const watch = await on.api.watch(`${secrets}?watch=1&resourceVersion=${first.metadata.resourceVersion}`);
      expect(brief(await watch.take(2))).toEqual(['ADDED two', 'DELETED one']);
    });

    test('a change that changes nothing makes no event', async () => {
      const secrets = await secretsOf('watch-same');
      const { body } = await on.api.post(secrets, secret('one', { a: '1' }));
      const watch = await on.api.watch(`${secrets}?watch=true&resourceVersion=${body.metadata.resourceVersion}`);
      await on.api.put(`${secrets}/one`, secret('one', { a: '1' }));
      await on.api.put(`${secrets}/one`, secret('one', { a: '2' }));
      expect(brief(await watch.take(1))).toEqual(['MODIFIED one']);
    });

    test('without a version begins with what is there', async () => {
      const secrets = await secretsOf('watch-now');
      for (const name of ['one', 'two']) await on.api.post(secrets, secret(name));
      const watch = await on.api.watch(`${secrets}?watch=true`, { compare: false });
      const events = await watch.take(2);
      expect([...brief(events)].sort()).toEqual(['ADDED one', 'ADDED two']);
      await on.api.post(secrets, secret('three'));
      expect(brief(await watch.take(1))).toEqual(['ADDED three']);
    });

    test('of initial events gives the present objects and then a bookmark that says so', async () => {
      const secrets = await secretsOf('watch-initial');
      for (const name of ['one', 'two']) await on.api.post(secrets, secret(name));
      const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const watch = await on.api.watch(`${secrets}?${query}`);
      const events = await watch.take(3);
      expect(brief(events)).toEqual(['ADDED one', 'ADDED two', 'BOOKMARK']);
      expect(events[2]?.object).toMatchObject({ kind: 'Secret', metadata: { annotations: initialEventsEnd } });
      expect(events[2]?.object.metadata.resourceVersion).toMatch(/^\d+$/);
      await on.api.post(secrets, secret('three'));
      expect(brief(await watch.take(1))).toEqual(['ADDED three']);
    });

    test('of initial events of our own kind, selected by label', async () => {
      const widgets = widgetsIn(await on.api.namespace('watch-widgets'));
      await on.api.post(widgets, widget('one', {}, { metadata: { labels: { a: 'b' } } }));
      await on.api.post(widgets, widget('two'));
      const query =
        'labelSelector=a%3Db&watch=true&allowWatchBookmarks=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan';
      const watch = await on.api.watch(`${widgets}?${query}`);
      expect(brief(await watch.take(2))).toEqual(['ADDED one', 'BOOKMARK']);
    });

    test('of initial events without a match for the version is refused', async () => {
      const secrets = await secretsOf('watch-initial-wrong');
      const watch = await on.api.watch(`${secrets}?watch=true&sendInitialEvents=true&allowWatchBookmarks=true`);
      expect(watch).toMatchObject({ status: 422, refusal: { reason: 'Invalid' } });
    });

    test('of a selection tells of an object that leaves it as deleted, and of one that enters it as added', async () => {
      const secrets = await secretsOf('watch-selected');
      const { body } = await on.api.post(secrets, secret('one', {}, { metadata: { labels: { in: 'yes' } } }));
      const query = `labelSelector=in%3Dyes&watch=true&resourceVersion=${body.metadata.resourceVersion}`;
      const watch = await on.api.watch(`${secrets}?${query}`);
      await on.api.patch('merge', `${secrets}/one`, { metadata: { labels: { in: 'no' } } });
      await on.api.patch('merge', `${secrets}/one`, { metadata: { labels: { in: 'yes' } } });
      await on.api.patch('merge', `${secrets}/one`, { data: { a: 'YQ==' } });
      const events = await watch.take(3);
      expect(brief(events)).toEqual(['DELETED one', 'ADDED one', 'MODIFIED one']);
      // The object as the selection last knew it, but with the version of the change.
      expect(events[0]?.object.metadata['labels']).toEqual({ in: 'yes' });
    });

    test('of one name sees that object only', async () => {
      const secrets = await secretsOf('watch-name');
      const { body } = await on.api.post(secrets, secret('one'));
      const query = `fieldSelector=metadata.name%3Dtwo&watch=true&resourceVersion=${body.metadata.resourceVersion}`;
      const watch = await on.api.watch(`${secrets}?${query}`);
      await on.api.delete(`${secrets}/one`);
      await on.api.post(secrets, secret('two'));
      expect(brief(await watch.take(1))).toEqual(['ADDED two']);
    });

    test('ends at its time with nothing said', async () => {
      const secrets = await secretsOf('watch-no-bookmarks');
      const { body } = await on.api.post(secrets, secret('one'));
      const query = `watch=true&timeoutSeconds=1&resourceVersion=${body.metadata.resourceVersion}`;
      const watch = await on.api.watch(`${secrets}?${query}`);
      expect(await watch.rest()).toEqual([]);
      expect(watch.ended()).toBe(true);
    });

    test('from a version that is gone is told 410 and Expired', async () => {
      // The kind was defined at a later version, so that no server can know what was before.
      const widgets = widgetsIn(await on.api.namespace('watch-gone'));
      const watch = await on.api.watch(`${widgets}?watch=true&resourceVersion=1`);
      const [event] = watch.refusal === undefined ? await watch.take(1) : [];
      expect(watch.refusal ?? event?.object).toMatchObject({ kind: 'Status', code: 410, reason: 'Expired' });
    });

    test('from a version that is no number is refused, though with 500', async () => {
      const secrets = await secretsOf('watch-wrong');
      expect(await on.api.watch(`${secrets}?watch=true&resourceVersion=x`)).toMatchObject({ status: 500 });
    });

    test('of metadata only gives no more in events and bookmarks', async () => {
      const secrets = await secretsOf('watch-metadata');
      await on.api.post(secrets, secret('one', { a: '1' }));
      const query = 'watch=true&sendInitialEvents=true&resourceVersionMatch=NotOlderThan&allowWatchBookmarks=true';
      const accept = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
      const events = await (await on.api.watch(`${secrets}?${query}`, { accept })).take(2);
      expect(brief(events)).toEqual(['ADDED one', 'BOOKMARK']);
      expect(events[0]?.object).toMatchObject({ kind: 'PartialObjectMetadata', metadata: { name: 'one' } });
      expect(events[0]?.object['data']).toBeUndefined();
    });

    test('as a table gives rows, with columns in the first event only', async () => {
      const secrets = await secretsOf('watch-table');
      const { body } = await on.api.post(secrets, secret('one', { a: '1' }));
      const accept = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
      const watch = await on.api.watch(`${secrets}?watch=true&resourceVersion=${body.metadata.resourceVersion}`, {
        accept,
      });
      await on.api.post(secrets, secret('two', { a: '1' }));
      await on.api.post(secrets, secret('three', { a: '1' }));
      const events = await watch.take(2);
      expect(events.map(({ type, object }) => `${type} ${object.kind}`)).toEqual(['ADDED Table', 'ADDED Table']);
    });

    test('over all namespaces sees a change in any', async () => {
      const [a, b] = [await on.api.namespace('watch-all-a'), await on.api.namespace('watch-all-b')];
      const { body } = await on.api.post(`${a}/secrets`, secret('one', {}, { metadata: { labels: { watched: 'x' } } }));
      const query = `labelSelector=watched%3Dx&watch=true&resourceVersion=${body.metadata.resourceVersion}`;
      const watch = await on.api.watch(`/api/v1/secrets?${query}`);
      await on.api.post(`${b}/secrets`, secret('two', {}, { metadata: { labels: { watched: 'x' } } }));
      expect(brief(await watch.take(1))).toEqual(['ADDED two']);
    });

    test('of a status change is an event as any other', async () => {
      const widgets = widgetsIn(await on.api.namespace('watch-status'));
      const { body } = await on.api.post(widgets, widget('one'));
      const watch = await on.api.watch(`${widgets}?watch=true&resourceVersion=${body.metadata.resourceVersion}`);
      await on.api.put(`${widgets}/one/status`, { ...body, status: { phase: 'Up' } });
      expect(brief(await watch.take(1))).toEqual(['MODIFIED one']);
    });
  },
};
