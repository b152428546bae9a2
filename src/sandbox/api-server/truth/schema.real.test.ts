import { readFile } from 'node:fs/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { parse } from 'yaml';
import type { KubernetesObject } from '../../../../world/cluster-client.ts';
import { applyCrds } from '../../../../world/crds.ts';
import { type ApiServers, startApiServers } from '../../../../world/real/api-servers.ts';
import { openWorkspace, type Workspace } from '../../../../world/workspace.ts';
import { parseKubeconfig } from '../../../kubernetes/kubeconfig.ts';
import { fieldAt, isList, isObject, type Json, type JsonObject } from '../json.ts';
import { defaulted } from '../schema/defaulted.ts';
import { invalid } from '../schema/invalid.ts';
import { pruned } from '../schema/pruned.ts';
import type { StructuralSchema } from '../schema/structural-schema.ts';
import { violations } from '../schema/violations.ts';
import { TRUTH_GROUP, truthCrd, WIDGET_SCHEMA } from './crds.ts';
import { type RealServer, realServer } from './real-answers.ts';

let workspace: Workspace;
let servers: ApiServers;
let real: RealServer;
let domainSchema: StructuralSchema;
const ending = new AbortController();
const widgets = `/apis/${TRUTH_GROUP}/v1/namespaces/default/widgets`;
const domains = '/apis/keyturn.kyma-project.io/v1alpha1/namespaces/default/trustdomains';

beforeAll(async () => {
  const crd = parse(await readFile('config/crd/trustdomains.yaml', 'utf8')) as JsonObject;
  const versions = fieldAt(crd, 'spec', 'versions');
  domainSchema = fieldAt(isList(versions) ? versions[0] : undefined, 'schema', 'openAPIV3Schema') as StructuralSchema;
  workspace = await openWorkspace();
  servers = await startApiServers(workspace);
  const hub = await servers.start('truth');
  real = realServer(parseKubeconfig(hub.kubeconfig), ending.signal);
  await applyCrds(hub.client, [truthCrd('Widget', WIDGET_SCHEMA), crd as KubernetesObject]);
});
afterAll(async () => {
  ending.abort();
  await real?.close();
  await servers?.stop();
  await workspace?.close({ keepLogs: false });
});

/** The real server goes through objects in no particular order. */
function sortedCauses(status: JsonObject): unknown {
  const causes = fieldAt(status, 'details', 'causes') ?? status['causes'];
  return (isList(causes) ? causes : []).map((cause) => JSON.stringify(sorted(cause))).sort();
}

function sorted(value: Json): Json {
  return isObject(value) ? Object.fromEntries(Object.entries(value).sort()) : value;
}

const widget = (spec: Json): JsonObject => ({
  apiVersion: `${TRUTH_GROUP}/v1`,
  kind: 'Widget',
  metadata: { name: 'w', namespace: 'default' },
  spec,
});

function stored(schema: StructuralSchema, body: JsonObject): JsonObject {
  const value = defaulted(schema, pruned(schema, body).value);
  return isObject(value) ? value : {};
}

/** What both say of a create. */
async function bothOnCreate(spec: Json): Promise<readonly [unknown, unknown]> {
  const body = widget(spec);
  const answer = await real.ask('POST', `${widgets}?dryRun=All`, body);
  const mine = stored(WIDGET_SCHEMA, body);
  const found = violations(WIDGET_SCHEMA, mine);
  const told =
    found.length === 0 ? [] : sortedCauses(invalid(TRUTH_GROUP, 'Widget', 'w', found) as unknown as JsonObject);
  if (answer.code === 201)
    return [
      { spec: mine['spec'], told },
      { spec: answer.body['spec'], told: [] },
    ];
  return [told, sortedCauses(answer.body)];
}

