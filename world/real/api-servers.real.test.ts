import { afterAll, beforeAll, expect, test } from 'vitest';
import { connectTo } from '../cluster-client.ts';
import { createTokenUser } from '../token-user.ts';
import { openWorkspace, type Workspace } from '../workspace.ts';
import { type ApiServer, type ApiServers, startApiServers } from './api-servers.ts';

let workspace: Workspace;
let servers: ApiServers;
let hub: ApiServer;
let runtime: ApiServer;

beforeAll(async () => {
  workspace = await openWorkspace();
  servers = await startApiServers(workspace);
  [hub, runtime] = await Promise.all([servers.start('hub'), servers.start('runtime-1')]);
});
afterAll(async () => {
  await servers?.stop();
  await workspace?.close({ keepLogs: false });
});

test('API servers that share one etcd do not see each other', async () => {
  await hub.client.apply('/api/v1/namespaces/only-here', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'only-here' },
  });
  expect(await hub.client.find('/api/v1/namespaces/only-here')).toBeDefined();
  expect(await runtime.client.find('/api/v1/namespaces/only-here')).toBeUndefined();
});

test('an API server that was stopped comes back with its data', async () => {
  await runtime.client.apply('/api/v1/namespaces/kept', {
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'kept' },
  });
  await runtime.stop();
  runtime = await servers.start('runtime-1');
  expect(await runtime.client.find('/api/v1/namespaces/kept')).toBeDefined();
});

test('a token user may do what its rules say and nothing else', async () => {
  const metadata = { name: 'reader', namespace: 'default' };
  const rbac = 'rbac.authorization.k8s.io';
  const kubeconfig = await createTokenUser(hub, [
    { apiVersion: 'v1', kind: 'ServiceAccount', metadata },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'Role',
      metadata,
      rules: [{ apiGroups: [''], resources: ['configmaps'], verbs: ['list'] }],
    },
    {
      apiVersion: `${rbac}/v1`,
      kind: 'RoleBinding',
      metadata,
      roleRef: { apiGroup: rbac, kind: 'Role', name: 'reader' },
      subjects: [{ kind: 'ServiceAccount', ...metadata }],
    },
  ]);
  const token = /token: (.+)/.exec(kubeconfig)?.[1] ?? '';
  const client = connectTo({ server: hub.server, caPem: hub.caPem, token });
  expect((await client.send('GET', '/api/v1/namespaces/default/configmaps')).kind).toBe('ConfigMapList');
  await expect(client.send('GET', '/api/v1/namespaces/default/secrets')).rejects.toMatchObject({ status: 403 });
  await client.close();
});
