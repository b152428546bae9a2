import { Agent, request } from 'undici';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { manifestFiles } from '../../../api/manifests.ts';
import { type Clock, systemClock } from '../../../controller/clock.ts';
import { createKubeClient, type KubeClient } from '../../../kubernetes/client.ts';
import { parseKubeconfig } from '../../../kubernetes/kubeconfig.ts';
import * as requests from '../../../kubernetes/request.ts';
import { type KubeObject, NAMESPACE, type Resource, SECRET, type SecretObject } from '../../../kubernetes/resource.ts';
import { type EmbeddedCluster, kubeconfigOf, startCluster } from '../start-cluster.ts';

let cluster: EmbeddedCluster;
let admin: KubeClient;
const ending = new AbortController();
const call = { signal: ending.signal };
const rbac = (plural: string, kind: string, namespaced: boolean): Resource => ({
  group: 'rbac.authorization.k8s.io',
  version: 'v1',
  plural,
  kind,
  namespaced,
});
const kinds: Readonly<Record<string, Resource>> = {
  ServiceAccount: { group: '', version: 'v1', plural: 'serviceaccounts', kind: 'ServiceAccount', namespaced: true },
  Role: rbac('roles', 'Role', true),
  RoleBinding: rbac('rolebindings', 'RoleBinding', true),
  ClusterRole: rbac('clusterroles', 'ClusterRole', false),
  ClusterRoleBinding: rbac('clusterrolebindings', 'ClusterRoleBinding', false),
};

/** How far the cluster's clock is before ours. */
let aheadMs = 0;

beforeAll(async () => {
  const clock: Clock = { ...systemClock, nowMs: () => systemClock.nowMs() + aheadMs };
  cluster = await startCluster({ name: 'hub', clock });
  admin = createKubeClient(parseKubeconfig(cluster.kubeconfig));
  for (const name of ['kcp-system', 'istio-system']) await admin.create(NAMESPACE, { metadata: { name } }, call);
  for (const document of parseAllDocuments(manifestFiles()['config/rbac/hub.yaml'] ?? '')) {
    const object = document.toJS() as KubeObject;
    const kind = kinds[object.kind ?? ''];
    if (kind !== undefined) await admin.create(kind, object, call);
  }
});
afterAll(async () => {
  ending.abort();
  await admin?.close();
  await cluster?.stop();
});

async function operatorToken(): Promise<string> {
  const path = '/api/v1/namespaces/kcp-system/serviceaccounts/keyturn/token';
  const body = JSON.stringify({ spec: { expirationSeconds: 3600 } });
  const answer = await admin.send(
    {
      verb: 'create',
      resource: undefined,
      method: 'POST',
      path,
      query: {},
      headers: { 'content-type': 'application/json' },
      body,
    },
    call,
  );
  return (JSON.parse(answer.text) as { status: { token: string } }).status.token;
}

describe('the roles of the operator', () => {
  let operator: KubeClient;
  beforeAll(async () => {
    const token = await operatorToken();
    operator = createKubeClient(parseKubeconfig(kubeconfigOf({ ...cluster, token })));
  });
  afterAll(() => operator?.close());

  test('let it read the gateway Secret, and watch it by name', async () => {
    const name = 'klm-istio-gateway';
    expect(await operator.find(SECRET, { namespace: 'istio-system', name }, call)).toBeUndefined();
    const selection = { namespace: 'istio-system', fieldSelector: `metadata.name=${name}` };
    const stream = await operator.stream(requests.watch(SECRET, selection, {}), call);
    stream.close();
  });

  test('forbid everything else, in the words of a real server', async () => {
    await expect(operator.get(SECRET, { namespace: 'default', name: 'x' }, call)).rejects.toMatchObject({
      status: 403,
      reason: 'Forbidden',
      message:
        'Cannot get secrets default/x: 403 Forbidden: secrets "x" is forbidden: User "system:serviceaccount:kcp-system:keyturn" cannot get resource "secrets" in API group "" in the namespace "default"',
    });
    await expect(operator.list(NAMESPACE, {}, call)).rejects.toMatchObject({
      message: expect.stringContaining('cannot list resource "namespaces" in API group "" at the cluster scope'),
    });
  });

  test("end with the token's time, by the clock of the cluster", async () => {
    const seeGateway = () => operator.find(SECRET, { namespace: 'istio-system', name: 'klm-istio-gateway' }, call);
    aheadMs = 3_590_000;
    await seeGateway();
    const { metadata } = await admin.create<SecretObject>(
      SECRET,
      { metadata: { namespace: 'default', name: 'late' } },
      call,
    );
    expect(Date.parse(metadata.creationTimestamp ?? '') - Date.now()).toBeGreaterThan(3_500_000);
    aheadMs = 3_600_000;
    await expect(seeGateway()).rejects.toMatchObject({ status: 401 });
    aheadMs = 0;
  });

  test('end with the account', async () => {
    await admin.delete(kinds['ServiceAccount'] as Resource, { namespace: 'kcp-system', name: 'keyturn' }, call);
    await expect(operator.get(SECRET, { namespace: 'default', name: 'x' }, call)).rejects.toMatchObject({
      status: 401,
    });
  });
});

describe('a client certificate', () => {
  const get = async (certificate: { certificatePem: string; keyPem: string } | undefined, path: string) => {
    const { certificatePem: cert, keyPem: key } = certificate ?? {};
    const agent = new Agent({
      connect: { ca: cluster.caPem, ...(cert === undefined || key === undefined ? {} : { cert, key }) },
    });
    const answer = await request(cluster.server + path, { dispatcher: agent });
    const text = await answer.body.text();
    await agent.close();
    return { code: answer.statusCode, text };
  };

  test('stands for its user and group', async () => {
    const master = await cluster.clientCertificate('somebody', 'system:masters');
    expect((await get(master, '/api/v1/secrets')).code).toBe(200);
    const nobody = await cluster.clientCertificate('nobody');
    const refused = await get(nobody, '/api/v1/secrets');
    expect(refused.code).toBe(403);
    expect(refused.text).toContain('User \\"nobody\\" cannot list resource \\"secrets\\"');
  });

  test('of another cluster is no certificate', async () => {
    const other = await startCluster({ name: 'other' });
    const foreign = await other.clientCertificate('somebody', 'system:masters');
    await other.stop();
    expect((await get(foreign, '/api/v1/secrets')).code).toBe(401);
  });

  test('is not needed to ask for version and health', async () => {
    expect((await get(undefined, '/version')).code).toBe(200);
    expect(await get(undefined, '/readyz')).toEqual({ code: 200, text: 'ok' });
    const refused = await get(undefined, '/api/v1/nodes');
    expect(refused.code).toBe(403);
    expect(JSON.parse(refused.text)).toMatchObject({ kind: 'Status', reason: 'Forbidden', details: { kind: 'nodes' } });
  });
});
