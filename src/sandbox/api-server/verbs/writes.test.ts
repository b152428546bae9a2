import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { createKubeClient, type KubeClient } from '../../../kubernetes/client.ts';
import { KubeError } from '../../../kubernetes/errors.ts';
import { parseKubeconfig } from '../../../kubernetes/kubeconfig.ts';
import * as requests from '../../../kubernetes/request.ts';
import {
  EVENT,
  type KubeObject,
  NAMESPACE,
  POD,
  type Resource,
  SECRET,
  type SecretObject,
} from '../../../kubernetes/resource.ts';
import { type EmbeddedCluster, startCluster } from '../start-cluster.ts';

let cluster: EmbeddedCluster;
let client: KubeClient;
const ending = new AbortController();
const call = { signal: ending.signal };
const namespace = 'writes';
const CONFIG_MAP: Resource = { group: '', version: 'v1', plural: 'configmaps', kind: 'ConfigMap', namespaced: true };
const CORE_EVENT: Resource = { ...EVENT, group: '' };

beforeAll(async () => {
  cluster = await startCluster({ name: 'hub' });
  client = createKubeClient(parseKubeconfig(cluster.kubeconfig));
  await client.create(NAMESPACE, { metadata: { name: namespace } }, call);
});
afterAll(async () => {
  ending.abort();
  await client?.close();
  await cluster?.stop();
});

const secret = (name: string, more: object = {}) => ({ metadata: { namespace, name }, ...more });
async function refusal(promise: Promise<unknown>): Promise<string> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  return error instanceof KubeError ? error.message.replace(/^[^:]*: /, '') : `no refusal: ${String(error)}`;
}

describe('a Secret', () => {
  test('cannot change its type, nor its contents once it is immutable', async () => {
    const made = await client.create<SecretObject>(SECRET, secret('fixed', { data: { a: 'YQ==' } }), call);
    expect(await refusal(client.replace(SECRET, { ...made, type: 'other' }, call))).toBe(
      '422 Invalid: Secret "fixed" is invalid: type: Invalid value: "other": field is immutable',
    );
    await client.mergePatch(SECRET, made.metadata, { immutable: true }, call);
    expect(await refusal(client.mergePatch(SECRET, made.metadata, { data: { a: 'Yg==' } }, call))).toBe(
      '422 Invalid: Secret "fixed" is invalid: data: Forbidden: field is immutable when `immutable` is set',
    );
    expect(await refusal(client.mergePatch(SECRET, made.metadata, { immutable: false }, call))).toContain(
      'immutable: Forbidden',
    );
  });

  test('of type kubernetes.io/tls has both of its keys', async () => {
    const told = await refusal(
      client.create(SECRET, secret('tls', { type: 'kubernetes.io/tls', data: { 'tls.crt': '' } }), call),
    );
    expect(told).toBe('422 Invalid: Secret "tls" is invalid: data[tls.key]: Required value');
  });

  test('takes plain text, and no broken base64', async () => {
    const made = await client.create<SecretObject>(SECRET, secret('text', { stringData: { a: 'a' } }), call);
    expect(made.data).toEqual({ a: 'YQ==' });
    expect(made['stringData']).toBeUndefined();
    expect(await refusal(client.create(SECRET, secret('bad', { data: { a: '%' } }), call))).toContain('400 BadRequest');
  });
});

describe('a write', () => {
  test('to a namespace that is not there is told so', async () => {
    const told = await refusal(client.create(SECRET, { metadata: { namespace: 'nowhere', name: 'x' } }, call));
    expect(told).toBe('404 NotFound: namespaces "nowhere" not found');
  });

  test('of an object that is there already, or of a name that is none, is refused', async () => {
    await client.create(SECRET, secret('twice'), call);
    expect(await refusal(client.create(SECRET, secret('twice'), call))).toBe(
      '409 AlreadyExists: secrets "twice" already exists',
    );
    expect(await refusal(client.create(SECRET, secret('Not_A_Name'), call))).toContain(
      'Secret "Not_A_Name" is invalid: metadata.name: Invalid value: "Not_A_Name": a lowercase RFC 1123 subdomain',
    );
  });

  test('that is only tried changes nothing', async () => {
    const tried = await client.create<SecretObject>(SECRET, secret('tried'), { ...call, dryRun: true });
    expect(tried.metadata.uid).toBeDefined();
    expect(await client.find(SECRET, { namespace, name: 'tried' }, call)).toBeUndefined();
  });

  test('that changes nothing leaves the version alone', async () => {
    const made = await client.create<SecretObject>(SECRET, secret('same', { data: { a: 'YQ==' } }), call);
    const again = await client.replace<SecretObject>(SECRET, made, call);
    expect(again.metadata.resourceVersion).toBe(made.metadata.resourceVersion);
  });

  test('names itself where it asks for a generated name', async () => {
    const body = { metadata: { namespace, generateName: 'made-' } } as unknown as KubeObject;
    const { metadata } = await client.create(SECRET, body, call);
    expect(metadata.name).toMatch(/^made-[a-z0-9]{5}$/);
  });

  test('with unknown fields is taken without them, or refused where the client is strict', async () => {
    const create = requests.create(SECRET, secret('odd', { colour: 'red' }) as KubeObject);
    const strict = { ...create, query: { fieldValidation: 'Strict' } };
    expect(await refusal(client.send(strict, call))).toContain('strict decoding error: unknown field "colour"');
    const made = JSON.parse((await client.send(create, call)).text) as KubeObject;
    expect(made['colour']).toBeUndefined();
  });

  test('says who owns which field', async () => {
    const made = await client.create<SecretObject>(SECRET, secret('owned', { data: { a: 'YQ==' } }), {
      ...call,
      fieldManager: 'me',
    });
    expect(made.metadata.managedFields).toMatchObject([
      { manager: 'me', operation: 'Update', fieldsV1: { 'f:data': { 'f:a': {} } } },
    ]);
  });
});

