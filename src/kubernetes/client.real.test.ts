import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { type ApiServer, type ApiServers, startApiServers } from '../../world/real/api-servers.ts';
import { openWorkspace, type Workspace } from '../../world/workspace.ts';
import { systemClock } from '../controller/clock.ts';
import { createKubeClient, type KubeClient } from './client.ts';
import { isFieldConflict, KubeError } from './errors.ts';
import { startInformer } from './informer.ts';
import { parseKubeconfig } from './kubeconfig.ts';
import { type Leadership, type LeaseObject, microTime, runElection } from './lease.ts';
import { modify } from './optimistic.ts';
import * as request from './request.ts';
import { LEASE, NAMESPACE, SECRET, type SecretObject } from './resource.ts';
import { runWatch } from './watch.ts';

let workspace: Workspace;
let servers: ApiServers;
let hub: ApiServer;
let client: KubeClient;
const ending = new AbortController();
const call = { signal: ending.signal };
const namespace = 'client-test';
const fieldManager = 'keyturn-test';
const base64 = (text: string) => Buffer.from(text).toString('base64');

beforeAll(async () => {
  workspace = await openWorkspace();
  servers = await startApiServers(workspace);
  hub = await servers.start('hub');
  client = createKubeClient(parseKubeconfig(hub.kubeconfig));
  await client.create(NAMESPACE, { metadata: { name: namespace } }, call);
});
afterAll(async () => {
  ending.abort();
  await client?.close();
  await servers?.stop();
  await workspace?.close({ keepLogs: false });
});

async function failure(promise: Promise<unknown>): Promise<KubeError> {
  const error = await promise.then(
    () => undefined,
    (reason: unknown) => reason,
  );
  if (!(error instanceof KubeError)) throw new Error(`expected a KubeError, got ${String(error)}`);
  return error;
}

async function until(condition: () => boolean): Promise<void> {
  const deadlineMs = performance.now() + 20_000;
  while (!condition()) {
    if (performance.now() > deadlineMs) throw new Error('the condition did not come true within 20 s');
    await systemClock.delay(20, ending.signal);
  }
}

describe('server-side apply', () => {
  const applied = (name: string, value: string) => ({
    metadata: { namespace, name },
    data: { 'ca.crt': base64(value) },
  });

  test('creates with 201, changes with 200, and leaves the version alone when nothing changes', async () => {
    const send = async (value: string) => {
      const answer = await client.send(request.apply(SECRET, applied('apply', value), { fieldManager }), call);
      const object = JSON.parse(answer.text) as SecretObject;
      return { status: answer.status, version: object.metadata.resourceVersion };
    };
    const created = await send('one');
    const same = await send('one');
    const changed = await send('two');
    expect([created.status, same.status, changed.status]).toEqual([201, 200, 200]);
    expect(same.version).toBe(created.version);
    expect(changed.version).not.toBe(created.version);
  });

  test('meets a foreign owner with a conflict that names it, and takes the field over by force', async () => {
    await client.apply(SECRET, applied('owned', 'one'), { ...call, fieldManager: 'somebody-else' });
    const error = await failure(client.apply(SECRET, applied('owned', 'two'), { ...call, fieldManager }));
    expect(isFieldConflict(error)).toBe(true);
    expect(error).toMatchObject({ status: 409, retry: 'no', outcome: 'refused' });
    expect(error.fieldConflicts[0]?.message).toContain('somebody-else');
    const forced = await client.apply<SecretObject>(SECRET, applied('owned', 'two'), {
      ...call,
      fieldManager,
      force: true,
    });
    expect(forced.data?.['ca.crt']).toBe(base64('two'));
  });

  test('on condition of a version that has passed is a conflict', async () => {
    const first = await client.apply<SecretObject>(SECRET, applied('versioned', 'one'), { ...call, fieldManager });
    await client.apply(SECRET, applied('versioned', 'two'), { ...call, fieldManager });
    const late = applied('versioned', 'three');
    const { resourceVersion = '' } = first.metadata;
    const error = await failure(
      client.apply(SECRET, { ...late, metadata: { ...late.metadata, resourceVersion } }, { ...call, fieldManager }),
    );
    expect(error).toMatchObject({ status: 409, retry: 'now', outcome: 'refused' });
  });

  test('of a field that the schema does not have is refused once and for all, though the server says 500', async () => {
    const error = await failure(
      client.apply(SECRET, { metadata: { namespace, name: 'field' }, noSuchField: 1 }, { ...call, fieldManager }),
    );
    expect(error).toMatchObject({ status: 500, retry: 'no', outcome: 'refused' });
    expect(await client.find(SECRET, { namespace, name: 'field' }, call)).toBeUndefined();
  });
});

