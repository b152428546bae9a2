import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { applyCrds } from '../../../../world/crds.ts';
import { type ApiServers, startApiServers } from '../../../../world/real/api-servers.ts';
import { openWorkspace, type Workspace } from '../../../../world/workspace.ts';
import { parseKubeconfig } from '../../../kubernetes/kubeconfig.ts';
import { fieldAt, isObject, type Json, type JsonObject } from '../json.ts';
import { applied } from '../patch/apply.ts';
import { jsonPatched } from '../patch/json-patch.ts';
import { mergePatchedObject } from '../patch/merge-patch.ts';
import { withUpdateRecorded } from '../patch/record-update.ts';
import type { Shape } from '../patch/shape.ts';
import { shapeOfKind } from '../patch/shape-of-kind.ts';
import { shapeOfSchema } from '../patch/shape-of-schema.ts';
import { strategicMerged } from '../patch/strategic-merge.ts';
import type { Answer } from '../refusal.ts';
import { fieldSelector, labelSelector } from '../selectors.ts';
import { THING_SCHEMA, TRUTH_GROUP, truthCrd } from './crds.ts';
import { comparable, type RealAnswer, type RealServer, realServer, withoutEmpty } from './real-answers.ts';

let workspace: Workspace;
let servers: ApiServers;
let real: RealServer;
const ending = new AbortController();
const core = '/api/v1/namespaces/default';
const things = `/apis/${TRUTH_GROUP}/v1/namespaces/default/things`;
const APPLY = 'application/apply-patch+yaml';
const MERGE = 'application/merge-patch+json';
const STRATEGIC = 'application/strategic-merge-patch+json';
const JSON_PATCH = 'application/json-patch+json';

beforeAll(async () => {
  workspace = await openWorkspace();
  servers = await startApiServers(workspace);
  const hub = await servers.start('truth');
  real = realServer(parseKubeconfig(hub.kubeconfig), ending.signal);
  await applyCrds(hub.client, [truthCrd('Thing', THING_SCHEMA)]);
});
afterAll(async () => {
  ending.abort();
  await real?.close();
  await servers?.stop();
  await workspace?.close({ keepLogs: false });
});

/** One write of one manager. */
interface Write {
  readonly manager: string;
  readonly how: 'apply' | 'force' | 'merge' | 'status';
  /** What stands below the object's root, besides type and name. */
  readonly body: JsonObject;
}

interface Subject {
  readonly collection: string;
  readonly type: JsonObject;
  readonly shape: Shape;
  readonly hasStatus: boolean;
}

/** Sends the writes one after the other, and says where ours and the real server part. */
async function expectSame(subject: Subject, name: string, writes: readonly Write[]): Promise<void> {
  const path = `${subject.collection}/${name}`;
  await real.ask('DELETE', path);
  let live: JsonObject | undefined;
  for (const [index, write] of writes.entries()) {
    if (live === undefined && write.how !== 'apply' && write.how !== 'force') continue;
    const theirs = await send(path, subject, name, write);
    const mine = predicted(subject, name, write, live);
    // Where all entries of a map or list go, the real server is left with null, and refuses its own result.
    if (theirs.code === 422 && String(theirs.body['message']).includes('"null"')) return;
    const told = `after write ${index} of ${JSON.stringify(writes)}`;
    if (!mine.ok) {
      const { code, message, causes } = mine.refusal;
      const said = {
        code: theirs.code,
        message: theirs.body['message'],
        causes: inAnyOrder(fieldAt(theirs.body, 'details', 'causes')),
      };
      expect(said, told).toEqual({ code, message, causes: inAnyOrder(causes) });
    } else {
      expect(theirs.code, `${told}: ${JSON.stringify(theirs.body['message'])}`).toBeLessThan(300);
      expect(comparable(mine.value), told).toEqual(comparable(theirs.body));
      live = theirs.body;
    }
  }
}

/** Causes come in no particular order of managers. */
function inAnyOrder(causes: unknown): unknown {
  return Array.isArray(causes) ? causes.map((cause) => JSON.stringify(Object.entries(cause).sort())).sort() : causes;
}

function send(path: string, subject: Subject, name: string, write: Write): Promise<RealAnswer> {
  const query = `fieldManager=${write.manager}${write.how === 'force' ? '&force=true' : ''}`;
  if (write.how === 'merge') return real.ask('PATCH', `${path}?${query}`, write.body, MERGE);
  const suffix = write.how === 'status' ? '/status' : '';
  return real.ask('PATCH', `${path}${suffix}?${query}`, { ...config(subject, name, write) }, APPLY);
}

