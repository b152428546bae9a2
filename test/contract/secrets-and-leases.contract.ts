import { expect, test } from 'vitest';
import { base64, leasesIn, secret } from './objects.ts';
import type { Part } from './part.ts';

export const secretsAndLeases: Part = {
  title: 'Secrets, Leases and events',
  file: 'secrets-and-leases',
  cases: (on) => {
    const secretsOf = async (name: string): Promise<string> => `${await on.api.namespace(name)}/secrets`;

    test('a Secret without a type is Opaque', async () => {
      expect((await on.api.post(await secretsOf('secret-type'), secret('one'))).body['type']).toBe('Opaque');
    });

    test('the type of a Secret cannot be changed', async () => {
      const secrets = await secretsOf('secret-retype');
      await on.api.post(secrets, secret('one'));
      expect(await on.api.patch('merge', `${secrets}/one`, { type: 'example.com/other' })).toMatchObject({
        status: 422,
        body: { reason: 'Invalid', details: { causes: [{ field: 'type' }] } },
      });
    });

    test('a TLS Secret needs both of its keys, whatever is in them', async () => {
      const secrets = await secretsOf('secret-tls');
      const type = 'kubernetes.io/tls';
      expect((await on.api.post(secrets, secret('one', { 'tls.crt': '' }, { type }))).status).toBe(422);
      expect((await on.api.post(secrets, secret('two', { 'tls.crt': '', 'tls.key': '' }, { type }))).status).toBe(201);
    });

    test('an immutable Secret keeps its data and stays immutable, but takes labels', async () => {
      const secrets = await secretsOf('secret-immutable');
      await on.api.post(secrets, secret('one', { a: '1' }, { immutable: true }));
      const data = await on.api.patch('merge', `${secrets}/one`, { data: { a: base64('2') } });
      expect(data).toMatchObject({ status: 422, body: { details: { causes: [{ field: 'data' }] } } });
      expect((await on.api.patch('merge', `${secrets}/one`, { immutable: false })).status).toBe(422);
      expect((await on.api.patch('merge', `${secrets}/one`, { metadata: { labels: { a: 'b' } } })).status).toBe(200);
    });

    test('a Secret can be made immutable later', async () => {
      const secrets = await secretsOf('secret-freeze');
      await on.api.post(secrets, secret('one', { a: '1' }));
      expect((await on.api.patch('merge', `${secrets}/one`, { immutable: true })).status).toBe(200);
    });

    test('stringData becomes data and is never given back', async () => {
      const secrets = await secretsOf('secret-text');
      const { body } = await on.api.post(secrets, secret('one', { a: '1' }, { stringData: { a: '2', b: '3' } }));
      expect(body['data']).toEqual({ a: base64('2'), b: base64('3') });
      expect(body['stringData']).toBeUndefined();
    });

    test('data that is no base64 is refused', async () => {
      const secrets = await secretsOf('secret-base64');
      const answer = await on.api.post(secrets, { ...secret('one'), data: { a: '%%%' } }, { compare: false });
      expect(answer).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
    });

    test('a key of a Secret has letters, digits, dots, dashes and underscores only', async () => {
      const secrets = await secretsOf('secret-key');
      expect((await on.api.post(secrets, secret('one', { 'a/b': '1' }))).status).toBe(422);
    });

    test('a Lease keeps its times with all their digits', async () => {
      const leases = leasesIn(await on.api.namespace('leases'));
      const spec = {
        holderIdentity: 'me',
        leaseDurationSeconds: 15,
        acquireTime: '2030-01-01T00:00:00.123456Z',
        renewTime: '2030-01-01T00:00:00.000000Z',
        leaseTransitions: 0,
      };
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'one' }, spec };
      const { status, body } = await on.api.post(leases, lease);
      expect(status).toBe(201);
      expect(body['spec']).toEqual(spec);
      const renewed = { ...spec, renewTime: '2030-01-01T00:00:02.000001Z' };
      const answer = await on.api.put(`${leases}/one`, { ...body, spec: renewed });
      expect(answer.body['spec']).toEqual(renewed);
      expect((await on.api.put(`${leases}/one`, { ...body, spec: renewed })).status).toBe(409);
    });

    test('a Lease of no duration is refused', async () => {
      const leases = leasesIn(await on.api.namespace('leases-wrong'));
      const spec = { leaseDurationSeconds: 0 };
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'one' }, spec };
      expect((await on.api.post(leases, lease)).status).toBe(422);
    });

    test('a Lease that is not there is made by an update', async () => {
      const leases = leasesIn(await on.api.namespace('leases-upsert'));
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'one' } };
      expect((await on.api.put(`${leases}/one`, lease)).status).toBe(201);
    });

    const event = (name: string, namespace: string) => ({
      apiVersion: 'events.k8s.io/v1',
      kind: 'Event',
      metadata: { name, namespace },
      eventTime: '2030-01-01T00:00:00.000001Z',
      reportingController: 'keyturn.kyma-project.io/operator',
      reportingInstance: 'one',
      action: 'Switch',
      reason: 'Switched',
      type: 'Normal',
      note: 'All is well',
      regarding: { apiVersion: 'v1', kind: 'Secret', name: 'one', namespace },
    });
    const eventsIn = (namespace: string) => `/apis/events.k8s.io/v1/namespaces/${namespace}/events`;

    test('an event is taken, and its repetition is counted in its series', async () => {
      await on.api.namespace('events');
      expect((await on.api.post(eventsIn('events'), event('one', 'events'))).status).toBe(201);
      const series = { count: 2, lastObservedTime: '2030-01-01T00:00:01.000000Z' };
      const answer = await on.api.patch('merge', `${eventsIn('events')}/one`, { series });
      expect(answer).toMatchObject({ status: 200, body: { series } });
    });

    test('an event is the same under v1, with its older names', async () => {
      await on.api.namespace('events-core');
      await on.api.post(eventsIn('events-core'), event('one', 'events-core'));
      const { body } = await on.api.get('/api/v1/namespaces/events-core/events/one');
      expect(body).toMatchObject({
        apiVersion: 'v1',
        kind: 'Event',
        message: 'All is well',
        involvedObject: { kind: 'Secret', name: 'one' },
        reportingComponent: 'keyturn.kyma-project.io/operator',
      });
      const selected = await on.api.get(
        '/api/v1/namespaces/events-core/events?fieldSelector=involvedObject.name%3Done',
      );
      expect(selected.body.items).toHaveLength(1);
    });

    test.each([
      ['without a time', { eventTime: undefined }],
      ['of a type that does not exist', { type: 'Bad' }],
      ['without a reason', { reason: undefined }],
      ['without an action', { action: undefined }],
      ['with too long a note', { note: 'x'.repeat(1025) }],
      ['without a controller', { reportingController: undefined }],
      ['without an instance', { reportingInstance: undefined }],
    ])('an event %s is refused', async (title, more) => {
      await on.api.namespace('events-refused');
      const name = title.replaceAll(' ', '-');
      expect(
        (await on.api.post(eventsIn('events-refused'), { ...event(name, 'events-refused'), ...more })).status,
      ).toBe(422);
    });
  },
};