describe('writes', () => {
  test('of one object by many at once all take effect', async () => {
    const ref = { namespace, name: 'counter' };
    await client.create<SecretObject>(SECRET, { metadata: ref, data: { n: base64('0') } }, call);
    const count = (object: SecretObject) => Number(Buffer.from(object.data?.['n'] ?? '', 'base64').toString());
    const increment = () =>
      modify<SecretObject>(client, SECRET, ref, (o) => ({ ...o, data: { n: base64(String(count(o) + 1)) } }), call);
    await Promise.all(Array.from({ length: 4 }, increment));
    expect(count(await client.get<SecretObject>(SECRET, ref, call))).toBe(4);
  });

  test('by patch and delete keep to their conditions', async () => {
    const ref = { namespace, name: 'conditions' };
    const created = await client.create<SecretObject>(SECRET, { metadata: ref, data: { a: base64('a') } }, call);
    const merged = await client.mergePatch<SecretObject>(SECRET, ref, { data: { b: base64('b') } }, call);
    expect(Object.keys(merged.data ?? {})).toEqual(['a', 'b']);
    const patched = await client.jsonPatch<SecretObject>(SECRET, ref, [{ op: 'remove', path: '/data/a' }], call);
    expect(Object.keys(patched.data ?? {})).toEqual(['b']);
    expect(
      await failure(client.jsonPatch(SECRET, ref, [{ op: 'test', path: '/data/b', value: 'other' }], call)),
    ).toMatchObject({ status: 422, outcome: 'refused' });
    const stale = { ...call, resourceVersion: created.metadata.resourceVersion ?? '' };
    expect(await failure(client.delete(SECRET, ref, stale))).toMatchObject({ status: 409 });
    expect(await client.delete(SECRET, ref, { ...call, uid: created.metadata.uid ?? '' })).toBe(true);
    expect(await client.delete(SECRET, ref, call)).toBe(false);
  });

  test('with a wrong token are refused with 401', async () => {
    const { token: _, ...config } = parseKubeconfig(hub.kubeconfig);
    const stranger = createKubeClient({ ...config, token: { text: 'wrong' } });
    expect(await failure(stranger.get(SECRET, { namespace, name: 'x' }, call))).toMatchObject({
      status: 401,
      outcome: 'refused',
      retry: 'later',
    });
    await stranger.close();
  });

  test('to a server whose certificate is of another authority are refused before anything is sent', async () => {
    const { certificateAuthority: _, ...config } = parseKubeconfig(hub.kubeconfig);
    const stranger = createKubeClient(config);
    expect(await failure(stranger.create(NAMESPACE, { metadata: { name: 'never' } }, call))).toMatchObject({
      reason: 'TlsFailed',
      outcome: 'refused',
    });
    await stranger.close();
  });
});