describe('a new object gets the same answer as from the real server', () => {
  test.each<readonly [string, Json]>([
    ['a good one', { size: 3 }],
    [
      'everything good',
      {
        size: 3,
        name: 'abc',
        ratio: 0.5,
        since: '2026-01-01T00:00:00Z',
        every: '1m',
        port: 'http',
        maybe: null,
        tags: ['a'],
        ports: [{ name: 'a' }],
        labels: { a: 'b' },
        free: { x: { y: 1 } },
      },
    ],
    ['no spec', null],
    ['nothing in it', {}],
    ['null for a required field', { size: null }],
    ['too small', { size: 0 }],
    ['too large', { size: 11 }],
    ['beyond its bits', { size: 99_999_999_999 }],
    ['a text for a number', { size: '3' }],
    ['a fraction for a whole number', { size: 1.5 }],
    ['a truth value for a number', { size: true }],
    ['an object for a number', { size: {} }],
    ['a list for an object', []],
    ['a text for an object', 'text'],
    ['a number for a text', { size: 1, name: 5 }],
    ['a text for a truth value', { size: 1, isOn: 'yes' }],
    ['not of the enum', { size: 1, colour: 'blue' }],
    ['a number for an enum of texts', { size: 1, colour: 3 }],
    ['null where a default is', { size: 1, colour: null }],
    ['too short', { size: 1, name: 'a' }],
    ['too long', { size: 1, name: 'abcdef' }],
    ['not as the pattern wants', { size: 1, name: 'AB"C' }],
    ['no multiple', { size: 1, even: 3 }],
    ['at an exclusive minimum', { size: 1, even: 0 }],
    ['at an exclusive maximum', { size: 1, ratio: 1 }],
    ['a large fraction', { size: 1, ratio: 1.25 }],
    ['no date', { size: 1, since: 'yesterday' }],
    ['a date of a number', { size: 1, since: 5 }],
    ['no duration', { size: 1, every: '5x' }],
    ['a duration in words', { size: 1, id: 'x' }],
    ['no base64', { size: 1, bytes: '%%%' }],
    ['a fraction for a port', { size: 1, port: 1.5 }],
    ['an object for a port', { size: 1, port: {} }],
    ['null where it may be', { size: 1, maybe: null }],
    ['null where it may not be', { size: 1, name: null }],
    ['a set with one twice', { size: 1, tags: ['a', 'b', 'a'] }],
    ['too many items', { size: 1, tags: ['a', 'b', 'c', 'd'] }],
    ['null in a list', { size: 1, tags: [null] }],
    ['a map with a key twice', { size: 1, ports: [{ name: 'a' }, { name: 'b' }, { name: 'a' }, { name: 'a' }] }],
    ['no key', { size: 1, ports: [{ number: 1 }] }],
    ['no entries', { size: 1, labels: {} }],
    ['too many entries', { size: 1, labels: { a: 'b', c: 'd', e: 'f' } }],
    ['a long entry', { size: 1, labels: { 'a.b/c': 'long' } }],
    ['a wrong known field among free ones', { size: 1, free: { known: 'x', other: 1 } }],
    ['neither of two', { size: 1, one: {} }],
    ['both of two', { size: 1, one: { a: 'x', b: 'y' } }],
    ['none of any', { size: 1, any: {} }],
    ['both of any', { size: 1, any: { a: 'x', b: 'y' } }],
    ['nested defaults', { size: 1, nested: {} }],
    ['nested defaults below', { size: 1, nested: { deep: { a: 5 } } }],
    ['a rule with a path', { size: 1, low: 5, high: 3 }],
    ['a rule that fails', { size: 1, low: 0 }],
    ['a duration below the rule', { size: 1, every: '10ms' }],
    ['a rule of a text', { size: 1, secret: 'xyz' }],
    ['a rule with a reason', { size: 1, secret: 'no' }],
    ['a rule that is not judged', { low: 5, high: 3 }],
    ['unknown fields', { size: 1, colours: 1, nested: { deep: { z: 1 } }, ports: [{ name: 'a', z: 1 }] }],
  ])('%s', async (_what, spec) => {
    const [mine, theirs] = await bothOnCreate(spec);
    expect(mine).toEqual(theirs);
  });

  test('with the message of one cause word by word', async () => {
    const body = widget({ size: 0 });
    const answer = await real.ask('POST', `${widgets}?dryRun=All`, body);
    const found = invalid(TRUTH_GROUP, 'Widget', 'w', violations(WIDGET_SCHEMA, stored(WIDGET_SCHEMA, body)));
    expect(found.message).toBe(answer.body['message']);
  });

  test('which names unknown fields where it is asked to be strict', async () => {
    const body = widget({ size: 1, z: 1, ports: [{ name: 'a', z: 1 }], nested: { a: 1 }, free: { x: 1 } });
    const answer = await real.ask('POST', `${widgets}?dryRun=All&fieldValidation=Strict`, { ...body, zz: 1 });
    const { unknownPaths } = pruned(WIDGET_SCHEMA, { ...body, zz: 1 });
    const listed = unknownPaths.map((path) => `unknown field "${path}"`).join(', ');
    expect(answer.body['message']).toContain(`strict decoding error: ${listed}`);
  });
});

