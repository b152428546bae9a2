import { expect, test } from 'vitest';
import type { Part } from './part.ts';

const aggregated = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList,application/json';

interface Group {
  readonly metadata: { readonly name: string };
  readonly versions: readonly {
    readonly version: string;
    readonly resources: readonly { readonly resource: string }[];
  }[];
}

export const discovery: Part = {
  title: 'discovery',
  file: 'discovery',
  cases: (on) => {
    test.each(['/readyz', '/livez', '/healthz'])('answers ok under %s', async (path) => {
      expect(await on.api.get(path)).toMatchObject({ status: 200, body: 'ok' });
    });

    test('tells the version as two numbers and a text', async () => {
      const { body } = await on.api.get('/version', { compare: false });
      expect(body).toMatchObject({ major: '1', gitVersion: expect.stringMatching(/^v1\.\d+\.\d+/) });
      expect(body['minor']).toMatch(/^\d+\+?$/);
    });

    test('names v1 as the only version of the core group', async () => {
      const { body } = await on.api.get('/api', { compare: false });
      expect(body).toMatchObject({ kind: 'APIVersions', versions: ['v1'] });
    });

    test('lists the groups with their preferred version', async () => {
      const { body } = await on.api.get('/apis', { compare: false });
      expect(body.kind).toBe('APIGroupList');
      for (const [name, version] of [
        ['keyturn.kyma-project.io', 'v1alpha1'],
        ['coordination.k8s.io', 'v1'],
        ['events.k8s.io', 'v1'],
        ['rbac.authorization.k8s.io', 'v1'],
        ['admissionregistration.k8s.io', 'v1'],
        ['apiextensions.k8s.io', 'v1'],
        ['authentication.k8s.io', 'v1'],
        ['authorization.k8s.io', 'v1'],
      ]) {
        expect(body['groups']).toContainEqual(
          expect.objectContaining({
            name,
            preferredVersion: { groupVersion: `${name}/${version}`, version },
          }),
        );
      }
    });

    test('describes one group', async () => {
      const { body } = await on.api.get('/apis/keyturn.kyma-project.io');
      expect(body).toMatchObject({ kind: 'APIGroup', name: 'keyturn.kyma-project.io' });
    });

    test('lists our own resources with their short names and subresources', async () => {
      const { body } = await on.api.get('/apis/keyturn.kyma-project.io/v1alpha1', { compare: false });
      const withoutHashes = (body['resources'] as Record<string, unknown>[]).map(
        ({ storageVersionHash: _, ...rest }) => rest,
      );
      const verbs = ['delete', 'deletecollection', 'get', 'list', 'patch', 'create', 'update', 'watch'];
      expect(withoutHashes).toContainEqual({
        name: 'trustdomains',
        singularName: 'trustdomain',
        namespaced: true,
        kind: 'TrustDomain',
        verbs,
        shortNames: ['td'],
        categories: ['keyturn'],
      });
      expect(withoutHashes).toContainEqual({
        name: 'runtimetrusts/status',
        singularName: '',
        namespaced: true,
        kind: 'RuntimeTrust',
        verbs: ['get', 'patch', 'update'],
      });
    });

    test.each([
      ['/api/v1', 'secrets', 'Secret', true],
      ['/api/v1', 'namespaces', 'Namespace', false],
      ['/api/v1', 'pods', 'Pod', true],
      ['/api/v1', 'services', 'Service', true],
      ['/api/v1', 'serviceaccounts', 'ServiceAccount', true],
      ['/api/v1', 'events', 'Event', true],
      ['/apis/events.k8s.io/v1', 'events', 'Event', true],
      ['/apis/coordination.k8s.io/v1', 'leases', 'Lease', true],
      [
        '/apis/admissionregistration.k8s.io/v1',
        'validatingwebhookconfigurations',
        'ValidatingWebhookConfiguration',
        false,
      ],
      ['/apis/rbac.authorization.k8s.io/v1', 'clusterroles', 'ClusterRole', false],
      ['/apis/apiextensions.k8s.io/v1', 'customresourcedefinitions', 'CustomResourceDefinition', false],
    ])('of %s lists %s', async (path, name, kind, namespaced) => {
      const { body } = await on.api.get(path, { compare: false });
      expect(body).toMatchObject({ kind: 'APIResourceList' });
      expect(body['resources']).toContainEqual(
        expect.objectContaining({
          name,
          kind,
          namespaced,
          verbs: expect.arrayContaining(['create', 'delete', 'get', 'list', 'patch', 'update', 'watch']),
        }),
      );
    });

    test.each(['/api', '/apis'])('in one answer for all groups under %s, as kubectl asks for it', async (path) => {
      const { status, body } = await on.api.get(path, { accept: aggregated, compare: false });
      expect(status).toBe(200);
      expect(body).toMatchObject({ kind: 'APIGroupDiscoveryList', apiVersion: 'apidiscovery.k8s.io/v2' });
      const groups = body.items as unknown as readonly Group[];
      const resources = groups.flatMap(({ metadata, versions }) =>
        versions.flatMap(({ version, resources: all }) =>
          all.map(({ resource }) => `${metadata.name ?? ''}/${version}/${resource}`),
        ),
      );
      const expected =
        path === '/api' ? ['undefined/v1/secrets', '/v1/secrets'] : ['keyturn.kyma-project.io/v1alpha1/trustdomains'];
      expect(expected.some((one) => resources.includes(one))).toBe(true);
    });

    test('has an OpenAPI document for each group, in which a patch takes fieldValidation', async () => {
      const index = await on.api.get('/openapi/v3', { compare: false });
      const paths = index.body['paths'] as Readonly<Record<string, { readonly serverRelativeURL: string }>>;
      for (const group of ['api/v1', 'apis/keyturn.kyma-project.io/v1alpha1', 'apis/coordination.k8s.io/v1']) {
        const { serverRelativeURL = '' } = paths[group] ?? {};
        const { status, body } = await on.api.get(serverRelativeURL, { compare: false });
        expect(status).toBe(200);
        expect(JSON.stringify(body)).toContain('"fieldValidation"');
      }
    });

    test.each(['/apis/nothing.example', '/apis/nothing.example/v1', '/api/v2', '/nothing'])(
      'answers that there is no %s',
      async (path) => {
        expect(await on.api.get(path)).toMatchObject({ status: 404 });
      },
    );

    test.each([
      '/api/v1/namespaces/default/nothings',
      '/api/v1/namespaces/default/nothings/one',
      '/apis/keyturn.kyma-project.io/v1alpha1/namespaces/default/nothings',
      '/apis/nothing.example/v1/namespaces/default/nothings',
    ])('answers that there is no resource %s', async (path) => {
      expect(await on.api.get(path)).toMatchObject({ status: 404 });
    });
  },
};
