import { afterAll, beforeAll, beforeEach, expect, test } from 'vitest';
import { createCa } from '../../world/certificates.ts';
import { base64, secret, widget, widgetsIn } from './objects.ts';
import type { Part } from './part.ts';
import { startWebhookServer, type WebhookServer } from './webhook-server.ts';

const configurations = '/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations';

export const webhooks: Part = {
  title: 'admission webhooks',
  file: 'webhooks',
  cases: (on) => {
    let hook: WebhookServer;
    beforeAll(async () => {
      hook = await startWebhookServer();
    });
    afterAll(() => hook?.stop());
    beforeEach(() => {
      hook.answer = { allowed: true };
      hook.requests.length = 0;
    });

    /** Registers the hook for the Secrets and Widgets of a namespace of its own, and waits until it is asked. */
    const register = async (name: string, more: Readonly<Record<string, unknown>> = {}, caPem = hook.caPem) => {
      const namespace = await on.api.namespace(name);
      const entry = {
        name: `${name}.contract.example`,
        admissionReviewVersions: ['v1'],
        sideEffects: 'None',
        timeoutSeconds: 2,
        failurePolicy: 'Fail',
        clientConfig: { url: hook.url, caBundle: base64(caPem) },
        namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': name } },
        rules: [
          {
            apiGroups: ['', 'contract.example'],
            apiVersions: ['*'],
            resources: ['secrets', 'widgets', 'widgets/status'],
            operations: ['CREATE', 'UPDATE', 'DELETE'],
          },
        ],
        ...more,
      };
      const body = {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name },
        webhooks: [entry],
      };
      await on.api.post(configurations, body, { compare: false });
      return namespace;
    };
    /** A real API server learns of a configuration a moment after it was written. */
    const untilAsked = async (namespace: string) => {
      hook.answer = { allowed: false };
      await on.api.eventually(
        () => on.api.post(`${namespace}/secrets?dryRun=All`, secret('probe'), { compare: false }),
        ({ status }) => status >= 400,
      );
      hook.answer = { allowed: true };
      hook.requests.length = 0;
    };

    test('have defaults filled in', async () => {
      const body = {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'hook-defaults' },
        webhooks: [
          {
            name: 'a.example.com',
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
            clientConfig: { url: 'https://localhost:9/' },
          },
        ],
      };
      const answer = await on.api.post(configurations, body);
      expect(answer.body['webhooks']).toMatchObject([
        {
          failurePolicy: 'Fail',
          matchPolicy: 'Equivalent',
          namespaceSelector: {},
          objectSelector: {},
          timeoutSeconds: 10,
        },
      ]);
      expect(answer.body.metadata['generation']).toBe(1);
      const changed = await on.api.put(`${configurations}/hook-defaults`, {
        ...answer.body,
        webhooks: [{ ...(answer.body['webhooks'] as object[])[0], timeoutSeconds: 1 }],
      });
      expect(changed.body.metadata['generation']).toBe(2);
    });

    test('with a caBundle that is no PEM are taken all the same', async () => {
      const body = {
        apiVersion: 'admissionregistration.k8s.io/v1',
        kind: 'ValidatingWebhookConfiguration',
        metadata: { name: 'hook-pem' },
        webhooks: [
          {
            name: 'a.example.com',
            admissionReviewVersions: ['v1'],
            sideEffects: 'None',
            clientConfig: { url: 'https://localhost:9/', caBundle: base64('no PEM') },
          },
        ],
      };
      expect((await on.api.post(configurations, body)).status).toBe(201);
    });

    test('are asked about a new object with all that is known of it', async () => {
      const namespace = await register('hook-create');
      await untilAsked(namespace);
      expect((await on.api.post(`${namespace}/secrets`, secret('one', { a: '1' }))).status).toBe(201);
      expect(hook.requests).toHaveLength(1);
      expect(hook.requests[0]).toMatchObject({
        uid: expect.stringMatching(/^[0-9a-f-]{36}$/),
        kind: { group: '', version: 'v1', kind: 'Secret' },
        resource: { group: '', version: 'v1', resource: 'secrets' },
        requestKind: { group: '', version: 'v1', kind: 'Secret' },
        requestResource: { group: '', version: 'v1', resource: 'secrets' },
        name: 'one',
        namespace: 'hook-create',
        operation: 'CREATE',
        userInfo: { username: 'admin', groups: ['system:masters', 'system:authenticated'] },
        object: { kind: 'Secret', metadata: { name: 'one', namespace: 'hook-create' }, data: { a: base64('1') } },
        oldObject: null,
        dryRun: false,
        options: { kind: 'CreateOptions', apiVersion: 'meta.k8s.io/v1' },
      });
    });

    test('are asked about a change with the object before and after, and about a deletion with the object before', async () => {
      const namespace = await register('hook-change');
      await untilAsked(namespace);
      const path = `${widgetsIn(namespace)}/one`;
      await on.api.post(widgetsIn(namespace), widget('one'));
      await on.api.patch('merge', path, { spec: { size: 4 } });
      await on.api.patch('merge', `${path}/status`, { status: { phase: 'Up' } });
      await on.api.delete(path);
      expect(hook.requests).toMatchObject([
        { operation: 'CREATE', object: { spec: { size: 3 } } },
        { operation: 'UPDATE', object: { spec: { size: 4 } }, oldObject: { spec: { size: 3 } } },
        { operation: 'UPDATE', subResource: 'status', object: { status: { phase: 'Up' } } },
        { operation: 'DELETE', object: null, oldObject: { spec: { size: 4 } } },
      ]);
    });

    test('that deny are answered 400 with their message', async () => {
      const namespace = await register('hook-deny');
      await untilAsked(namespace);
      hook.answer = { allowed: false, status: { message: 'not today' } };
      expect(await on.api.post(`${namespace}/secrets`, secret('one'))).toMatchObject({
        status: 400,
        body: {
          status: 'Failure',
          message: 'admission webhook "hook-deny.contract.example" denied the request: not today',
          code: 400,
        },
      });
      expect((await on.api.get(`${namespace}/secrets/one`)).status).toBe(404);
    });

    test('that deny without a message, or with a code and reason of their own', async () => {
      const namespace = await register('hook-deny-code');
      await untilAsked(namespace);
      hook.answer = { allowed: false };
      expect((await on.api.post(`${namespace}/secrets`, secret('one'))).body.message).toBe(
        'admission webhook "hook-deny-code.contract.example" denied the request without explanation',
      );
      hook.answer = { allowed: false, status: { code: 422, reason: 'Invalid', message: 'wrong' } };
      expect((await on.api.post(`${namespace}/secrets`, secret('one'))).status).toBe(422);
    });

    test('that warn have their warnings passed on', async () => {
      const namespace = await register('hook-warn');
      await untilAsked(namespace);
      hook.answer = { allowed: true, warnings: ['careful'] };
      expect((await on.api.post(`${namespace}/secrets`, secret('one'))).warnings).toEqual(['careful']);
    });

    test('whose certificate the caBundle does not hold fail the request, or do not where their policy is Ignore', async () => {
      const other = (await createCa({ commonName: 'another-ca' })).certificatePem;
      const namespace = await register('hook-untrusted', {}, other);
      await on.api.eventually(
        () => on.api.post(`${namespace}/secrets?dryRun=All`, secret('one'), { compare: false }),
        ({ status }) => status === 500,
      );
      const answer = await on.api.post(`${namespace}/secrets`, secret('one'), { compare: false });
      expect(answer).toMatchObject({
        status: 500,
        body: {
          reason: 'InternalError',
          message: expect.stringMatching(
            /^Internal error occurred: failed calling webhook "hook-untrusted.contract.example": failed to call webhook: Post "https:.*": tls: failed to verify certificate: x509: certificate signed by unknown authority/,
          ),
        },
      });
      expect(hook.requests).toHaveLength(0);
      await on.api.patch(
        'json',
        `${configurations}/hook-untrusted`,
        [{ op: 'replace', path: '/webhooks/0/failurePolicy', value: 'Ignore' }],
        { compare: false },
      );
      const ignored = await on.api.eventually(
        () => on.api.post(`${namespace}/secrets?dryRun=All`, secret('one'), { compare: false }),
        ({ status }) => status === 201,
      );
      expect(ignored.status).toBe(201);
    });

    test('whose certificate two authorities in the caBundle may have signed are believed', async () => {
      const other = (await createCa({ commonName: 'webhook-ca' })).certificatePem;
      const namespace = await register('hook-two', {}, other + hook.caPem);
      await untilAsked(namespace);
      expect((await on.api.post(`${namespace}/secrets`, secret('one'))).status).toBe(201);
      expect(hook.requests).toHaveLength(1);
    });

    test('that say nothing within their time fail the request', async () => {
      const namespace = await register('hook-silent', { timeoutSeconds: 1 });
      await untilAsked(namespace);
      hook.answer = 'silence';
      const answer = await on.api.post(`${namespace}/secrets`, secret('one'), { compare: false });
      expect(answer).toMatchObject({
        status: 500,
        body: { message: expect.stringContaining('context deadline exceeded') },
      });
    });

    test('that answer something else fail the request', async () => {
      const namespace = await register('hook-nonsense');
      await untilAsked(namespace);
      hook.answer = 'nonsense';
      expect((await on.api.post(`${namespace}/secrets`, secret('one'), { compare: false })).status).toBe(500);
    });

    test('are told of a dry run', async () => {
      const namespace = await register('hook-dry');
      await untilAsked(namespace);
      await on.api.post(`${namespace}/secrets?dryRun=All`, secret('one'));
      expect(hook.requests[0]).toMatchObject({ dryRun: true });
    });

    test('with side effects make a dry run impossible', async () => {
      const namespace = await register('hook-effects', { sideEffects: 'NoneOnDryRun' });
      await untilAsked(namespace);
      expect((await on.api.post(`${namespace}/secrets?dryRun=All`, secret('one'))).status).toBe(201);
    });

    test('select objects by their labels', async () => {
      const namespace = await register('hook-labels', { objectSelector: { matchLabels: { checked: 'yes' } } });
      hook.answer = { allowed: false };
      const checked = { metadata: { labels: { checked: 'yes' } } };
      const refused = await on.api.eventually(
        () => on.api.post(`${namespace}/secrets?dryRun=All`, secret('one', {}, checked), { compare: false }),
        ({ status }) => status === 400,
      );
      expect(refused.status).toBe(400);
      expect((await on.api.post(`${namespace}/secrets`, secret('two'))).status).toBe(201);
    });
  },
};