describe('an object with finalizers', () => {
  test('stays marked until the last of them is gone', async () => {
    const ref = { namespace, name: 'held' };
    await client.create(CONFIG_MAP, { metadata: { ...ref, finalizers: ['example.com/hold'] } }, call);
    await client.delete(CONFIG_MAP, ref, call);
    const marked = await client.get(CONFIG_MAP, ref, call);
    expect(marked.metadata.deletionTimestamp).toBeDefined();
    const more = { metadata: { finalizers: ['example.com/hold', 'example.com/more'] } };
    expect(await refusal(client.mergePatch(CONFIG_MAP, ref, more, call))).toContain('no new finalizers can be added');
    await client.mergePatch(CONFIG_MAP, ref, { metadata: { finalizers: null } }, call);
    expect(await client.find(CONFIG_MAP, ref, call)).toBeUndefined();
  });
});

describe('what is left over', () => {
  const gone = (resource: Resource, ref: { namespace?: string; name: string }) =>
    expect.poll(() => client.find(resource, ref, call), { timeout: 5_000 }).toBeUndefined();

  test('of a deleted owner is deleted', async () => {
    const owner = await client.create<KubeObject>(CONFIG_MAP, { metadata: { namespace, name: 'owner' } }, call);
    const ownerReferences = [{ apiVersion: 'v1', kind: 'ConfigMap', name: 'owner', uid: owner.metadata.uid ?? '' }];
    await client.create(SECRET, { metadata: { namespace, name: 'owned-one', ownerReferences } }, call);
    await client.delete(CONFIG_MAP, { namespace, name: 'owner' }, call);
    await gone(SECRET, { namespace, name: 'owned-one' });
  });

  test('in a deleted namespace goes with it', async () => {
    await client.create(NAMESPACE, { metadata: { name: 'brief' } }, call);
    await client.create(SECRET, { metadata: { namespace: 'brief', name: 'x' } }, call);
    await client.delete(NAMESPACE, { name: 'brief' }, call);
    await gone(NAMESPACE, { name: 'brief' });
    expect(await client.find(SECRET, { namespace: 'brief', name: 'x' }, call)).toBeUndefined();
  });
});

test('the status of a Pod is written by itself', async () => {
  const ref = { namespace, name: 'pod' };
  await client.create(
    POD,
    { metadata: ref, spec: { containers: [{ name: 'c', image: 'x' }] }, status: { phase: 'Failed' } },
    call,
  );
  expect((await client.get(POD, ref, call))['status']).toMatchObject({ phase: 'Pending' });
  await client.mergePatch(POD, ref, { status: { phase: 'Running' } }, { ...call, subresource: 'status' });
  await client.mergePatch(POD, ref, { status: { phase: 'Failed' } }, call);
  expect((await client.get(POD, ref, call))['status']).toMatchObject({ phase: 'Running' });
});

test('an event is one object in both of its groups', async () => {
  const event = {
    metadata: { namespace, name: 'told.1' },
    eventTime: '2026-01-02T03:04:05.000006Z',
    reportingController: 'example.com/teller',
    reportingInstance: 'teller-1',
    action: 'Tell',
    reason: 'Told',
    regarding: { apiVersion: 'v1', kind: 'Secret', name: 's', namespace },
    note: 'It was told',
    type: 'Normal',
  };
  await client.create(EVENT, event, call);
  expect(await client.get(EVENT, event.metadata, call)).toMatchObject({
    note: 'It was told',
    regarding: { name: 's' },
  });
  const core = await client.get(CORE_EVENT, event.metadata, call);
  expect(core).toMatchObject({
    apiVersion: 'v1',
    message: 'It was told',
    involvedObject: { name: 's' },
    firstTimestamp: null,
  });
  const { reportingInstance: _, ...incomplete } = { ...event, metadata: { namespace, name: 'told.2' } };
  expect(await refusal(client.create(EVENT, incomplete, call))).toContain('reportingInstance: Required value');
});