function config(subject: Subject, name: string, { body }: Write): JsonObject {
  const metadata = isObject(body['metadata']) ? body['metadata'] : {};
  return { ...subject.type, ...body, metadata: { name, ...metadata } };
}

function predicted(subject: Subject, name: string, write: Write, live: JsonObject | undefined): Answer<JsonObject> {
  const isStatus = write.how === 'status';
  const common = {
    shape: subject.shape,
    writer: {
      manager: write.manager,
      apiVersion: String(subject.type['apiVersion']),
      ...(isStatus ? { subresource: 'status' } : {}),
      time: '2026-01-01T00:00:00Z',
    },
    resetFields: isStatus ? [['spec'], ['metadata']] : subject.hasStatus ? [['status']] : [],
  };
  if (write.how !== 'merge') {
    return applied({ ...common, live, config: config(subject, name, write), force: write.how === 'force' });
  }
  const patched = mergePatchedObject(live ?? {}, write.body);
  if (!patched.ok) return patched;
  return { ok: true, value: withUpdateRecorded({ ...common, live, next: withoutEmpty(patched.value) }) };
}

const letters = fc.constantFrom('p', 'q', 'r');
const words = fc.constantFrom('one', 'two', 'three');
const maps = fc.dictionary(letters, words, { maxKeys: 3 });
const lists = fc.array(words, { maxLength: 3 });
const sets = fc.uniqueArray(words, { maxLength: 3 });
const part = fc.record({ name: letters, value: words, more: words }, { requiredKeys: ['name'] });
const parts = fc.uniqueArray(part, { selector: ({ name }) => name, maxLength: 3 });
const thingSpecs = fc.record(
  {
    a: words,
    inner: fc.record({ x: words, y: words }, { requiredKeys: [] }),
    map: maps,
    whole: maps,
    list: lists,
    set: sets,
    parts,
    free: fc.record({ k: words, l: fc.record({ m: words }, { requiredKeys: [] }), n: lists }, { requiredKeys: [] }),
  },
  { requiredKeys: [] },
);
const metadata = fc.record({ labels: maps, annotations: maps, finalizers: fc.constant([]) }, { requiredKeys: [] });
const managers = fc.constantFrom('ann', 'bob', 'cat');
const hows = fc.constantFrom('apply', 'apply', 'force', 'merge');

/** fast-check's records have no prototype. */
function plain<T>(value: T): T {
  return JSON.parse(JSON.stringify(value)) as T;
}

describe('ownership', () => {
  const thing: Subject = {
    collection: things,
    type: { apiVersion: `${TRUTH_GROUP}/v1`, kind: 'Thing' },
    shape: shapeOfSchema(THING_SCHEMA),
    hasStatus: true,
  };

  // Known to differ: in the real server a map that was emptied keeps its owner, in ours it has none. This test says so as
  // soon as that is mended; then the one below may have any seed.
  test.fails('of a map that was emptied stays with who applied it empty', async () => {
    const labels = (of: Readonly<Record<string, string>>) => ({ metadata: { labels: of } });
    await expectSame(thing, 'emptied', [
      { manager: 'cat', how: 'apply', body: labels({ p: 'one' }) },
      { manager: 'ann', how: 'apply', body: labels({}) },
      { manager: 'cat', how: 'apply', body: {} },
    ]);
  });

  test('of a custom resource goes the same way through these writes', { timeout: 300_000 }, async () => {
    const status = fc.record({
      manager: managers,
      how: fc.constant('status' as const),
      body: fc.record({ status: fc.record({ phase: words, note: words }, { requiredKeys: [] }) }),
    });
    const main = fc.record({
      manager: managers,
      how: hows,
      body: fc.record({ metadata, spec: thingSpecs }, { requiredKeys: [] }),
    });
    const writes = fc.array(fc.oneof({ weight: 4, arbitrary: main }, { weight: 1, arbitrary: status }), {
      minLength: 2,
      maxLength: 7,
    });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(writes, async (sequence) => {
        count += 1;
        await expectSame(thing, `t${count}`, plain(sequence) as readonly Write[]);
      }),
      { numRuns: 60, seed: 1, endOnFailure: true },
    );
  });

  test('of a Secret goes the same way through any writes', { timeout: 300_000 }, async () => {
    const secret: Subject = {
      collection: `${core}/secrets`,
      type: { apiVersion: 'v1', kind: 'Secret' },
      shape: shapeOfKind('v1', 'Secret'),
      hasStatus: false,
    };
    const data = fc.dictionary(letters, fc.constantFrom('YQ==', 'Yg=='), { maxKeys: 3 });
    const body = fc.record({ metadata, data }, { requiredKeys: [] }).map((content) => ({ ...content, type: 'Opaque' }));
    const writes = fc.array(fc.record({ manager: managers, how: hows, body }), { minLength: 2, maxLength: 6 });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(writes, async (sequence) => {
        count += 1;
        await expectSame(secret, `s${count}`, plain(sequence) as readonly Write[]);
      }),
      { numRuns: 30, seed: 1 },
    );
  });
});

