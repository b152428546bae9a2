import { expect, test } from 'vitest';
import { secret, widget, widgetsIn } from './objects.ts';
import type { Part } from './part.ts';

export const deleting: Part = {
  title: 'deleting',
  file: 'deleting',
  cases: (on) => {
    const secretsOf = async (name: string): Promise<string> => `${await on.api.namespace(name)}/secrets`;
    const options = (more: Readonly<Record<string, unknown>>) => ({
      body: { apiVersion: 'v1', kind: 'DeleteOptions', ...more },
    });

    test('an object is answered with what was deleted', async () => {
      const secrets = await secretsOf('delete');
      const { body } = await on.api.post(secrets, secret('one'));
      expect(await on.api.delete(`${secrets}/one`)).toMatchObject({
        status: 200,
        body: {
          kind: 'Status',
          apiVersion: 'v1',
          status: 'Success',
          details: { name: 'one', kind: 'secrets', uid: body.metadata.uid },
        },
      });
      expect((await on.api.get(`${secrets}/one`)).status).toBe(404);
    });

    test('an object that is not there is answered 404', async () => {
      expect((await on.api.delete(`${await secretsOf('delete-missing')}/one`)).status).toBe(404);
    });

    test('an object of our own kind is answered with its group', async () => {
      const widgets = widgetsIn(await on.api.namespace('delete-own'));
      await on.api.post(widgets, widget('one'));
      expect((await on.api.delete(`${widgets}/one`)).body).toMatchObject({
        status: 'Success',
        details: { group: 'contract.example', kind: 'widgets' },
      });
    });

    test('an object of another uid or version is refused', async () => {
      const secrets = await secretsOf('delete-conditions');
      const { body } = await on.api.post(secrets, secret('one'));
      const wrong = { uid: '00000000-0000-4000-8000-000000000000' };
      expect(await on.api.delete(`${secrets}/one`, options({ preconditions: wrong }))).toMatchObject({
        status: 409,
        body: { reason: 'Conflict' },
      });
      expect((await on.api.delete(`${secrets}/one`, options({ preconditions: { resourceVersion: '1' } }))).status).toBe(
        409,
      );
      const { uid, resourceVersion } = body.metadata;
      expect((await on.api.delete(`${secrets}/one`, options({ preconditions: { uid, resourceVersion } }))).status).toBe(
        200,
      );
    });

    test('an object with a finalizer stays until the finalizer is gone', async () => {
      const secrets = await secretsOf('delete-finalizer');
      await on.api.post(secrets, secret('one', { a: '1' }, { metadata: { finalizers: ['contract.example/keep'] } }));
      const answer = await on.api.delete(`${secrets}/one`);
      expect(answer).toMatchObject({
        status: 200,
        body: { kind: 'Secret', metadata: { deletionGracePeriodSeconds: 0 } },
      });
      expect(answer.body.metadata['deletionTimestamp']).toMatch(/Z$/);
      const again = await on.api.delete(`${secrets}/one`);
      expect(again.body.metadata.resourceVersion).toBe(answer.body.metadata.resourceVersion);
      expect((await on.api.patch('merge', `${secrets}/one`, { data: { a: 'Mg==' } })).status).toBe(200);
      expect(
        (await on.api.patch('merge', `${secrets}/one`, { metadata: { finalizers: ['contract.example/more'] } })).status,
      ).toBe(422);
      expect((await on.api.patch('merge', `${secrets}/one`, { metadata: { finalizers: null } })).status).toBe(200);
      expect((await on.api.get(`${secrets}/one`)).status).toBe(404);
    });

    test('an object of our own kind with a finalizer counts its deletion as a change of the spec', async () => {
      const widgets = widgetsIn(await on.api.namespace('delete-generation'));
      await on.api.post(widgets, widget('one', {}, { metadata: { finalizers: ['contract.example/keep'] } }));
      expect((await on.api.delete(`${widgets}/one`)).body.metadata['generation']).toBe(2);
      const read = await on.api.get(`${widgets}/one`);
      const metadata = { ...read.body.metadata, finalizers: [] };
      expect((await on.api.put(`${widgets}/one`, { ...read.body, metadata })).status).toBe(200);
      expect((await on.api.get(`${widgets}/one`)).status).toBe(404);
    });

    test('a finalizer that is no qualified name is warned about or refused', async () => {
      const secrets = await secretsOf('delete-finalizer-name');
      const answer = await on.api.post(secrets, secret('one', {}, { metadata: { finalizers: ['no space'] } }));
      expect(answer.status).toBe(422);
    });

    test('in the foreground an object waits for what belongs to it', async () => {
      const secrets = await secretsOf('delete-foreground');
      await on.api.post(secrets, secret('one'));
      const answer = await on.api.delete(`${secrets}/one`, options({ propagationPolicy: 'Foreground' }));
      expect(answer.body.metadata['finalizers']).toEqual(['foregroundDeletion']);
      await on.api.patch('merge', `${secrets}/one`, { metadata: { finalizers: null } });
    });

    test.each(['Background', 'Orphan'])('a policy of %s is taken', async (propagationPolicy) => {
      const secrets = await secretsOf(`delete-${propagationPolicy.toLowerCase()}`);
      await on.api.post(secrets, secret('one'));
      expect((await on.api.delete(`${secrets}/one`, options({ propagationPolicy }))).status).toBe(200);
      await on.api.patch('merge', `${secrets}/one`, { metadata: { finalizers: null } });
    });

    test('a policy that does not exist is refused', async () => {
      const secrets = await secretsOf('delete-policy');
      await on.api.post(secrets, secret('one'));
      expect((await on.api.delete(`${secrets}/one`, options({ propagationPolicy: 'Some' }))).status).toBe(422);
    });

    test('a policy in the query is taken, too', async () => {
      const secrets = await secretsOf('delete-query');
      await on.api.post(secrets, secret('one'));
      expect((await on.api.delete(`${secrets}/one?propagationPolicy=Background&gracePeriodSeconds=0`)).status).toBe(
        200,
      );
    });

    test('a selection of objects is answered with those that were deleted', async () => {
      const secrets = await secretsOf('delete-many');
      for (const name of ['one', 'two'])
        await on.api.post(secrets, secret(name, {}, { metadata: { labels: { a: 'b' } } }));
      await on.api.post(secrets, secret('three'));
      const answer = await on.api.delete(`${secrets}?labelSelector=a%3Db`);
      expect(answer).toMatchObject({ status: 200, body: { kind: 'SecretList' } });
      expect((await on.api.get(secrets)).body.items.map(({ metadata }) => metadata.name)).toEqual(['three']);
      expect((await on.api.delete(secrets)).status).toBe(200);
      expect((await on.api.get(secrets)).body.items).toEqual([]);
    });

    test('all objects of our own kind in a namespace are deleted by one request', async () => {
      const widgets = widgetsIn(await on.api.namespace('delete-many-own'));
      await on.api.post(widgets, widget('one'));
      expect((await on.api.delete(widgets)).body.kind).toBe('WidgetList');
      expect((await on.api.get(widgets)).body.items).toEqual([]);
    });

    test('a namespace that is being deleted takes no new objects', async () => {
      const namespace = await on.api.namespace('delete-namespace');
      await on.api.post(
        `${namespace}/secrets`,
        secret('one', {}, { metadata: { finalizers: ['contract.example/keep'] } }),
      );
      const answer = await on.api.delete(namespace, { compare: false });
      expect(answer).toMatchObject({ status: 200, body: { kind: 'Namespace', status: { phase: 'Terminating' } } });
      const refused = await on.api.eventually(
        () => on.api.post(`${namespace}/secrets`, secret('two'), { compare: false }),
        ({ status }) => status === 403,
      );
      expect(refused).toMatchObject({
        status: 403,
        body: {
          reason: 'Forbidden',
          message:
            'secrets "two" is forbidden: unable to create new content in namespace delete-namespace because it is being terminated',
          details: { causes: [{ reason: 'NamespaceTerminating', field: 'metadata.namespace' }] },
        },
      });
    });
  },
};