describe('a watch', () => {
  test('streams the present objects, then follows changes', async () => {
    const own = new AbortController();
    const labels = { set: 'watched' };
    for (const name of ['w1', 'w2']) {
      await client.create(SECRET, { metadata: { namespace, name, labels } }, call);
    }
    const before = client.counts();
    const { store, ended, trouble } = startInformer<SecretObject>({
      client,
      resource: SECRET,
      selection: { namespace, labelSelector: 'set=watched' },
      labels: ['set'],
      signal: own.signal,
    });
    await store.whenSynced(own.signal);
    expect(store.withLabel('set', 'watched').map(({ metadata }) => metadata.name)).toEqual(['w1', 'w2']);
    await client.create(SECRET, { metadata: { namespace, name: 'w3', labels } }, call);
    await client.delete(SECRET, { namespace, name: 'w1' }, call);
    await client.mergePatch(SECRET, { namespace, name: 'w2' }, { metadata: { labels: { set: 'other' } } }, call);
    await until(() => store.size === 1 && store.get({ namespace, name: 'w3' }) !== undefined);
    // One watch did it all: this server streams its lists.
    expect(client.counts()['list secrets']).toBe(before['list secrets']);
    expect(trouble()).toBeUndefined();
    own.abort();
    await ended;
  });

  test('on a server that falls silent is noticed, and what happened meanwhile is seen when it is back', async () => {
    const own = new AbortController();
    const labels = { set: 'silent' };
    const problems: string[] = [];
    const { store, ended } = startInformer<SecretObject>({
      client,
      resource: SECRET,
      selection: { namespace, labelSelector: 'set=silent' },
      signal: own.signal,
      timeoutSeconds: 2,
      idleMarginMs: 500,
      onProblem: ({ phase }) => problems.push(phase),
    });
    await store.whenSynced(own.signal);
    hub.kill('SIGSTOP');
    const lost = failure(
      client.create(SECRET, { metadata: { namespace, name: 'in-doubt', labels } }, { ...call, timeoutMs: 500 }),
    );
    try {
      expect(await lost).toMatchObject({ reason: 'TimedOut', outcome: 'unknown' });
      await until(() => problems.includes('watching'));
    } finally {
      hub.kill('SIGCONT');
    }
    await client.create(SECRET, { metadata: { namespace, name: 'back', labels } }, call);
    await until(() => store.get({ namespace, name: 'back' }) !== undefined);
    own.abort();
    await ended;
  });

  test('that the server ends goes on with no event lost and nothing read anew', async () => {
    const own = new AbortController();
    const labels = { set: 'short-lived' };
    const events: string[] = [];
    const running = runWatch<SecretObject>({
      client,
      resource: SECRET,
      selection: { namespace, labelSelector: 'set=short-lived' },
      signal: own.signal,
      timeoutSeconds: 1,
      onEvent: (event) => events.push('object' in event ? `${event.type} ${event.object.metadata.name}` : event.type),
    });
    await until(() => events.includes('InitDone'));
    const watches = client.counts()['watch secrets'] ?? 0;
    for (let i = 0; i < 8; i += 1) {
      await client.create(SECRET, { metadata: { namespace, name: `short-${i}`, labels } }, call);
      await systemClock.delay(500, own.signal);
    }
    await until(() => events.length === 10);
    expect(events).toEqual(['Init', 'InitDone', ...Array.from({ length: 8 }, (_, i) => `Apply short-${i}`)]);
    expect((client.counts()['watch secrets'] ?? 0) - watches).toBeGreaterThan(0);
    own.abort();
    await running;
  });
});

describe('a Lease', () => {
  test('is taken by one of two, and by the other as soon as the first stops', async () => {
    const order: string[] = [];
    let held: Leadership | undefined;
    const stand = (identity: string, signal: AbortSignal) =>
      runElection({
        client,
        namespace,
        name: 'election',
        identity,
        signal,
        retryMs: 200,
        async lead(leadership) {
          order.push(identity);
          held = leadership;
          await new Promise((resolve) => leadership.signal.addEventListener('abort', resolve));
        },
      });
    const first = new AbortController();
    const second = new AbortController();
    const firstEnd = stand('first', first.signal);
    await until(() => order.length === 1);
    const secondEnd = stand('second', second.signal);
    await systemClock.delay(1_000, ending.signal);
    expect([order, held?.held()]).toEqual([['first'], true]);
    first.abort();
    expect(await firstEnd).toBe('stopped');
    await until(() => order.length === 2);
    second.abort();
    await secondEnd;
    const lease = await client.get<LeaseObject>(LEASE, { namespace, name: 'election' }, call);
    expect(lease.spec).toMatchObject({ holderIdentity: '', leaseTransitions: 1 });
  });

  test('is refused with a time of three fractional digits', async () => {
    const write = (renewTime: string) =>
      client.create<LeaseObject>(LEASE, { metadata: { namespace, name: 'times' }, spec: { renewTime } }, call);
    expect(await failure(write(new Date().toISOString()))).toMatchObject({ status: 400 });
    expect((await write(microTime(Date.now()))).metadata.uid).toBeDefined();
  });
});
