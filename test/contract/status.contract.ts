import { expect, test } from 'vitest';
import { secret, widget, widgetsIn } from './objects.ts';
import type { Part } from './part.ts';

export const statuses: Part = {
  title: 'the status subresource',
  file: 'status',
  cases: (on) => {
    const oneWidget = async (namespace: string): Promise<string> => {
      const widgets = widgetsIn(await on.api.namespace(namespace));
      await on.api.post(widgets, widget('one', { size: 4 }, { status: { phase: 'Given' } }));
      return `${widgets}/one`;
    };

    test('is not written by a create or an update of the object', async () => {
      const path = await oneWidget('status-main');
      const { body } = await on.api.get(path);
      expect(body['status']).toBeUndefined();
      const answer = await on.api.put(path, { ...body, spec: { size: 5 }, status: { phase: 'Up' } });
      expect(answer.body['status']).toBeUndefined();
      expect((await on.api.patch('merge', path, { status: { phase: 'Up' } })).body['status']).toBeUndefined();
    });

    test('is all that its own update writes', async () => {
      const path = await oneWidget('status-own');
      const { body } = await on.api.get(path);
      const metadata = { ...body.metadata, labels: { a: 'b' } };
      const answer = await on.api.put(`${path}/status`, {
        ...body,
        metadata,
        spec: { size: 9 },
        status: { phase: 'Up' },
      });
      expect(answer).toMatchObject({ status: 200, body: { spec: { size: 4 }, status: { phase: 'Up' } } });
      expect(answer.body.metadata['labels']).toBeUndefined();
    });

    test('is kept when the object is updated', async () => {
      const path = await oneWidget('status-kept');
      const { body } = await on.api.patch('merge', `${path}/status`, { status: { phase: 'Up' } });
      const { status: _, ...rest } = body as unknown as Record<string, unknown>;
      expect((await on.api.put(path, { ...rest, spec: { size: 5 } })).body['status']).toEqual({ phase: 'Up' });
    });

    test('is changed on condition of the version', async () => {
      const path = await oneWidget('status-stale');
      const { body } = await on.api.get(path);
      await on.api.put(`${path}/status`, { ...body, status: { phase: 'Up' } });
      expect((await on.api.put(`${path}/status`, { ...body, status: { phase: 'Down' } })).status).toBe(409);
    });

    test('that is written as it stands leaves the version', async () => {
      const path = await oneWidget('status-same');
      const { body } = await on.api.get(path);
      const first = await on.api.put(`${path}/status`, { ...body, status: { phase: 'Up' } });
      const again = await on.api.put(`${path}/status`, first.body);
      expect(again.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    });

    test('is validated', async () => {
      const path = await oneWidget('status-invalid');
      expect((await on.api.patch('merge', `${path}/status`, { status: { phase: 7 } })).status).toBe(422);
    });

    test('can be read by itself, as the whole object', async () => {
      expect((await on.api.get(`${await oneWidget('status-read')}/status`)).body).toMatchObject({ kind: 'Widget' });
    });

    test('is patched with a JSON patch', async () => {
      const path = await oneWidget('status-json');
      const answer = await on.api.patch('json', `${path}/status`, [
        { op: 'add', path: '/status', value: { phase: 'Up' } },
      ]);
      expect(answer.body['status']).toEqual({ phase: 'Up' });
    });

    test('is not there for kinds without one', async () => {
      const secrets = `${await on.api.namespace('status-none')}/secrets`;
      await on.api.post(secrets, secret('one'));
      expect((await on.api.get(`${secrets}/one/status`)).status).toBe(404);
    });

    test('of an object that is not there is answered 404', async () => {
      const widgets = widgetsIn(await on.api.namespace('status-missing'));
      expect((await on.api.put(`${widgets}/one/status`, widget('one'))).status).toBe(404);
    });
  },
};
