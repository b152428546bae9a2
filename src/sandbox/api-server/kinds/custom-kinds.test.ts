import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { crds } from '../../../api/manifests.ts';
import { API_VERSION, RUNTIME_TRUST, TRUST_DOMAIN } from '../../../api/names.ts';
import { createKubeClient, type KubeClient } from '../../../kubernetes/client.ts';
import { parseKubeconfig } from '../../../kubernetes/kubeconfig.ts';
import { CUSTOM_RESOURCE_DEFINITION, type KubeObject, type Resource } from '../../../kubernetes/resource.ts';
import { type EmbeddedCluster, startCluster } from '../start-cluster.ts';

let cluster: EmbeddedCluster;
let client: KubeClient;
const ending = new AbortController();
const call = { signal: ending.signal };
const namespace = 'default';
const domain = (name: string, spec: object = {}): KubeObject => ({
  apiVersion: API_VERSION,
  kind: TRUST_DOMAIN.kind,
  metadata: { namespace, name },
  spec: { runtimes: { kyma: { namespace } }, ...spec },
});

beforeAll(async () => {
  cluster = await startCluster({ name: 'hub', crds: crds() });
  client = createKubeClient(parseKubeconfig(cluster.kubeconfig));
});
afterAll(async () => {
  ending.abort();
  await client?.close();
  await cluster?.stop();
});

describe('an object of a CRD', () => {
  test('gets defaults, loses unknown fields and keeps its status to itself', async () => {
    const body = { ...domain('one', { colour: 'red' }), status: { nextStep: 'never' } };
    const made: KubeObject = await client.create<KubeObject>(TRUST_DOMAIN, body, call);
    expect(made).toMatchObject({ metadata: { generation: 1 }, spec: { proof: { level: 'delivered' }, paused: false } });
    expect((made['spec'] as object | undefined) ?? {}).not.toHaveProperty('colour');
    expect(made['status']).toBeUndefined();
    const patch = { status: { nextStep: 'soon' }, spec: { paused: true } };
    const told = await client.mergePatch(TRUST_DOMAIN, made.metadata, patch, { ...call, subresource: 'status' });
    expect(told).toMatchObject({ metadata: { generation: 1 }, spec: { paused: false }, status: { nextStep: 'soon' } });
    const changed = await client.mergePatch(TRUST_DOMAIN, made.metadata, { spec: { paused: true }, status: {} }, call);
    expect(changed).toMatchObject({
      metadata: { generation: 2 },
      spec: { paused: true },
      status: { nextStep: 'soon' },
    });
  });

  test('that breaks its schema is refused with the field', async () => {
    await expect(client.create(TRUST_DOMAIN, domain('bad', { proof: { level: 'hoped' } }), call)).rejects.toMatchObject(
      {
        status: 422,
        reason: 'Invalid',
        message: expect.stringContaining('spec.proof.level: Unsupported value: "hoped"'),
      },
    );
  });

  test('is replaced only on condition of its version', async () => {
    await client.create(TRUST_DOMAIN, domain('conditional'), call);
    await expect(client.replace(TRUST_DOMAIN, domain('conditional'), call)).rejects.toMatchObject({
      status: 422,
      message: expect.stringContaining('metadata.resourceVersion: Invalid value: 0: must be specified for an update'),
    });
  });

  test('is selected by the fields that the CRD names', async () => {
    const select = (fieldSelector: string) => client.list(RUNTIME_TRUST, { namespace, fieldSelector }, call);
    expect((await select('spec.trustDomainRef.name=x')).items).toEqual([]);
    await expect(select('spec.other=x')).rejects.toMatchObject({ status: 400 });
  });

  test('is shown as a table with the columns of the CRD', async () => {
    const path = `/apis/${API_VERSION}/namespaces/${namespace}/trustdomains/one`;
    const headers = { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' };
    const answer = await client.send(
      { verb: 'get', resource: TRUST_DOMAIN, method: 'GET', path, query: {}, headers },
      call,
    );
    const table = JSON.parse(answer.text) as {
      kind: string;
      columnDefinitions: { name: string }[];
      rows: { cells: unknown[] }[];
    };
    expect(table.kind).toBe('Table');
    const cells = Object.fromEntries(table.columnDefinitions.map(({ name }, i) => [name, table.rows[0]?.cells[i]]));
    expect(cells).toMatchObject({ Name: 'one', Next: 'soon', Age: expect.stringMatching(/^\d+s$/) });
  });
});

describe('a CRD', () => {
  const THING: Resource = { group: 'example.com', version: 'v1', plural: 'things', kind: 'Thing', namespaced: false };
  const schema = {
    openAPIV3Schema: {
      type: 'object',
      properties: { spec: { type: 'object', properties: { size: { type: 'integer' } } } },
    },
  };
  const version = { name: 'v1', served: true, storage: true, schema };
  const crd = (versions: readonly object[]): KubeObject => ({
    metadata: { name: 'things.example.com' },
    spec: { group: 'example.com', scope: 'Cluster', names: { plural: 'things', kind: 'Thing' }, versions },
  });

  test('is served as soon as it is there, in each of its versions, and takes its objects with it', async () => {
    await expect(client.list(THING, {}, call)).rejects.toMatchObject({ status: 404 });
    await client.create(CUSTOM_RESOURCE_DEFINITION, crd([version]), call);
    const made = await client.create<KubeObject>(THING, { metadata: { name: 't' }, spec: { size: 1 } }, call);
    const established = await client.get(CUSTOM_RESOURCE_DEFINITION, { name: 'things.example.com' }, call);
    expect(established['status']).toMatchObject({
      acceptedNames: { plural: 'things', singular: 'thing', listKind: 'ThingList' },
      conditions: expect.arrayContaining([expect.objectContaining({ type: 'Established', status: 'True' })]),
    });
    const versions = [version, { ...version, name: 'v1beta1', storage: false }];
    await client.mergePatch(CUSTOM_RESOURCE_DEFINITION, { name: 'things.example.com' }, { spec: { versions } }, call);
    const old = await client.get({ ...THING, version: 'v1beta1' }, { name: 't' }, call);
    expect(old).toMatchObject({ apiVersion: 'example.com/v1beta1', metadata: { uid: made.metadata.uid } });
    await client.delete(CUSTOM_RESOURCE_DEFINITION, { name: 'things.example.com' }, call);
    await expect
      .poll(() => client.find(CUSTOM_RESOURCE_DEFINITION, { name: 'things.example.com' }, call))
      .toBeUndefined();
    await expect(client.list(THING, {}, call)).rejects.toMatchObject({ status: 404 });
  });
});
