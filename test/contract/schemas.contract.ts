import { expect, test } from 'vitest';
import { trustDomainDefaults } from '../../src/api/trust-domain.ts';
import { runtimeTrustsIn, trustDomain, trustDomainsIn, widget, widgetsIn } from './objects.ts';
import type { Part } from './part.ts';

const definitions = '/apis/apiextensions.k8s.io/v1/customresourcedefinitions';
const definition = (plural: string, kind: string, schema: Readonly<Record<string, unknown>>) => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: `${plural}.other.example` },
  spec: {
    group: 'other.example',
    scope: 'Cluster',
    names: { kind, plural },
    versions: [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schema } }],
  },
});

export const schemas: Part = {
  title: 'definitions and their schemas',
  file: 'schemas',
  cases: (on) => {
    const widgetsOf = async (name: string): Promise<string> => widgetsIn(await on.api.namespace(name));
    const domainsOf = async (name: string): Promise<string> => trustDomainsIn(await on.api.namespace(name));

    test('fill in the defaults of a TrustDomain as we do', async () => {
      const { status, body } = await on.api.post(await domainsOf('schema-defaults'), trustDomain('one'));
      expect(status).toBe(201);
      expect(body['spec']).toEqual(trustDomainDefaults());
    });

    test('fill in the rest of what a TrustDomain says in part', async () => {
      const spec = {
        rootSecretRef: { name: 'root' },
        issuer: { privateKey: { algorithm: 'ECDSA', size: 256 } },
      } as const;
      const { body } = await on.api.post(await domainsOf('schema-part'), trustDomain('one', spec));
      expect(body['spec']).toEqual(trustDomainDefaults(spec));
    });

    test.each<[string, unknown]>([
      ['two kinds of fleet', { runtimes: { kyma: {}, selector: { namespace: 'a', matchLabels: {} } } }],
      ['no kind of fleet', { runtimes: { webhook: { name: 'x' } } }],
      ['a runtime given up too early', { proof: { unprovableAfter: '1m' } }],
      ['a renewal at once', { issuer: { duration: '1h', renewBefore: '1h' } }],
      ['an RSA key of 256 bits', { issuer: { privateKey: { size: 256 } } }],
      ['a duration without a unit', { skewMargin: '5' }],
      ['a revoked root that is no digest', { revoked: [{ publicKey: 'CN=root' }] }],
      ['a probe of no port', { probe: { addresses: [{ host: 'a', port: 0 }] } }],
      ['a probe without a host', { probe: { addresses: [{ port: 1 }] } }],
      ['a mode that does not exist', { serverCertificate: { mode: 'none' } }],
      ['a name of another type', { rootSecretRef: { name: 7 } }],
      ['an empty name', { rootSecretRef: { name: '' } }],
    ])('refuse a TrustDomain with %s', async (title, spec) => {
      const domains = await domainsOf('schema-refused');
      const answer = await on.api.post(
        domains,
        trustDomain(title.replaceAll(' ', '-').toLowerCase(), spec as Readonly<Record<string, unknown>>),
      );
      expect(answer).toMatchObject({
        status: 422,
        body: { reason: 'Invalid', details: { group: 'keyturn.kyma-project.io', kind: 'TrustDomain' } },
      });
    });

    test.each<[string, unknown]>([
      ['the gateway Secret', { gatewaySecretRef: { name: 'other' } }],
      ['the Secret of the runtimes', { runtimes: { secret: { name: 'other' } } }],
      ['where the Kymas are', { runtimes: { kyma: { namespace: 'other' } } }],
      ['the kind of the fleet', { runtimes: { kyma: null, selector: { namespace: 'a', matchLabels: {} } } }],
    ])('refuse to change %s of a TrustDomain', async (title, spec) => {
      const domains = await domainsOf('schema-fixed');
      const name = title.replaceAll(' ', '-').toLowerCase();
      await on.api.post(domains, trustDomain(name, { runtimes: { kyma: {} } }));
      expect(await on.api.patch('merge', `${domains}/${name}`, { spec })).toMatchObject({ status: 422 });
      expect((await on.api.patch('merge', `${domains}/${name}`, { spec: { paused: true } })).status).toBe(200);
    });

    test('keep the TrustDomain that a RuntimeTrust belongs to', async () => {
      const records = runtimeTrustsIn(await on.api.namespace('schema-record'));
      const spec = (name: string) => ({ trustDomainRef: { name } });
      const body = { apiVersion: 'keyturn.kyma-project.io/v1alpha1', kind: 'RuntimeTrust', metadata: { name: 'one' } };
      expect((await on.api.post(records, body)).status).toBe(422);
      expect((await on.api.post(records, { ...body, spec: spec('a') })).status).toBe(201);
      expect((await on.api.patch('merge', `${records}/one`, { spec: spec('b') })).status).toBe(422);
    });

    test.each<[string, Readonly<Record<string, unknown>>]>([
      ['too small', { size: 0 }],
      ['too large', { size: 11 }],
      ['no integer', { size: 1.5 }],
      ['text in place of a number', { size: '3' }],
      ['not in the list', { color: 'blue' }],
      ['too long', { label: 'abcdef' }],
      ['of another pattern', { label: 'A' }],
      ['null where null is not allowed', { color: null, words: null }],
      ['too many items', { numbers: [1, 2, 3, 4] }],
      ['an item of another type', { numbers: ['a'] }],
      ['twice in a set', { tags: ['a', 'a'] }],
      ['twice under one key', { ports: [{ name: 'a' }, { name: 'a' }] }],
      ['without the key of its list', { ports: [{ port: 1 }] }],
      ['a map value of another type', { words: { a: 1 } }],
      ['against a rule', { wait: '20s' }],
      ['against a rule of two fields', { wait: '2s', limit: '1s' }],
    ])('judge a value that is %s', async (title, spec) => {
      const widgets = await widgetsOf('schema-values');
      const { status } = await on.api.post(widgets, widget(title.replaceAll(' ', '-'), spec));
      expect(status).toBe(title.startsWith('null') ? 201 : 422);
    });

    test('name each fault of an object that has several', async () => {
      const { body } = await on.api.post(
        await widgetsOf('schema-several'),
        widget('one', { size: 11, color: 'blue' }),
        {
          compare: false,
        },
      );
      expect((body['details'] as { causes: { field: string }[] }).causes.map(({ field }) => field).sort()).toEqual([
        // Rules are not looked at before the rest is in order; this cause says so.
        '<nil>',
        'spec.color',
        'spec.size',
      ]);
    });

    test('prune what they do not describe, and keep what is to be kept as it is', async () => {
      const spec = { unknown: 1, free: { anything: [{ goes: true }] }, ports: [{ name: 'a', unknown: 1 }] };
      const { body } = await on.api.post(await widgetsOf('schema-prune'), { ...widget('one', spec), beside: 1 });
      expect(body['spec']).toEqual({
        size: 3,
        wait: '5s',
        limit: '10s',
        free: { anything: [{ goes: true }] },
        ports: [{ name: 'a', port: 80 }],
      });
      expect(body['beside']).toBeUndefined();
    });

    test('keep a null where it is allowed, and put the default in its place where it is not', async () => {
      const { body } = await on.api.post(await widgetsOf('schema-null'), widget('one', { label: null, size: null }));
      expect(body['spec']).toMatchObject({ label: null, size: 3 });
    });

    test('judge a transition by the old value and the new', async () => {
      const widgets = await widgetsOf('schema-transition');
      await on.api.post(widgets, widget('one', { fixed: 'a' }));
      expect(await on.api.patch('merge', `${widgets}/one`, { spec: { fixed: 'b' } })).toMatchObject({
        status: 422,
        body: {
          details: { causes: [{ field: 'spec.fixed', message: expect.stringContaining('fixed cannot be changed') }] },
        },
      });
      expect((await on.api.patch('merge', `${widgets}/one`, { spec: { fixed: null } })).status).toBe(200);
      expect((await on.api.patch('merge', `${widgets}/one`, { spec: { fixed: 'b' } })).status).toBe(200);
    });

    test('keep what a schema without fields says is unknown', async () => {
      const namespace = await on.api.namespace('schema-kyma');
      const kymas = `/apis/operator.kyma-project.io/v1beta2${namespace.slice('/api/v1'.length)}/kymas`;
      const kyma = { apiVersion: 'operator.kyma-project.io/v1beta2', kind: 'Kyma', metadata: { name: 'one' } };
      const spec = { channel: 'regular', modules: [{ name: 'a' }] };
      const { body } = await on.api.post(kymas, { ...kyma, spec });
      expect(body['spec']).toEqual(spec);
    });

    test('take a new definition, serve it, and take it away with all its objects', async () => {
      const schema = {
        type: 'object',
        properties: { spec: { type: 'object', properties: { a: { type: 'string' } } } },
      };
      const created = await on.api.post(definitions, definition('gadgets', 'Gadget', schema), { compare: false });
      expect(created.status).toBe(201);
      const path = `${definitions}/gadgets.other.example`;
      const established = await on.api.eventually(
        () => on.api.get(path, { compare: false }),
        ({ body }) => JSON.stringify(body['status']).includes('InitialNamesAccepted'),
      );
      expect(established.body['status']).toMatchObject({
        acceptedNames: { kind: 'Gadget', listKind: 'GadgetList', plural: 'gadgets', singular: 'gadget' },
        conditions: [
          { type: 'NamesAccepted', status: 'True', reason: 'NoConflicts', message: 'no conflicts found' },
          {
            type: 'Established',
            status: 'True',
            reason: 'InitialNamesAccepted',
            message: 'the initial names have been accepted',
          },
        ],
        storedVersions: ['v1'],
      });
      const gadgets = '/apis/other.example/v1/gadgets';
      await on.api.eventually(
        () => on.api.get(gadgets, { compare: false }),
        ({ status }) => status === 200,
      );
      const gadget = { apiVersion: 'other.example/v1', kind: 'Gadget', metadata: { name: 'one' }, spec: { a: 'b' } };
      expect((await on.api.post(gadgets, gadget)).status).toBe(201);
      expect((await on.api.delete(path, { compare: false })).status).toBe(200);
      const gone = await on.api.eventually(
        () => on.api.get(gadgets, { compare: false }),
        ({ status }) => status === 404,
      );
      expect(gone.status).toBe(404);
      const away = await on.api.eventually(
        () => on.api.get(path, { compare: false }),
        ({ status }) => status === 404,
      );
      expect(away.status).toBe(404);
    });

    test('take a definition that is applied, once and with more in it', async () => {
      const path = `${definitions}/gears.other.example?fieldManager=keyturn&force=true`;
      const apply = (properties: Readonly<Record<string, unknown>>) =>
        on.api.patch('apply', path, definition('gears', 'Gear', { type: 'object', properties }), { compare: false });
      expect(await apply({ a: { type: 'string' } })).toMatchObject({
        status: 201,
        body: { metadata: { generation: 1 } },
      });
      expect(await apply({ a: { type: 'string' } })).toMatchObject({
        status: 200,
        body: { metadata: { generation: 1 } },
      });
      const more = await apply({ a: { type: 'string' }, b: { type: 'integer' } });
      expect(more).toMatchObject({ status: 200, body: { metadata: { generation: 2 } } });
      const gear = { apiVersion: 'other.example/v1', kind: 'Gear', metadata: { name: 'one' }, a: 'b' };
      const made = await on.api.eventually(
        () => on.api.post('/apis/other.example/v1/gears', { ...gear, b: 'no number' }, { compare: false }),
        ({ status }) => status === 422,
      );
      expect(made).toMatchObject({ status: 422, body: { message: expect.stringContaining('b: Invalid value') } });
    });

    test('refuse a definition whose name is not that of its resource', async () => {
      const wrong = { ...definition('gizmos', 'Gizmo', { type: 'object' }), metadata: { name: 'other.other.example' } };
      expect((await on.api.post(definitions, wrong, { compare: false })).status).toBe(422);
    });
  },
};
