import { beforeAll, expect, test } from 'vitest';
import { hubRbac, runtimeRbac } from '../../src/api/rbac.ts';
import { trustDomainDefaults } from '../../src/api/trust-domain.ts';
import { createCa, issueLeaf } from '../../world/certificates.ts';
import { leasesIn, secret, trustDomain, trustDomainsIn } from './objects.ts';
import type { Part } from './part.ts';

const group = '/apis/rbac.authorization.k8s.io/v1';

export const access: Part = {
  title: 'access',
  file: 'access',
  cases: (on) => {
    const tokenOf = async (namespace: string, account: string): Promise<string> => {
      const path = `/api/v1/namespaces/${namespace}/serviceaccounts/${account}/token`;
      const spec = { expirationSeconds: 3_600 };
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec };
      const answer = await on.api.post(path, body, { compare: false });
      return (answer.body['status'] as { readonly token: string }).token;
    };
    let hub: string;
    let runtime: string;
    const untilAllowed = (path: string, token: string) =>
      on.api.eventually(
        () => on.api.get(path, { token, compare: false }),
        ({ status }) => status !== 403,
      );

    beforeAll(async () => {
      for (const name of ['kcp-system', 'istio-system', 'kyma-system']) await on.api.namespace(name);
      const spec = trustDomainDefaults();
      for (const manifest of [...hubRbac(spec, 'kcp-system'), ...runtimeRbac(spec)]) {
        const { apiVersion, kind, metadata } = manifest;
        const base = apiVersion === 'v1' ? '/api/v1' : `/apis/${apiVersion}`;
        const scope = metadata.namespace === undefined ? '' : `/namespaces/${metadata.namespace}`;
        const path = `${base}${scope}/${kind.toLowerCase()}s/${metadata.name}`;
        const { status } = await on.api.patch('apply', `${path}?fieldManager=contract&force=true`, manifest);
        if (status >= 300) throw new Error(`${path} was answered ${status}`);
      }
      hub = await tokenOf('kcp-system', 'keyturn');
      runtime = await tokenOf('kyma-system', 'keyturn');
      await untilAllowed('/api/v1/namespaces/istio-system/secrets', hub);
      await untilAllowed('/api/v1/namespaces/kyma-system/secrets/skr-webhook-tls', runtime);
      await untilAllowed('/api/v1/namespaces/kube-system', runtime);
    });

    test('with a token that nobody gave is answered 401', async () => {
      expect(await on.api.get('/api/v1/namespaces', { token: 'wrong' })).toMatchObject({
        status: 401,
        body: { kind: 'Status', status: 'Failure', message: 'Unauthorized', reason: 'Unauthorized', code: 401 },
      });
    });

    test('without a token is that of a stranger, who may look at the health and at little else', async () => {
      expect(await on.api.get('/api/v1/namespaces', { token: null })).toMatchObject({
        status: 403,
        body: {
          reason: 'Forbidden',
          message:
            'namespaces is forbidden: User "system:anonymous" cannot list resource "namespaces" in API group "" at the cluster scope',
          details: { kind: 'namespaces' },
        },
      });
      expect((await on.api.get('/readyz', { token: null })).status).toBe(200);
      expect((await on.api.get('/version', { token: null, compare: false })).status).toBe(200);
    });

    test('of a stranger to a path outside of resources is refused by its name', async () => {
      expect((await on.api.get('/metrics', { token: null })).body.message).toBe(
        'forbidden: User "system:anonymous" cannot get path "/metrics"',
      );
    });

    test('of any account includes discovery', async () => {
      for (const path of ['/api', '/apis', '/version', '/openapi/v3']) {
        expect((await on.api.get(path, { token: runtime, compare: false })).status).toBe(200);
      }
    });

    test('of the operator on the hub covers what its roles say', async () => {
      for (const path of [
        '/api/v1/namespaces/istio-system/secrets',
        '/api/v1/namespaces/istio-system/pods',
        '/api/v1/namespaces/istio-system/services',
        '/api/v1/namespaces/kcp-system/secrets',
        '/apis/keyturn.kyma-project.io/v1alpha1/namespaces/kcp-system/trustdomains',
        '/apis/operator.kyma-project.io/v1beta2/namespaces/kcp-system/kymas',
      ]) {
        expect(await on.api.get(path, { token: hub, compare: false }), path).toMatchObject({ status: 200 });
      }
    });

    test.each([
      ['list', 'Secrets of all namespaces', '/api/v1/secrets'],
      ['list', 'Secrets of a namespace it has no role in', '/api/v1/namespaces/default/secrets'],
      ['get', 'a namespace', '/api/v1/namespaces/istio-system'],
      [
        'get',
        'the status of a TrustDomain',
        '/apis/keyturn.kyma-project.io/v1alpha1/namespaces/kcp-system/trustdomains/one/status',
      ],
      ['list', 'config maps', '/api/v1/namespaces/istio-system/configmaps'],
      ['get', 'a pod by name', '/api/v1/namespaces/istio-system/pods/one'],
    ])('of the operator on the hub does not let it %s %s', async (_verb, _what, path) => {
      expect(await on.api.get(path, { token: hub })).toMatchObject({ status: 403, body: { reason: 'Forbidden' } });
    });

    test('to Secrets by name lets the operator write the gateway Secret and no other', async () => {
      const secrets = '/api/v1/namespaces/istio-system/secrets';
      const { body: gateway } = await on.api.post(secrets, secret('klm-istio-gateway'), { token: hub });
      expect((await on.api.put(`${secrets}/klm-istio-gateway`, gateway, { token: hub })).status).toBe(200);
      const { body: root } = await on.api.post(secrets, secret('klm-watcher'));
      expect(await on.api.put(`${secrets}/klm-watcher`, root, { token: hub })).toMatchObject({
        status: 403,
        body: {
          message:
            'secrets "klm-watcher" is forbidden: User "system:serviceaccount:kcp-system:keyturn" cannot update resource "secrets" in API group "" in the namespace "istio-system"',
          details: { name: 'klm-watcher', kind: 'secrets' },
        },
      });
      expect((await on.api.patch('merge', `${secrets}/klm-istio-gateway`, {}, { token: hub })).status).toBe(403);
    });

    test('to a status lets the operator write that and not the object', async () => {
      const domains = trustDomainsIn('/api/v1/namespaces/kcp-system');
      const { body } = await on.api.post(domains, trustDomain('one'));
      expect((await on.api.put(`${domains}/one/status`, body, { token: hub })).status).toBe(200);
      expect((await on.api.put(`${domains}/one`, body, { token: hub })).status).toBe(403);
    });

    test('to Leases lets the operator hold one and delete none', async () => {
      const leases = leasesIn('/api/v1/namespaces/kcp-system');
      const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'one' } };
      const { status, body } = await on.api.post(leases, lease, { token: hub });
      expect(status).toBe(201);
      expect(
        (await on.api.put(`${leases}/one`, { ...body, spec: { holderIdentity: 'me' } }, { token: hub })).status,
      ).toBe(200);
      expect((await on.api.delete(`${leases}/one`, { token: hub })).status).toBe(403);
    });

    test('of the operator to a runtime is one Secret, one webhook and the name of the cluster', async () => {
      const secrets = '/api/v1/namespaces/kyma-system/secrets';
      const hooks = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';
      expect((await on.api.post(secrets, secret('skr-webhook-tls'), { token: runtime })).status).toBe(201);
      expect((await on.api.get(`${secrets}/skr-webhook-tls`, { token: runtime })).status).toBe(200);
      expect((await on.api.get('/api/v1/namespaces/kube-system', { token: runtime, compare: false })).status).toBe(200);
      expect((await on.api.get(`${hooks}/skr-webhook`, { token: runtime })).status).toBe(404);
      expect((await on.api.get(`${hooks}/other`, { token: runtime })).status).toBe(403);
      expect((await on.api.get(secrets, { token: runtime })).status).toBe(403);
      expect((await on.api.get('/api/v1/namespaces/kyma-system', { token: runtime })).status).toBe(403);
    });

    test('by name to a list or watch holds where the name is selected', async () => {
      const scope = `${group}/namespaces/default`;
      const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'Role', metadata: { name: 'one-secret' } };
      const rules = [
        { apiGroups: [''], resources: ['secrets'], resourceNames: ['one'], verbs: ['list', 'watch', 'get'] },
      ];
      await on.api.post(`${scope}/roles`, { ...role, rules });
      await on.api.post(`${scope}/rolebindings`, {
        ...role,
        kind: 'RoleBinding',
        roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'one-secret' },
        subjects: [{ kind: 'ServiceAccount', name: 'keyturn', namespace: 'kyma-system' }],
      });
      const secrets = '/api/v1/namespaces/default/secrets';
      const selected = `${secrets}?fieldSelector=metadata.name%3Done`;
      expect((await untilAllowed(selected, runtime)).status).toBe(200);
      expect((await on.api.get(secrets, { token: runtime })).status).toBe(403);
      await on.api.delete(`${scope}/rolebindings/one-secret`);
      const gone = await on.api.eventually(
        () => on.api.get(selected, { token: runtime, compare: false }),
        ({ status }) => status === 403,
      );
      expect(gone.status).toBe(403);
    });

    test('to another role than before cannot be given by the same binding', async () => {
      const bindings = `${group}/namespaces/kcp-system/rolebindings/keyturn`;
      const { body } = await on.api.get(bindings);
      const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'other' };
      expect((await on.api.put(bindings, { ...body, roleRef })).status).toBe(422);
    });

    test('can be asked for before it is needed', async () => {
      const review = (resource: string, verb: string, name?: string) => ({
        apiVersion: 'authorization.k8s.io/v1',
        kind: 'SelfSubjectAccessReview',
        spec: {
          resourceAttributes: { namespace: 'kyma-system', verb, resource, ...(name === undefined ? {} : { name }) },
        },
      });
      const path = '/apis/authorization.k8s.io/v1/selfsubjectaccessreviews';
      const may = async (resource: string, verb: string, name?: string) =>
        (await on.api.post(path, review(resource, verb, name), { token: runtime, compare: false })).body['status'];
      expect(await may('secrets', 'get', 'skr-webhook-tls')).toMatchObject({ allowed: true });
      expect(await may('secrets', 'list')).toMatchObject({ allowed: false });
    });

    test('with a token of an account that was deleted is answered 401', async () => {
      const accounts = '/api/v1/namespaces/default/serviceaccounts';
      await on.api.post(accounts, { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'short' } });
      const token = await tokenOf('default', 'short');
      expect((await on.api.get('/version', { token, compare: false })).status).toBe(200);
      await on.api.delete(`${accounts}/short`);
      const gone = await on.api.eventually(
        () => on.api.get('/api', { token, compare: false }),
        ({ status }) => status === 401,
      );
      expect(gone.status).toBe(401);
    });

    test('with a token for an account that does not exist cannot be asked for', async () => {
      const path = '/api/v1/namespaces/default/serviceaccounts/nobody/token';
      const body = { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: {} };
      expect((await on.api.post(path, body)).status).toBe(404);
    });

    const withCertificate = async (
      certificate: Promise<{ readonly certificatePem: string; readonly keyPem: string }>,
    ) => {
      const { certificatePem, keyPem } = await certificate;
      return { certificate: { cert: certificatePem, key: keyPem } };
    };

    test('with a client certificate is that of its common name and organisations', async () => {
      const path = '/api/v1/namespaces/default/secrets';
      const visitor = await withCertificate(on.server.clientCertificate('visitor'));
      expect((await on.api.get(path, visitor)).body.message).toContain('User "visitor" cannot list');
      const master = await withCertificate(on.server.clientCertificate('root', 'system:masters'));
      expect((await on.api.get(path, { ...master, compare: false })).status).toBe(200);
    });

    test('with a client certificate of another authority is answered 401', async () => {
      const stranger = await withCertificate(
        issueLeaf(await createCa({ commonName: 'other' }), { commonName: 'root' }),
      );
      expect((await on.api.get('/api/v1/namespaces/default/secrets', stranger)).status).toBe(401);
    });

    test('with a client certificate and a token is that of the certificate', async () => {
      const visitor = await withCertificate(on.server.clientCertificate('visitor'));
      const both = { ...visitor, token: on.server.adminToken };
      expect((await on.api.get('/api/v1/namespaces/default/secrets', both)).status).toBe(403);
    });

    test('in the name of another is that of the other', async () => {
      const secrets = '/api/v1/namespaces/default/secrets';
      const as = (user: string, ...groups: string[]) => ({
        headers: { 'impersonate-user': user, ...(groups.length === 0 ? {} : { 'impersonate-group': groups }) },
      });
      const account = 'system:serviceaccount:kyma-system:keyturn';
      expect((await on.api.get(secrets, as(account))).body.message).toContain(`User "${account}" cannot list`);
      const own = '/api/v1/namespaces/kube-system';
      expect((await on.api.get(own, { ...as(account), compare: false })).status).toBe(200);
      expect((await on.api.get(secrets, as('visitor'))).status).toBe(403);
      expect((await on.api.get(secrets, { ...as('visitor', 'a', 'system:masters'), compare: false })).status).toBe(200);
    });

    test('in the name of another needs a role that allows it', async () => {
      const secrets = '/api/v1/namespaces/default/secrets';
      const as = (user: string) => ({ token: runtime, headers: { 'impersonate-user': user } });
      expect((await on.api.get(secrets, as('visitor'))).status).toBe(403);
      expect((await on.api.get(secrets, as('system:serviceaccount:default:one'))).status).toBe(403);
    });

    test('in the name of a group alone is refused', async () => {
      const headers = { 'impersonate-group': 'system:masters' };
      expect((await on.api.get('/api/v1/namespaces/default/secrets', { headers })).status).toBe(400);
    });
  },
};
