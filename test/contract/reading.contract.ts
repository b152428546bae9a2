import { beforeAll, expect, test } from 'vitest';
import { runtimeTrustsIn, secret, trustDomain, trustDomainsIn, widget, widgetsIn } from './objects.ts';
import type { Part } from './part.ts';
import type { Answer } from './speaker.ts';

const namesIn = ({ body }: Answer): readonly string[] => body.items.map(({ metadata }) => metadata.name);
const table = 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json';
const metadataOnly = 'application/json;as=PartialObjectMetadata;g=meta.k8s.io;v=v1';
const metadataListOnly = 'application/json;as=PartialObjectMetadataList;g=meta.k8s.io;v=v1';

export const reading: Part = {
  title: 'reading',
  file: 'reading',
  cases: (on) => {
    const namespace = '/api/v1/namespaces/reading';
    const secrets = `${namespace}/secrets`;
    beforeAll(async () => {
      await on.api.namespace('reading');
      for (const [name, labels] of Object.entries({
        one: { tier: 'front', side: 'left' },
        two: { tier: 'back', side: 'left' },
        three: { tier: 'back' },
        four: {},
      })) {
        await on.api.post(secrets, secret(name, { a: name }, { metadata: { labels } }));
      }
    });

    test('an object gives all of it, its kind included', async () => {
      const { status, body } = await on.api.get(`${secrets}/one`);
      expect(status).toBe(200);
      expect(body).toMatchObject({ apiVersion: 'v1', kind: 'Secret', type: 'Opaque', metadata: { name: 'one' } });
    });

    test('an object that is not there is answered 404 with its name and kind', async () => {
      expect(await on.api.get(`${secrets}/nobody`)).toMatchObject({
        status: 404,
        body: {
          kind: 'Status',
          status: 'Failure',
          reason: 'NotFound',
          message: 'secrets "nobody" not found',
          details: { name: 'nobody', kind: 'secrets' },
          code: 404,
        },
      });
    });

    test('an object of our own that is not there is answered with its group', async () => {
      expect((await on.api.get(`${trustDomainsIn(namespace)}/nobody`)).body).toMatchObject({
        message: 'trustdomains.keyturn.kyma-project.io "nobody" not found',
        details: { name: 'nobody', group: 'keyturn.kyma-project.io', kind: 'trustdomains' },
      });
    });

    test('a list gives its objects in the order of their names, without their kinds', async () => {
      const answer = await on.api.get(secrets);
      expect(answer.body).toMatchObject({ apiVersion: 'v1', kind: 'SecretList' });
      expect(answer.body.metadata.resourceVersion).toMatch(/^\d+$/);
      expect(namesIn(answer)).toEqual(['four', 'one', 'three', 'two']);
      expect(answer.body.items[0]?.kind).toBeUndefined();
    });

    test('a list of our own kind gives each object with its kind', async () => {
      await on.api.post(widgetsIn(namespace), widget('listed'));
      const answer = await on.api.get(widgetsIn(namespace));
      expect(answer.body).toMatchObject({ apiVersion: 'contract.example/v1', kind: 'WidgetList' });
      expect(answer.body.items[0]).toMatchObject({ apiVersion: 'contract.example/v1', kind: 'Widget' });
    });

    test('a list in a namespace that does not exist is empty', async () => {
      expect(await on.api.get('/api/v1/namespaces/nowhere/secrets')).toMatchObject({
        status: 200,
        body: { items: [] },
      });
    });

    test('a list in pages tells how many are left and where to go on', async () => {
      const first = await on.api.get(`${secrets}?limit=3`);
      expect(namesIn(first)).toEqual(['four', 'one', 'three']);
      expect(first.body.metadata).toMatchObject({ remainingItemCount: 1, continue: expect.stringMatching(/./) });
      const token = encodeURIComponent(String(first.body.metadata['continue']));
      const last = await on.api.get(`${secrets}?limit=3&continue=${token}`);
      expect(namesIn(last)).toEqual(['two']);
      expect(last.body.metadata['continue']).toBeUndefined();
      expect(last.body.metadata.resourceVersion).toBe(first.body.metadata.resourceVersion);
    });

    test('the pages of a list show it as it was at the first of them', async () => {
      const all = await on.api.namespace('pages');
      for (const name of ['a', 'b', 'c']) await on.api.post(`${all}/secrets`, secret(name));
      const first = await on.api.get(`${all}/secrets?limit=1`);
      await on.api.delete(`${all}/secrets/c`);
      await on.api.post(`${all}/secrets`, secret('d'));
      const token = encodeURIComponent(String(first.body.metadata['continue']));
      expect(namesIn(await on.api.get(`${all}/secrets?limit=10&continue=${token}`))).toEqual(['b', 'c']);
    });

    test('a page of a selection does not tell how many are left', async () => {
      const { body } = await on.api.get(`${secrets}?limit=1&labelSelector=tier`);
      expect(body.metadata['remainingItemCount']).toBeUndefined();
      expect(body.metadata['continue']).toMatch(/./);
    });

    test('a continue token that is none is refused', async () => {
      expect(await on.api.get(`${secrets}?limit=1&continue=nonsense`)).toMatchObject({ status: 400 });
    });

    test('a continue token together with a version is refused', async () => {
      const first = await on.api.get(`${secrets}?limit=1`);
      const token = encodeURIComponent(String(first.body.metadata['continue']));
      expect(await on.api.get(`${secrets}?limit=1&continue=${token}&resourceVersion=1`)).toMatchObject({ status: 400 });
    });

    test('a list of version 0 is any that the server has', async () => {
      expect(await on.api.get(`${secrets}?resourceVersion=0&limit=500`)).toMatchObject({ status: 200 });
    });

    test('a list of a version that is yet to come is answered 504 with a time to wait', async () => {
      const answer = await on.api.get(`${secrets}?resourceVersion=999999999`);
      expect(answer).toMatchObject({ status: 504, body: { reason: 'Timeout' } });
    });

    test.each([
      ['tier=back', ['three', 'two']],
      ['tier==back,side=left', ['two']],
      ['tier!=back', ['four', 'one']],
      ['tier', ['one', 'three', 'two']],
      ['!side', ['four', 'three']],
      ['tier in (front,back)', ['one', 'three', 'two']],
      ['tier notin (front)', ['four', 'three', 'two']],
      ['', ['four', 'one', 'three', 'two']],
    ])('the labels "%s" select', async (selector, names) => {
      expect(namesIn(await on.api.get(`${secrets}?labelSelector=${encodeURIComponent(selector)}`))).toEqual(names);
    });

    test.each(['tier in', 'a=b=c', 'tier in ()', '-x=1'])('the label selector "%s" is refused', async (selector) => {
      const answer = await on.api.get(`${secrets}?labelSelector=${encodeURIComponent(selector)}`, {
        ...(selector === 'tier in' || selector === 'a=b=c' ? {} : { compare: false as const }),
      });
      if (selector !== 'tier in ()') expect(answer).toMatchObject({ status: 400, body: { reason: 'BadRequest' } });
    });

    test.each([
      ['metadata.name=one', ['one']],
      ['metadata.name!=one', ['four', 'three', 'two']],
      ['metadata.name=one,metadata.namespace=reading', ['one']],
      ['type=Opaque', ['four', 'one', 'three', 'two']],
      ['type=kubernetes.io/tls', []],
    ])('the fields "%s" select', async (selector, names) => {
      expect(namesIn(await on.api.get(`${secrets}?fieldSelector=${encodeURIComponent(selector)}`))).toEqual(names);
    });

    test('a field that cannot be selected is refused by its name', async () => {
      expect(await on.api.get(`${secrets}?fieldSelector=data.a%3Db`)).toMatchObject({
        status: 400,
        body: { reason: 'BadRequest', message: 'field label not supported: data.a' },
      });
    });

    test('a field that our own kind declares selects, and no other', async () => {
      const records = runtimeTrustsIn(namespace);
      for (const [name, domain] of Object.entries({ a: 'first', b: 'second' })) {
        const spec = { trustDomainRef: { name: domain } };
        const body = { apiVersion: 'keyturn.kyma-project.io/v1alpha1', kind: 'RuntimeTrust', metadata: { name }, spec };
        await on.api.post(records, body);
      }
      expect(namesIn(await on.api.get(`${records}?fieldSelector=spec.trustDomainRef.name%3Dsecond`))).toEqual(['b']);
      expect(namesIn(await on.api.get(`${records}?fieldSelector=metadata.name%3Da`))).toEqual(['a']);
      expect((await on.api.get(`${records}?fieldSelector=status.proof%3Da`)).status).toBe(400);
    });

    test('a list over all namespaces has the objects of each', async () => {
      await on.api.namespace('reading-too');
      await on.api.post(
        '/api/v1/namespaces/reading-too/secrets',
        secret('five', {}, { metadata: { labels: { all: 'x' } } }),
      );
      await on.api.post(secrets, secret('six', {}, { metadata: { labels: { all: 'x' } } }));
      const { body } = await on.api.get('/api/v1/secrets?labelSelector=all%3Dx');
      expect(body.items.map(({ metadata }) => `${metadata['namespace']}/${metadata.name}`)).toEqual([
        'reading-too/five',
        'reading/six',
      ]);
    });

    test('metadata alone is answered for an object and for a list', async () => {
      const one = await on.api.get(`${secrets}/one`, { accept: metadataOnly });
      expect(one.body).toMatchObject({ apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadata' });
      expect(one.body['data']).toBeUndefined();
      const all = await on.api.get(`${secrets}?labelSelector=tier%3Dfront`, { accept: metadataListOnly });
      expect(all.body).toMatchObject({ apiVersion: 'meta.k8s.io/v1', kind: 'PartialObjectMetadataList' });
      expect(all.body.items[0]).toMatchObject({ metadata: { name: 'one' } });
    });

    test('a table of our own kind has the columns of its definition', async () => {
      await on.api.post(trustDomainsIn(namespace), trustDomain('shown'));
      const path = `${trustDomainsIn(namespace)}/shown`;
      const { body: domain } = await on.api.get(path);
      const status = {
        conditions: [
          {
            type: 'Ready',
            status: 'True',
            reason: 'Fine',
            message: 'All is well',
            lastTransitionTime: '2030-01-01T00:00:00Z',
          },
        ],
        runtimes: { total: 7, current: 6, bundle: 5, proven: 4, issuing: 3, unreachable: 2 },
        nextStep: 'Nothing',
      };
      await on.api.put(`${path}/status`, { ...domain, status });
      const { body } = await on.api.get(path, { accept: table });
      expect(body).toMatchObject({ kind: 'Table', apiVersion: 'meta.k8s.io/v1' });
      expect((body['columnDefinitions'] as { name: string }[]).map(({ name }) => name)).toEqual([
        'Name',
        'Ready',
        'Runtimes',
        'Bundle',
        'Current',
        'Waits',
        'Age',
        'Reason',
        'Next',
      ]);
      const [row] = body['rows'] as { cells: unknown[] }[];
      expect(row?.cells.slice(0, 6)).toEqual(['shown', 'True', 7, 5, 6, null]);
    });

    test('a table of Secrets has their name, type and number of keys', async () => {
      const { body } = await on.api.get(`${secrets}/one`, { accept: table });
      const [row] = body['rows'] as { cells: unknown[] }[];
      expect(row?.cells.slice(0, 3)).toEqual(['one', 'Opaque', 1]);
    });

    test('a table of a list has a row for each object', async () => {
      const { body } = await on.api.get(`${secrets}?labelSelector=tier%3Dback&limit=500`, { accept: table });
      expect((body['rows'] as unknown[]).length).toBe(2);
    });

    test.each([
      ['namespaces', '/api/v1/namespaces/reading'],
      ['a custom resource without columns', '/apis/contract.example/v1/namespaces/reading/widgets/listed'],
    ])('a table of %s', async (_, path) => {
      const { body } = await on.api.get(path, { accept: table });
      expect(body.kind).toBe('Table');
    });

    test('an answer in a form that nobody knows is refused', async () => {
      expect((await on.api.get(`${secrets}/one`, { accept: 'text/html' })).status).toBe(406);
    });

    test('a method that the path does not have is refused', async () => {
      expect(await on.api.put(secrets, secret('x'))).toMatchObject({ status: 405 });
    });
  },
};