describe('a changed object gets the same answer as from the real server', () => {
  test.each<readonly [string, Json, Json]>([
    ['no change', { size: 1, isOn: true }, { size: 1, isOn: true }],
    ['a change that a rule forbids', { size: 1 }, { size: 1, isOn: true }],
    [
      'a change of an item found by its key',
      {
        size: 1,
        ports: [
          { name: 'a', fixed: 'x' },
          { name: 'b', fixed: 'x' },
        ],
      },
      {
        size: 1,
        ports: [
          { name: 'b', fixed: 'x' },
          { name: 'a', fixed: 'y' },
        ],
      },
    ],
    ['a new item', { size: 1, ports: [{ name: 'a', fixed: 'x' }] }, { size: 1, ports: [{ name: 'b', fixed: 'y' }] }],
    ['a broken bound', { size: 1 }, { size: 20 }],
  ])('%s', async (_what, before, after) => {
    const path = `${widgets}/w`;
    await real.ask('DELETE', path);
    const created = await real.ask('POST', widgets, widget(before));
    const version = fieldAt(created.body, 'metadata', 'resourceVersion') ?? null;
    const body = { ...widget(after), metadata: { name: 'w', namespace: 'default', resourceVersion: version } };
    const answer = await real.ask('PUT', path, body);
    const found = violations(
      WIDGET_SCHEMA,
      stored(WIDGET_SCHEMA, widget(after)),
      stored(WIDGET_SCHEMA, widget(before)),
    );
    const told = found.map((cause) => JSON.stringify(sorted(cause as unknown as Json))).sort();
    expect(told).toEqual(answer.code === 200 ? [] : sortedCauses(answer.body));
  });
});

describe('a TrustDomain gets the same answer as from the real server', () => {
  const domain = (spec: Json): JsonObject => ({
    apiVersion: 'keyturn.kyma-project.io/v1alpha1',
    kind: 'TrustDomain',
    metadata: { name: 'd', namespace: 'default' },
    spec,
  });

  test.each<readonly [string, Json]>([
    [
      'the sample',
      { runtimes: { kyma: { namespace: 'kcp-system' } }, proof: { propagationDelay: '2m', unprovableAfter: '96h' } },
    ],
    ['nothing', {}],
    ['times the wrong way round', { runtimes: { kyma: {} }, proof: { propagationDelay: '2h', unprovableAfter: '1h' } }],
    ['both kinds of runtimes', { runtimes: { kyma: {}, selector: {} } }],
    ['an unfit key', { issuer: { privateKey: { algorithm: 'RSA', size: 256 } } }],
    ['no duration', { issuer: { duration: 'long' } }],
    ['unknown fields', { what: 1, runtimes: { kyma: { other: 2 } } }],
  ])('%s', async (_what, spec) => {
    const body = domain(spec);
    const answer = await real.ask('POST', `${domains}?dryRun=All`, body);
    const mine = stored(domainSchema, body);
    const told = violations(domainSchema, mine).map((cause) => JSON.stringify(sorted(cause as unknown as Json)));
    if (answer.code === 201) expect({ spec: mine['spec'], told }).toEqual({ spec: answer.body['spec'], told: [] });
    else expect(told.sort()).toEqual(sortedCauses(answer.body));
  });
});
