import { expect, test } from 'vitest';
import { leasesIn, secret, widget, widgetsIn } from './objects.ts';
import type { Part } from './part.ts';

export const writing: Part = {
  title: 'writing',
  file: 'writing',
  cases: (on) => {
    const secretsOf = async (name: string): Promise<string> => `${await on.api.namespace(name)}/secrets`;
    const widgetsOf = async (name: string): Promise<string> => widgetsIn(await on.api.namespace(name));

    test('a new object is answered 201 with uid, version, time and who owns its fields', async () => {
      const { status, body } = await on.api.post(
        `${await secretsOf('create')}?fieldManager=tester`,
        secret('one', { a: '1' }),
      );
      expect(status).toBe(201);
      expect(body).toMatchObject({
        kind: 'Secret',
        metadata: {
          name: 'one',
          namespace: 'create',
          uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
          resourceVersion: expect.stringMatching(/^\d+$/),
          managedFields: [{ manager: 'tester', operation: 'Update', apiVersion: 'v1', fieldsType: 'FieldsV1' }],
        },
      });
    });

    test('the owner of a write that names none is the first word of its user agent', async () => {
      const { body } = await on.api.post(await secretsOf('create-agent'), secret('one', { a: '1' }));
      expect(body.metadata['managedFields']).toMatchObject([{ manager: 'contract' }]);
    });

    test('a new object of our own kind begins with generation 1', async () => {
      const { body } = await on.api.post(await widgetsOf('create-own'), widget('one'));
      expect(body.metadata['generation']).toBe(1);
    });

    test('a second object of one name is refused as AlreadyExists', async () => {
      const secrets = await secretsOf('create-twice');
      await on.api.post(secrets, secret('one'));
      expect(await on.api.post(secrets, secret('one'))).toMatchObject({
        status: 409,
        body: {
          reason: 'AlreadyExists',
          message: 'secrets "one" already exists',
          details: { name: 'one', kind: 'secrets' },
        },
      });
    });

    test('a name is made up for an object that has only the beginning of one', async () => {
      const body = { apiVersion: 'v1', kind: 'Secret', metadata: { generateName: 'made-' } };
      const answer = await on.api.post(await secretsOf('create-generated'), body);
      expect(answer.body.metadata.name).toMatch(/^made-[a-z0-9]{5}$/);
    });

    test('an object without a name is refused', async () => {
      const body = { apiVersion: 'v1', kind: 'Secret', metadata: {} };
      expect(await on.api.post(await secretsOf('create-nameless'), body)).toMatchObject({ status: 422 });
    });

    test('a name that is no DNS name is refused', async () => {
      expect(await on.api.post(await secretsOf('create-name'), secret('One_'))).toMatchObject({
        status: 422,
        body: { reason: 'Invalid', details: { causes: [{ field: 'metadata.name' }] } },
      });
    });

    test('a namespace that does not exist takes no object', async () => {
      expect(await on.api.post('/api/v1/namespaces/nowhere/secrets', secret('one'))).toMatchObject({
        status: 404,
        body: { message: 'namespaces "nowhere" not found' },
      });
    });

    test('a namespace other than that of the path is refused', async () => {
      const secrets = await secretsOf('create-elsewhere');
      expect(await on.api.post(secrets, secret('one', {}, { metadata: { namespace: 'other' } }))).toMatchObject({
        status: 400,
      });
    });

    test('a kind other than that of the path is refused', async () => {
      const secrets = await secretsOf('create-kind');
      const body = { apiVersion: 'v1', kind: 'Pod', metadata: { name: 'one' } };
      expect((await on.api.post(secrets, body)).status).toBe(400);
    });

    test('a new object with a version is refused', async () => {
      const secrets = await secretsOf('create-version');
      const answer = await on.api.post(secrets, secret('one', {}, { metadata: { resourceVersion: '1' } }));
      expect(answer.body.message).toContain('resourceVersion');
    });

    test('a body that is no JSON is refused', async () => {
      const secrets = await secretsOf('create-text');
      const answer = await on.api.ask('POST', secrets, { text: '{"a":', compare: false });
      expect(answer).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
    });

    test('a body of a type that nobody knows is refused', async () => {
      const secrets = await secretsOf('create-type');
      expect((await on.api.post(secrets, secret('one'), { contentType: 'text/plain' })).status).toBe(415);
    });

    test('a body in YAML is taken', async () => {
      const secrets = await secretsOf('create-yaml');
      const text = 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: one\n';
      expect((await on.api.ask('POST', secrets, { text, contentType: 'application/yaml' })).status).toBe(201);
    });

    test('a dry run answers as if it had written, and writes nothing', async () => {
      const secrets = await secretsOf('dry-run');
      expect((await on.api.post(`${secrets}?dryRun=All`, secret('one'))).status).toBe(201);
      expect((await on.api.get(`${secrets}/one`)).status).toBe(404);
      const { body } = await on.api.post(secrets, secret('one', { a: '1' }));
      const tried = await on.api.put(`${secrets}/one?dryRun=All`, { ...body, data: { a: 'Yg==' } });
      expect(tried).toMatchObject({ status: 200, body: { data: { a: 'Yg==' } } });
      await on.api.patch('merge', `${secrets}/one?dryRun=All`, { data: { b: 'Yg==' } });
      await on.api.delete(`${secrets}/one?dryRun=All`);
      expect((await on.api.get(`${secrets}/one`)).body['data']).toEqual({ a: 'MQ==' });
    });

    test('a dry run of another word is refused', async () => {
      expect((await on.api.post(`${await secretsOf('dry-run-word')}?dryRun=Some`, secret('one'))).status).toBe(422);
    });

    test('an update on condition of the current version changes the object', async () => {
      const secrets = await secretsOf('update');
      const { body } = await on.api.post(secrets, secret('one', { a: '1' }));
      const answer = await on.api.put(`${secrets}/one`, { ...body, data: { b: 'Mg==' } });
      expect(answer).toMatchObject({ status: 200, body: { data: { b: 'Mg==' } } });
      expect(answer.body.metadata.resourceVersion).not.toBe(body.metadata.resourceVersion);
      expect(answer.body.metadata.uid).toBe(body.metadata.uid);
    });

    test('an update on condition of a version that has passed is a conflict', async () => {
      const secrets = await secretsOf('update-stale');
      const { body } = await on.api.post(secrets, secret('one', { a: '1' }));
      await on.api.put(`${secrets}/one`, { ...body, data: { a: 'Mg==' } });
      expect(await on.api.put(`${secrets}/one`, { ...body, data: { a: 'Mw==' } })).toMatchObject({
        status: 409,
        body: {
          reason: 'Conflict',
          message:
            'Operation cannot be fulfilled on secrets "one": the object has been modified; please apply your changes to the latest version and try again',
          details: { name: 'one', kind: 'secrets' },
        },
      });
    });

    test('an update of our own kind on condition of a version that has passed names the group', async () => {
      const widgets = await widgetsOf('update-stale-own');
      const { body } = await on.api.post(widgets, widget('one'));
      await on.api.put(`${widgets}/one`, { ...body, spec: { size: 4 } });
      const answer = await on.api.put(`${widgets}/one`, { ...body, spec: { size: 5 } });
      expect(answer).toMatchObject({ status: 409, body: { details: { group: 'contract.example', kind: 'widgets' } } });
    });

    test('an update without a version is taken for Secrets', async () => {
      const secrets = await secretsOf('update-blind');
      await on.api.post(secrets, secret('one', { a: '1' }));
      expect((await on.api.put(`${secrets}/one`, secret('one', { a: '2' }))).status).toBe(200);
    });

    test('an update without a version is refused for our own kinds and for Leases', async () => {
      const namespace = await on.api.namespace('update-blind-own');
      await on.api.post(widgetsIn(namespace), widget('one'));
      expect((await on.api.put(`${widgetsIn(namespace)}/one`, widget('one', { size: 4 }))).status).toBe(422);
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'one' } };
      await on.api.post(leasesIn(namespace), lease);
      expect((await on.api.put(`${leasesIn(namespace)}/one`, lease)).status).toBe(422);
    });

    test('an update that changes nothing leaves the version', async () => {
      const secrets = await secretsOf('update-same');
      const { body } = await on.api.post(secrets, secret('one', { a: '1' }));
      const answer = await on.api.put(`${secrets}/one`, body);
      expect(answer.body.metadata.resourceVersion).toBe(body.metadata.resourceVersion);
    });

    test('an update of an object that is not there is answered 404', async () => {
      expect((await on.api.put(`${await secretsOf('update-missing')}/one`, secret('one'))).status).toBe(404);
    });

    test('an update under another name or uid is refused', async () => {
      const secrets = await secretsOf('update-other');
      const { body } = await on.api.post(secrets, secret('one', { a: '1' }));
      expect((await on.api.put(`${secrets}/one`, secret('two'))).status).toBe(400);
      const uid = '00000000-0000-4000-8000-000000000000';
      const other = { ...body, metadata: { ...body.metadata, uid }, data: {} };
      expect((await on.api.put(`${secrets}/one`, other)).status).toBe(409);
    });

    test('the generation of our own kind counts changes of the spec, and no others', async () => {
      const widgets = await widgetsOf('generation');
      const { body: made } = await on.api.post(widgets, widget('one'));
      const { body: changed } = await on.api.put(`${widgets}/one`, { ...made, spec: { size: 4 } });
      expect(changed.metadata['generation']).toBe(2);
      const labelled = await on.api.patch('merge', `${widgets}/one`, { metadata: { labels: { a: 'b' } } });
      expect(labelled.body.metadata['generation']).toBe(2);
      const settled = await on.api.patch('merge', `${widgets}/one/status`, { status: { phase: 'Up' } });
      expect(settled.body.metadata['generation']).toBe(2);
    });

    test('what the server sets cannot be written', async () => {
      const secrets = await secretsOf('fixed-metadata');
      const { body } = await on.api.post(
        secrets,
        secret('one', {}, { metadata: { uid: 'mine', creationTimestamp: '2000-01-01T00:00:00Z', generation: 7 } }),
      );
      expect(body.metadata.uid).not.toBe('mine');
      const later = { ...body.metadata, creationTimestamp: '2000-01-01T00:00:00Z' };
      const answer = await on.api.put(`${secrets}/one`, { ...body, metadata: later, data: { a: 'MQ==' } });
      expect(answer.body.metadata['creationTimestamp']).toBe(body.metadata['creationTimestamp']);
    });

    test('a field that the schema does not have is dropped in silence, with a warning, or refused, as is asked', async () => {
      const widgets = await widgetsOf('validation');
      const strange = (name: string) => widget(name, { size: 1, strange: true });
      const ignored = await on.api.post(`${widgets}?fieldValidation=Ignore`, strange('ignore'));
      expect(ignored).toMatchObject({ status: 201, warnings: [], body: { spec: { size: 1 } } });
      const warned = await on.api.post(`${widgets}?fieldValidation=Warn`, strange('warn'));
      expect(warned).toMatchObject({ status: 201, warnings: ['unknown field \\"spec.strange\\"'] });
      expect(await on.api.post(`${widgets}?fieldValidation=Strict`, strange('strict'))).toMatchObject({
        status: 400,
        body: { reason: 'BadRequest' },
      });
      const built = { ...secret('strict'), strange: true };
      const secrets = '/api/v1/namespaces/validation/secrets';
      expect((await on.api.post(`${secrets}?fieldValidation=Strict`, built)).status).toBe(400);
    });

    test('labels and annotations are checked', async () => {
      const secrets = await secretsOf('metadata-checks');
      expect((await on.api.post(secrets, secret('one', {}, { metadata: { labels: { a: 'b c' } } }))).status).toBe(422);
      expect(
        (await on.api.post(secrets, secret('one', {}, { metadata: { annotations: { 'a b': 'c' } } }))).status,
      ).toBe(422);
    });
  },
};
