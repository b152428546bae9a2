import { expect, test } from 'vitest';
import { secret, widget, widgetsIn } from './objects.ts';
import type { Part } from './part.ts';

const hook = (name: string, more: Readonly<Record<string, unknown>> = {}) => ({
  name,
  admissionReviewVersions: ['v1'],
  sideEffects: 'None',
  clientConfig: { url: 'https://localhost:9/x' },
  rules: [{ apiGroups: ['nothing.example'], apiVersions: ['*'], resources: ['nothings'], operations: ['CREATE'] }],
  ...more,
});
const webhooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
const webhook = (name: string, ...hooks: readonly unknown[]) => ({
  apiVersion: 'admissionregistration.k8s.io/v1',
  kind: 'ValidatingWebhookConfiguration',
  metadata: { name },
  webhooks: hooks,
});
const names = (items: unknown): readonly string[] => (items as { name: string }[]).map(({ name }) => name);

export const patching: Part = {
  title: 'patching',
  file: 'patching',
  cases: (on) => {
    const one = async (namespace: string): Promise<string> => {
      const secrets = `${await on.api.namespace(namespace)}/secrets`;
      await on.api.post(secrets, secret('one', { a: '1', b: '2' }, { metadata: { labels: { x: 'y' } } }));
      return `${secrets}/one`;
    };
    const oneWidget = async (namespace: string, spec = {}): Promise<string> => {
      const widgets = widgetsIn(await on.api.namespace(namespace));
      await on.api.post(widgets, widget('one', spec));
      return `${widgets}/one`;
    };

    test('a merge patch sets what it says, takes away what it says is null, and leaves the rest', async () => {
      const { body } = await on.api.patch('merge', await one('merge'), { data: { a: null, c: 'Mw==' } });
      expect(body['data']).toEqual({ b: 'Mg==', c: 'Mw==' });
      expect(body.metadata['labels']).toEqual({ x: 'y' });
    });

    test('a merge patch replaces lists whole', async () => {
      const path = await oneWidget('merge-list', { numbers: [1, 2] });
      expect((await on.api.patch('merge', path, { spec: { numbers: [3] } })).body['spec']).toMatchObject({
        numbers: [3],
      });
    });

    test('a merge patch with a version that has passed is a conflict', async () => {
      const path = await one('merge-stale');
      const { body } = await on.api.get(path);
      await on.api.patch('merge', path, { data: { a: 'OQ==' } });
      const { resourceVersion } = body.metadata;
      const answer = await on.api.patch('merge', path, { metadata: { resourceVersion }, data: { a: 'OA==' } });
      expect(answer).toMatchObject({ status: 409, body: { reason: 'Conflict' } });
    });

    test('a merge patch that changes nothing leaves the version', async () => {
      const path = await one('merge-same');
      const { body } = await on.api.get(path);
      const answer = await on.api.patch('merge', path, { data: { a: 'MQ==' } });
      expect(answer.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
    });

    test('a merge patch of an object that is not there is answered 404', async () => {
      const secrets = `${await on.api.namespace('merge-missing')}/secrets`;
      expect((await on.api.patch('merge', `${secrets}/one`, { data: {} })).status).toBe(404);
    });

    test('a patch of our own kind is validated as a whole', async () => {
      const path = await oneWidget('merge-invalid');
      expect(await on.api.patch('merge', path, { spec: { size: 11 } })).toMatchObject({
        status: 422,
        body: { reason: 'Invalid', details: { name: 'one', group: 'contract.example', kind: 'Widget' } },
      });
    });

    test('a patch cannot rename', async () => {
      expect((await on.api.patch('merge', await one('merge-name'), { metadata: { name: 'two' } })).status).toBe(400);
    });

    test('a patch that is no object is refused', async () => {
      expect((await on.api.patch('merge', await one('merge-wrong'), [])).status).toBe(400);
      expect((await on.api.patch('json', await one('merge-wrong'), {})).status).toBe(400);
    });

    test('a JSON patch adds, replaces, removes, moves, copies and tests', async () => {
      const { body } = await on.api.patch('json', await one('json'), [
        { op: 'test', path: '/data/a', value: 'MQ==' },
        { op: 'add', path: '/data/c', value: 'Mw==' },
        { op: 'replace', path: '/data/b', value: 'OQ==' },
        { op: 'copy', from: '/data/b', path: '/data/d' },
        { op: 'move', from: '/data/c', path: '/data/e' },
        { op: 'remove', path: '/data/a' },
        { op: 'add', path: '/metadata/annotations', value: { 'a/b': 'c' } },
        { op: 'replace', path: '/metadata/annotations/a~1b', value: 'd' },
      ]);
      expect(body['data']).toEqual({ b: 'OQ==', d: 'OQ==', e: 'Mw==' });
      expect(body.metadata['annotations']).toEqual({ 'a/b': 'd' });
    });

    test('a JSON patch works on places in lists', async () => {
      const path = await oneWidget('json-list', { numbers: [1, 3] });
      const { body } = await on.api.patch('json', path, [
        { op: 'add', path: '/spec/numbers/1', value: 2 },
        { op: 'remove', path: '/spec/numbers/0' },
        { op: 'add', path: '/spec/numbers/-', value: 4 },
      ]);
      expect(body['spec']).toMatchObject({ numbers: [2, 3, 4] });
    });

    test('a JSON patch whose test does not hold changes nothing', async () => {
      const path = await one('json-test');
      const answer = await on.api.patch('json', path, [
        { op: 'remove', path: '/data/b' },
        { op: 'test', path: '/data/a', value: 'other' },
      ]);
      expect(answer).toMatchObject({ status: 422, body: { reason: 'Invalid' } });
      expect((await on.api.get(path)).body['data']).toEqual({ a: 'MQ==', b: 'Mg==' });
    });

    test.each([
      ['remove', { op: 'remove', path: '/data/nothing' }],
      ['add below', { op: 'add', path: '/metadata/annotations/a', value: 'b' }],
    ])('a JSON patch cannot %s what is not there', async (word, operation) => {
      const path = await one(`json-missing-${word.replace(' ', '-')}`);
      expect((await on.api.patch('json', path, [operation])).status).toBe(422);
    });

    test('a JSON patch replaces in a map even what is not there', async () => {
      const answer = await on.api.patch('json', await one('json-replace'), [
        { op: 'replace', path: '/data/nothing', value: 'MQ==' },
      ]);
      expect(answer).toMatchObject({ status: 200, body: { data: { nothing: 'MQ==' } } });
    });

    test('a strategic merge patch of a Secret merges its keys and removes those of null', async () => {
      const { body } = await on.api.patch('strategic', await one('strategic'), { data: { a: null, c: 'Mw==' } });
      expect(body['data']).toEqual({ b: 'Mg==', c: 'Mw==' });
    });

    test('a strategic merge patch merges the webhooks of a configuration by their name', async () => {
      await on.api.post(webhooks, webhook('strategic-hooks', hook('a.example.com'), hook('b.example.com')));
      const { body } = await on.api.patch('strategic', `${webhooks}/strategic-hooks`, {
        webhooks: [{ name: 'b.example.com', timeoutSeconds: 3 }, hook('c.example.com')],
      });
      expect([...names(body['webhooks'])].sort()).toEqual(['a.example.com', 'b.example.com', 'c.example.com']);
      expect(body['webhooks']).toContainEqual(expect.objectContaining({ name: 'b.example.com', timeoutSeconds: 3 }));
    });

    test('a strategic merge patch can delete from a list, give its order and replace a map', async () => {
      await on.api.post(webhooks, webhook('strategic-delete', hook('a.example.com'), hook('b.example.com')));
      const deleted = await on.api.patch('strategic', `${webhooks}/strategic-delete`, {
        webhooks: [{ $patch: 'delete', name: 'a.example.com' }],
      });
      expect(names(deleted.body['webhooks'])).toEqual(['b.example.com']);
      await on.api.post(webhooks, webhook('strategic-order', hook('a.example.com'), hook('b.example.com')));
      const ordered = await on.api.patch('strategic', `${webhooks}/strategic-order`, {
        $setElementOrder: undefined,
        '$setElementOrder/webhooks': [{ name: 'b.example.com' }, { name: 'a.example.com' }],
        webhooks: [{ name: 'a.example.com', timeoutSeconds: 4 }],
      });
      expect(names(ordered.body['webhooks'])).toEqual(['b.example.com', 'a.example.com']);
      const replaced = await on.api.patch('strategic', await one('strategic-replace'), {
        data: { $patch: 'replace', z: 'MQ==' },
      });
      expect(replaced.body['data']).toEqual({ z: 'MQ==' });
    });

    test('a strategic merge patch merges finalizers and owners', async () => {
      const path = await one('strategic-metadata');
      const owner = (uid: string) => ({ apiVersion: 'v1', kind: 'Secret', name: 'x', uid });
      await on.api.patch('strategic', path, {
        metadata: { finalizers: ['a.example/x'], ownerReferences: [owner('u-1')] },
      });
      const { body } = await on.api.patch('strategic', path, {
        metadata: { finalizers: ['b.example/x'], ownerReferences: [owner('u-2')] },
      });
      expect(body.metadata['finalizers']).toHaveLength(2);
      expect(body.metadata['ownerReferences']).toHaveLength(2);
      await on.api.patch('merge', path, { metadata: { finalizers: null } });
    });

    test('a strategic merge patch is not known to our own kinds', async () => {
      const path = await oneWidget('strategic-own');
      expect(await on.api.patch('strategic', path, { spec: { size: 4 } })).toMatchObject({
        status: 415,
        body: { reason: 'UnsupportedMediaType' },
      });
    });

    test('a patch of a type that nobody knows is refused', async () => {
      const answer = await on.api.patch('merge', await one('patch-type'), {}, { contentType: 'application/json' });
      expect(answer.status).toBe(415);
    });
  },
};