describe('a patch', () => {
  const secret: JsonObject = {
    apiVersion: 'v1',
    kind: 'Secret',
    metadata: { name: 'patched', labels: { 'a/b': 'c', x: 'z' }, finalizers: ['e.com/a', 'e.com/b'] },
    data: { p: 'YQ==' },
    type: 'Opaque',
  };
  const account: JsonObject = {
    apiVersion: 'v1',
    kind: 'ServiceAccount',
    metadata: { name: 'patched', labels: { a: 'b' } },
    secrets: [{ name: 'one' }, { name: 'two' }, { name: 'three' }],
    imagePullSecrets: [{ name: 'one' }],
  };

  const withoutOwners = (value: JsonObject) => {
    const { metadata: meta, ...rest } = comparable(value);
    return { ...rest, metadata: { ...(isObject(meta) ? meta : {}), managedFields: null } };
  };

  async function bothPatch(
    object: JsonObject,
    plural: string,
    patch: Json,
    type: string,
    apply: (live: JsonObject) => Answer<Json>,
  ): Promise<void> {
    const path = `${core}/${plural}/patched`;
    await real.ask('PATCH', path, { metadata: { finalizers: null } }, MERGE);
    await real.ask('DELETE', path);
    const created = await real.ask('POST', `${core}/${plural}`, object);
    const theirs = await real.ask('PATCH', `${path}?dryRun=All`, patch, type);
    const mine = apply(created.body);
    if (theirs.code >= 300) {
      const refusal = mine.ok ? undefined : mine.refusal;
      const { code, message, reason } = refusal ?? { code: 200, message: '', reason: '' };
      expect({ code, message, reason }).toEqual({
        code: theirs.code,
        message: theirs.body['message'],
        reason: theirs.body['reason'] ?? '',
      });
      return;
    }
    expect(mine.ok).toBe(true);
    if (mine.ok && isObject(mine.value))
      expect(withoutOwners(withoutNull(mine.value))).toEqual(withoutOwners(theirs.body));
  }

  test.each<readonly [string, Json]>([
    ['adds', [{ op: 'add', path: '/data/q', value: 'Yg==' }]],
    ['adds over', [{ op: 'add', path: '/data/p', value: 'Yg==' }]],
    [
      'escapes',
      [
        { op: 'replace', path: '/metadata/labels/a~1b', value: 'd' },
        { op: 'remove', path: '/metadata/labels/x' },
      ],
    ],
    [
      'inserts',
      [
        { op: 'add', path: '/metadata/finalizers/1', value: 'e.com/c' },
        { op: 'add', path: '/metadata/finalizers/-', value: 'e.com/d' },
      ],
    ],
    ['inserts too far', [{ op: 'add', path: '/metadata/finalizers/5', value: 'e.com/c' }]],
    ['moves', [{ op: 'move', from: '/data/p', path: '/data/q' }]],
    ['copies', [{ op: 'copy', from: '/data/p', path: '/data/q' }]],
    ['copies nothing', [{ op: 'copy', from: '/metadata/nothing', path: '/metadata/annotations' }]],
    [
      'tests',
      [
        { op: 'test', path: '/data/p', value: 'YQ==' },
        { op: 'remove', path: '/data/p' },
      ],
    ],
    ['tests in vain', [{ op: 'test', path: '/data/p', value: 'Yg==' }]],
    ['tests for nothing', [{ op: 'test', path: '/metadata/annotations', value: null }]],
    ['removes what is not there', [{ op: 'remove', path: '/data/nothing' }]],
    ['replaces what is not there', [{ op: 'replace', path: '/data/q', value: 'Yg==' }]],
    ['replaces an item that is not there', [{ op: 'replace', path: '/metadata/finalizers/7', value: 'x' }]],
    ['goes below what is not there', [{ op: 'add', path: '/metadata/annotations/x', value: 'y' }]],
    ['has an unknown operation', [{ op: 'change', path: '/data/p', value: 'x' }]],
    ['has no slash', [{ op: 'add', path: 'data', value: {} }]],
    ['is no list', { op: 'add' }],
    ['is a number', 5],
  ])('of JSON operations that %s', async (_what, patch) => {
    await bothPatch(secret, 'secrets', patch, JSON_PATCH, (live) => jsonPatched(live, patch));
  });

  test.each<readonly [string, Json]>([
    ['changes and removes', { data: { p: null, q: 'Yg==' }, metadata: { labels: null } }],
    ['replaces lists', { metadata: { finalizers: ['e.com/b'] } }],
    ['is a list', [1]],
    ['is a text', 'text'],
  ])('to merge that %s', async (_what, patch) => {
    await bothPatch(secret, 'secrets', patch, MERGE, (live) => mergePatchedObject(live, patch));
  });

  test.each<readonly [string, Json]>([
    ['merges by key', { secrets: [{ name: 'two' }, { name: 'four' }] }],
    ['deletes by key', { secrets: [{ name: 'two', $patch: 'delete' }] }],
    ['replaces a list', { secrets: [{ name: 'five' }, { $patch: 'replace' }] }],
    ['replaces an object', { metadata: { labels: { c: 'd', $patch: 'replace' } } }],
    ['deletes an object', { metadata: { labels: { $patch: 'delete' } } }],
    [
      'sets an order',
      {
        '$setElementOrder/secrets': [{ name: 'three' }, { name: 'one' }],
        secrets: [{ name: 'one' }],
      },
    ],
    ['only sorts', { '$setElementOrder/secrets': [{ name: 'three' }, { name: 'two' }, { name: 'one' }] }],
    ['replaces a list without a key', { imagePullSecrets: [{ name: 'two' }] }],
    ['adds to a set', { metadata: { finalizers: ['e.com/z'] } }],
    ['removes a field', { imagePullSecrets: null }],
    ['has an item without its key', { secrets: [{ namespace: 'x' }] }],
    ['has an unknown directive', { metadata: { labels: { $patch: 'turn' } } }],
    ['retains badly', { $retainKeys: 5 }],
    ['is a list', [1]],
  ])('to merge strategically that %s', async (_what, patch) => {
    const shape = shapeOfKind('v1', 'ServiceAccount');
    await bothPatch(account, 'serviceaccounts', patch, STRATEGIC, (live) => strategicMerged(shape, live, patch));
  });

  test.each<readonly [string, Json]>([
    ['changes one container', { containers: [{ name: 'b', image: 'new' }] }],
    ['adds a container', { containers: [{ ...container('c') }] }],
    [
      'adds as kubectl does',
      { '$setElementOrder/containers': [{ name: 'a' }, { name: 'c' }], containers: [container('c')] },
    ],
    [
      'changes variables',
      {
        containers: [
          {
            name: 'a',
            env: [
              { name: 'Y', value: '3' },
              { name: 'X', $patch: 'delete' },
            ],
          },
        ],
      },
    ],
    ['changes a port', { containers: [{ name: 'a', ports: [{ containerPort: 80, name: 'web', protocol: 'TCP' }] }] }],
    [
      'changes the source of a volume',
      { volumes: [{ name: 'v', $retainKeys: ['name', 'hostPath'], hostPath: { path: '/x', type: '' } }] },
    ],
    ['replaces arguments', { containers: [{ name: 'a', args: ['z'] }] }],
    ['deletes a container', { containers: [{ name: 'a', $patch: 'delete' }] }],
  ])('to merge a pod template strategically that %s', async (_what, spec) => {
    const shape = shapeOfKind('apps/v1', 'Deployment');
    const path = '/apis/apps/v1/namespaces/default/deployments/patched';
    await real.ask('DELETE', path);
    const created = await real.ask('POST', '/apis/apps/v1/namespaces/default/deployments', deployment());
    const patch = { spec: { template: { spec } } };
    const theirs = await real.ask('PATCH', `${path}?dryRun=All`, patch, STRATEGIC);
    const mine = strategicMerged(shape, created.body, patch);
    expect(theirs.code, String(theirs.body['message'])).toBe(200);
    const within = (object: Json) => fieldAt(object, 'spec', 'template', 'spec');
    expect(mine.ok && within(mine.value)).toEqual(within(theirs.body));
  });

  test.each<readonly [string, Json]>([
    ['adds', { metadata: { finalizers: ['e.com/c', 'e.com/a'] } }],
    ['takes away', { metadata: { '$deleteFromPrimitiveList/finalizers': ['e.com/a'] } }],
    ['does both', { metadata: { '$deleteFromPrimitiveList/finalizers': ['e.com/a'], finalizers: ['e.com/c'] } }],
    ['sorts', { metadata: { '$setElementOrder/finalizers': ['e.com/b', 'e.com/a'] } }],
  ])('to merge a set of texts strategically that %s', async (_what, patch) => {
    const shape = shapeOfKind('v1', 'Secret');
    await bothPatch(secret, 'secrets', patch, STRATEGIC, (live) => strategicMerged(shape, live, patch));
  });
});

