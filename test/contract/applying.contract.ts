import { expect, test } from 'vitest';
import { base64, secret, widget, widgetsIn } from './objects.ts';
import type { Part } from './part.ts';

interface Owner {
  readonly manager: string;
  readonly operation: string;
  readonly subresource?: string;
}
const ownersIn = (body: { readonly metadata: Readonly<Record<string, unknown>> }): readonly string[] =>
  (body.metadata['managedFields'] as readonly Owner[])
    .map(({ manager, operation, subresource }) => [manager, operation, subresource].filter((word) => word).join(' '))
    .sort();

export const applying: Part = {
  title: 'applying',
  file: 'applying',
  cases: (on) => {
    const secretsOf = async (name: string): Promise<string> => `${await on.api.namespace(name)}/secrets`;
    const widgetsOf = async (name: string): Promise<string> => widgetsIn(await on.api.namespace(name));
    const as = (path: string, manager: string, more = ''): string =>
      `${path}?fieldManager=${manager}&force=false${more}`;
    const byForce = (path: string, manager: string): string => `${path}?fieldManager=${manager}&force=true`;

    test('creates with 201, changes with 200, and leaves the version where nothing changes', async () => {
      const secrets = await secretsOf('apply');
      const created = await on.api.patch('apply', as(`${secrets}/one`, 'me'), secret('one', { a: '1' }));
      const same = await on.api.patch('apply', as(`${secrets}/one`, 'me'), secret('one', { a: '1' }));
      const changed = await on.api.patch('apply', as(`${secrets}/one`, 'me'), secret('one', { a: '2' }));
      expect([created.status, same.status, changed.status]).toEqual([201, 200, 200]);
      expect(same.body.metadata.resourceVersion).toBe(created.body.metadata.resourceVersion);
      expect(changed.body.metadata.resourceVersion).not.toBe(created.body.metadata.resourceVersion);
      expect(ownersIn(changed.body)).toEqual(['me Apply']);
    });

    test('takes away what the same manager applied earlier and applies no more', async () => {
      const secrets = await secretsOf('apply-less');
      await on.api.patch('apply', as(`${secrets}/one`, 'me'), secret('one', { a: '1', b: '2' }));
      const { body } = await on.api.patch('apply', as(`${secrets}/one`, 'me'), secret('one', { b: '2' }));
      expect(body['data']).toEqual({ b: base64('2') });
    });

    test('leaves what others own', async () => {
      const secrets = await secretsOf('apply-others');
      await on.api.patch('apply', as(`${secrets}/one`, 'you'), secret('one', { yours: '1' }));
      const { body } = await on.api.patch('apply', as(`${secrets}/one`, 'me'), secret('one', { mine: '2' }));
      expect(Object.keys(body['data'] as object).sort()).toEqual(['mine', 'yours']);
      expect(ownersIn(body)).toEqual(['me Apply', 'you Apply']);
    });

    test('of a field that another owns is a conflict that names owner and field', async () => {
      const secrets = await secretsOf('apply-conflict');
      await on.api.patch('apply', as(`${secrets}/one`, 'you'), secret('one', { a: '1' }));
      expect(await on.api.patch('apply', as(`${secrets}/one`, 'me'), secret('one', { a: '2' }))).toMatchObject({
        status: 409,
        body: {
          reason: 'Conflict',
          message: 'Apply failed with 1 conflict: conflict with "you": .data.a',
          details: { causes: [{ reason: 'FieldManagerConflict', message: 'conflict with "you"', field: '.data.a' }] },
        },
      });
    });

    test('of several fields that others own names each', async () => {
      const secrets = await secretsOf('apply-conflicts');
      await on.api.patch('apply', as(`${secrets}/one`, 'you'), secret('one', { a: '1', b: '1' }));
      await on.api.patch('apply', as(`${secrets}/one`, 'they'), secret('one', { c: '1' }));
      const { status, body } = await on.api.patch(
        'apply',
        as(`${secrets}/one`, 'me'),
        secret('one', { a: '2', b: '2', c: '2' }),
        // The real API server tells them in any order, in its message too.
        { compare: false },
      );
      expect(status).toBe(409);
      const { causes } = body['details'] as { causes: { field: string; message: string }[] };
      expect(causes.map(({ field, message }) => `${field}: ${message}`).sort()).toEqual([
        '.data.a: conflict with "you"',
        '.data.b: conflict with "you"',
        '.data.c: conflict with "they"',
      ]);
    });

    test('by force takes the field from its owner', async () => {
      const secrets = await secretsOf('apply-force');
      await on.api.patch('apply', as(`${secrets}/one`, 'you'), secret('one', { a: '1' }));
      const { status, body } = await on.api.patch('apply', byForce(`${secrets}/one`, 'me'), secret('one', { a: '2' }));
      expect(status).toBe(200);
      expect(body['data']).toEqual({ a: base64('2') });
      expect(ownersIn(body)).toEqual(['me Apply']);
    });

    test('of the same value as the owner shares the field', async () => {
      const secrets = await secretsOf('apply-share');
      await on.api.patch('apply', as(`${secrets}/one`, 'you'), secret('one', { a: '1' }));
      const shared = await on.api.patch('apply', as(`${secrets}/one`, 'me'), secret('one', { a: '1' }));
      expect(ownersIn(shared.body)).toEqual(['me Apply', 'you Apply']);
      const left = await on.api.patch('apply', as(`${secrets}/one`, 'you'), secret('one'));
      expect(left.body['data']).toEqual({ a: base64('1') });
    });

    test('of a field that an update wrote is a conflict with who updated it', async () => {
      const secrets = await secretsOf('apply-after-update');
      await on.api.post(`${secrets}?fieldManager=writer`, secret('one', { a: '1' }));
      expect(await on.api.patch('apply', as(`${secrets}/one`, 'me'), secret('one', { a: '2' }))).toMatchObject({
        status: 409,
        body: { message: 'Apply failed with 1 conflict: conflict with "writer" using v1: .data.a' },
      });
    });

    test('loses a field to who updates it, and takes it back by force', async () => {
      const secrets = await secretsOf('update-after-apply');
      await on.api.patch('apply', as(`${secrets}/one`, 'me'), secret('one', { a: '1', b: '1' }));
      const patched = await on.api.patch('merge', `${secrets}/one?fieldManager=writer`, { data: { a: base64('2') } });
      expect(ownersIn(patched.body)).toEqual(['me Apply', 'writer Update']);
      const { body } = await on.api.patch('apply', byForce(`${secrets}/one`, 'me'), secret('one', { a: '1', b: '1' }));
      expect(ownersIn(body)).toEqual(['me Apply']);
    });

    test('on condition of a version that has passed is a conflict', async () => {
      const secrets = await secretsOf('apply-stale');
      const { body } = await on.api.patch('apply', as(`${secrets}/one`, 'me'), secret('one', { a: '1' }));
      await on.api.patch('apply', as(`${secrets}/one`, 'me'), secret('one', { a: '2' }));
      const { resourceVersion } = body.metadata;
      const late = secret('one', { a: '3' }, { metadata: { resourceVersion } });
      expect(await on.api.patch('apply', as(`${secrets}/one`, 'me'), late)).toMatchObject({
        status: 409,
        body: { message: expect.stringContaining('the object has been modified') },
      });
    });

    test('of a uid does not create an object that is gone', async () => {
      const secrets = await secretsOf('apply-uid');
      const uid = '00000000-0000-4000-8000-000000000000';
      const body = secret('one', {}, { metadata: { uid } });
      expect((await on.api.patch('apply', as(`${secrets}/one`, 'me'), body)).status).toBe(409);
    });

    test('without a manager is refused', async () => {
      const secrets = await secretsOf('apply-nobody');
      expect((await on.api.patch('apply', `${secrets}/one`, secret('one'))).status).toBe(422);
    });

    test('of another name than that of the path is refused', async () => {
      const secrets = await secretsOf('apply-name');
      expect((await on.api.patch('apply', as(`${secrets}/one`, 'me'), secret('two'))).status).toBe(400);
    });

    test('without apiVersion and kind is refused', async () => {
      const secrets = await secretsOf('apply-typeless');
      expect((await on.api.patch('apply', as(`${secrets}/one`, 'me'), { metadata: { name: 'one' } })).status).toBe(400);
    });

    test('with managedFields is refused', async () => {
      const secrets = await secretsOf('apply-managed');
      const { body } = await on.api.patch('apply', as(`${secrets}/one`, 'me'), secret('one', { a: '1' }));
      expect((await on.api.patch('apply', as(`${secrets}/one`, 'me'), body)).status).toBe(400);
    });

    test('of a field that a built-in kind does not have is refused, though with 500', async () => {
      const secrets = await secretsOf('apply-strange');
      expect((await on.api.patch('apply', as(`${secrets}/one`, 'me'), { ...secret('one'), strange: 1 })).status).toBe(
        500,
      );
    });

    test('as a dry run answers and stores nothing', async () => {
      const secrets = await secretsOf('apply-dry');
      const answer = await on.api.patch('apply', as(`${secrets}/one`, 'me', '&dryRun=All'), secret('one', { a: '1' }));
      expect(answer.status).toBe(201);
      expect((await on.api.get(`${secrets}/one`)).status).toBe(404);
    });

    test('of YAML is taken as it is', async () => {
      const secrets = await secretsOf('apply-yaml');
      const text = 'apiVersion: v1\nkind: Secret\nmetadata:\n  name: one\nstringData:\n  a: "1"\n';
      const contentType = 'application/apply-patch+yaml';
      const { status } = await on.api.ask('PATCH', as(`${secrets}/one`, 'me'), { text, contentType });
      expect(status).toBe(201);
    });

    test('of our own kind owns the defaults only where it says them', async () => {
      const widgets = await widgetsOf('apply-own');
      const { body } = await on.api.patch('apply', as(`${widgets}/one`, 'me'), widget('one', { color: 'red' }));
      expect(body['spec']).toMatchObject({ color: 'red', size: 3 });
      const other = await on.api.patch('apply', as(`${widgets}/one`, 'you'), widget('one', { size: 4 }));
      expect(other).toMatchObject({ status: 200, body: { spec: { color: 'red', size: 4 } } });
    });

    test('merges lists that are maps by their key, sets by value, and atomic lists not at all', async () => {
      const widgets = await widgetsOf('apply-lists');
      const mine = { ports: [{ name: 'a', port: 1 }], tags: ['a'], whole: ['a'], words: { a: '1' } };
      const yours = { ports: [{ name: 'b', port: 2 }], tags: ['b'], words: { b: '2' } };
      await on.api.patch('apply', as(`${widgets}/one`, 'me'), widget('one', mine));
      const { body } = await on.api.patch('apply', as(`${widgets}/one`, 'you'), widget('one', yours));
      expect(body['spec']).toMatchObject({
        ports: [
          { name: 'a', port: 1 },
          { name: 'b', port: 2 },
        ],
        tags: ['a', 'b'],
        whole: ['a'],
        words: { a: '1', b: '2' },
      });
      const taken = await on.api.patch('apply', as(`${widgets}/one`, 'you'), widget('one', { whole: ['b'] }));
      expect(taken.status).toBe(409);
      const fewer = await on.api.patch('apply', as(`${widgets}/one`, 'you'), widget('one', {}));
      expect(fewer.body['spec']).toMatchObject({ ports: [{ name: 'a', port: 1 }], tags: ['a'], words: { a: '1' } });
    });

    test('of one item of a list that is a map conflicts about that item only', async () => {
      const widgets = await widgetsOf('apply-item');
      await on.api.patch('apply', as(`${widgets}/one`, 'me'), widget('one', { ports: [{ name: 'a', port: 1 }] }));
      const answer = await on.api.patch(
        'apply',
        as(`${widgets}/one`, 'you'),
        widget('one', { ports: [{ name: 'a', port: 2 }] }),
      );
      expect(answer).toMatchObject({
        status: 409,
        body: { message: 'Apply failed with 1 conflict: conflict with "me": .spec.ports[name="a"].port' },
      });
    });

    test('of a status owns the status alone', async () => {
      const widgets = await widgetsOf('apply-status');
      await on.api.patch('apply', as(`${widgets}/one`, 'me'), widget('one', { size: 4 }));
      const status = { phase: 'Up', conditions: [{ type: 'Ready', status: 'True' }] };
      const { kind, apiVersion } = widget('one') as { kind: string; apiVersion: string };
      const body = { apiVersion, kind, metadata: { name: 'one' }, status };
      const answer = await on.api.patch('apply', as(`${widgets}/one/status`, 'me'), body);
      expect(answer).toMatchObject({ status: 200, body: { spec: { size: 4 }, status } });
      expect(ownersIn(answer.body)).toEqual(['me Apply', 'me Apply status']);
      const other = { ...body, status: { conditions: [{ type: 'Other', status: 'False' }] } };
      const both = await on.api.patch('apply', as(`${widgets}/one/status`, 'you'), other);
      expect(both.body['status']).toMatchObject({ conditions: [{ type: 'Ready' }, { type: 'Other' }] });
    });

    test('of our own kind is validated', async () => {
      const widgets = await widgetsOf('apply-invalid');
      expect((await on.api.patch('apply', as(`${widgets}/one`, 'me'), widget('one', { size: 11 }))).status).toBe(422);
    });

    test('of cluster-scoped kinds works the same', async () => {
      const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'applied', labels: { a: 'b' } } };
      expect(await on.api.patch('apply', byForce('/api/v1/namespaces/applied', 'me'), namespace)).toMatchObject({
        status: 201,
        body: { status: { phase: 'Active' }, metadata: { labels: { 'kubernetes.io/metadata.name': 'applied' } } },
      });
    });
  },
};