describe('a selector', () => {
  const labelled: readonly (readonly [string, JsonObject])[] = [
    ['la', { a: 'x', n: '5' }],
    ['lb', { a: 'y', b: '' }],
    ['lc', { n: '12' }],
  ];
  beforeAll(async () => {
    for (const [name, labels] of labelled) {
      await real.ask('POST', `${core}/configmaps`, { metadata: { name, labels: { ...labels, here: 'yes' } } });
    }
  });

  test.each([
    'a',
    '!a',
    'a=x',
    'a==x',
    'a!=x',
    'a in (x)',
    'a in (x,z)',
    'a notin (x, z)',
    'a in ()',
    'a in (x,)',
    'b=',
    'b',
    'n>5',
    'n<6',
    'n>x',
    'a in',
    'a in (',
    'a in (x',
    'a=b=c',
    '=x',
    'a,,b',
    '!',
    'a b',
    'a@b=c',
    'a=b@',
    'x/y/z=1',
    '/x',
    'X_/a=1',
    'a in (b c)',
    '()',
    'a, b',
  ])('of labels: %s', async (text) => {
    const answer = await real.ask('GET', `${core}/configmaps?labelSelector=${encodeURIComponent(text)}`);
    const mine = labelSelector(text);
    if (answer.code !== 200) {
      expect(mine).toMatchObject({ ok: false, refusal: { code: answer.code, message: answer.body['message'] } });
      return;
    }
    const items = answer.body['items'] as readonly JsonObject[];
    const names = items
      .map((item) => String(fieldAt(item, 'metadata', 'name')))
      .filter((name) => /^l[abc]$/.test(name));
    const matches = mine.ok ? mine.value : () => false;
    const chosen = labelled.filter(([, labels]) => matches(labels as Readonly<Record<string, string>>));
    expect(chosen.map(([name]) => name)).toEqual(names);
  });

  test.each([
    'metadata.name=la',
    'metadata.name!=la',
    'metadata.name==lb,metadata.namespace=default',
    'metadata.name',
    'data.x=1',
    'metadata.name=a=b',
    'metadata.name=a\\=b',
    'metadata.name=a\\b',
    ',',
  ])('of fields: %s', async (text) => {
    const answer = await real.ask('GET', `${core}/configmaps?fieldSelector=${encodeURIComponent(text)}`);
    const mine = fieldSelector(text, []);
    if (answer.code !== 200) {
      expect(mine).toMatchObject({ ok: false, refusal: { code: answer.code, message: answer.body['message'] } });
      return;
    }
    const items = answer.body['items'] as readonly JsonObject[];
    const names = items
      .map((item) => String(fieldAt(item, 'metadata', 'name')))
      .filter((name) => /^l[abc]$/.test(name));
    const matches = mine.ok ? mine.value : () => false;
    const chosen = labelled.filter(([name]) => matches({ metadata: { name, namespace: 'default' } }));
    expect(chosen.map(([name]) => name)).toEqual(names);
  });
});

/** Null does not outlive the way through Go's types. */
function withoutNull(value: JsonObject): JsonObject {
  const through = throughGo(value);
  return isObject(through) ? through : {};
}

function throughGo(value: Json): Json {
  if (!isObject(value)) return value;
  const kept = Object.entries(value).filter(([, inner]) => inner !== null);
  return Object.fromEntries(kept.map(([name, inner]) => [name, throughGo(inner)]));
}

/** With everything that the server would fill in. */
function container(name: string): JsonObject {
  return {
    name,
    image: 'old',
    args: ['x', 'y'],
    env: [
      { name: 'X', value: '1' },
      { name: 'Y', value: '2' },
    ],
    ports: [{ containerPort: 80, protocol: 'TCP' }],
    resources: {},
    terminationMessagePath: '/dev/termination-log',
    terminationMessagePolicy: 'File',
    imagePullPolicy: 'IfNotPresent',
  };
}

function deployment(): JsonObject {
  return {
    metadata: { name: 'patched' },
    spec: {
      selector: { matchLabels: { a: 'b' } },
      template: {
        metadata: { labels: { a: 'b' } },
        spec: { containers: [container('a'), container('b')], volumes: [{ name: 'v', emptyDir: {} }] },
      },
    },
  };
}
