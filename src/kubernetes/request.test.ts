import { describe, expect, test } from 'vitest';
import * as request from './request.ts';
import { CUSTOM_RESOURCE_DEFINITION, keyOf, LEASE, NAMESPACE, refFromKey, SECRET } from './resource.ts';

const ref = { namespace: 'istio-system', name: 'klm-watcher' };
const secret = { metadata: { ...ref, resourceVersion: '7' }, data: { 'ca.crt': 'eA==' } };

describe('the path', () => {
  test.each([
    ['a core resource', request.get(SECRET, ref), '/api/v1/namespaces/istio-system/secrets/klm-watcher'],
    [
      'a resource of a group',
      request.get(LEASE, ref),
      '/apis/coordination.k8s.io/v1/namespaces/istio-system/leases/klm-watcher',
    ],
    ['a cluster-scoped resource', request.get(NAMESPACE, { name: 'kcp' }), '/api/v1/namespaces/kcp'],
    ['a collection of one namespace', request.list(SECRET, { namespace: 'kcp' }), '/api/v1/namespaces/kcp/secrets'],
    ['a collection of all namespaces', request.list(SECRET), '/api/v1/secrets'],
    ['a create', request.create(SECRET, secret), '/api/v1/namespaces/istio-system/secrets'],
    ['a status', request.replaceStatus(SECRET, secret), '/api/v1/namespaces/istio-system/secrets/klm-watcher/status'],
  ])('of %s', (_, { path }, expected) => {
    expect(path).toBe(expected);
  });

  test('ignores the namespace of a cluster-scoped object', () => {
    expect(request.remove(NAMESPACE, { namespace: 'x', name: 'kcp' }).path).toBe('/api/v1/namespaces/kcp');
  });

  test.each(['..', '.', ''])('cannot be led elsewhere by the name "%s"', (name) => {
    expect(() => request.get(SECRET, { namespace: 'kcp', name })).toThrow(TypeError);
    expect(() => request.list(SECRET, { namespace: name })).toThrow(TypeError);
  });

  test('encodes what a name holds', () => {
    expect(request.get(CUSTOM_RESOURCE_DEFINITION, { name: 'a/b?c' }).path).toMatch(/\/a%2Fb%3Fc$/);
  });

  test('is never that of all namespaces when a namespace was forgotten', () => {
    expect(() => request.remove(SECRET, { name: 'klm-watcher' })).toThrow('needs a namespace');
  });
});

describe('the query', () => {
  test('of a list holds selectors, limit and continue, and a version only without a continue token', () => {
    const selection = { labelSelector: 'a=b,c in (d)', fieldSelector: 'metadata.name=x' };
    expect(request.requestTarget(request.list(SECRET, selection, { limit: 500, resourceVersion: '0' }))).toBe(
      '/api/v1/secrets?labelSelector=a%3Db%2Cc%20in%20(d)&fieldSelector=metadata.name%3Dx&limit=500&resourceVersion=0',
    );
    expect(request.list(SECRET, {}, { continue: 'token', resourceVersion: '7' }).query).toEqual({ continue: 'token' });
  });

  test('of a watch always asks for bookmarks', () => {
    expect(request.watch(SECRET, {}, { resourceVersion: '7', timeoutSeconds: 120 }).query).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      resourceVersion: '7',
      timeoutSeconds: '120',
    });
  });

  test('of a streaming list says which version is good enough', () => {
    expect(request.watch(SECRET, {}, { sendInitialEvents: true }).query).toEqual({
      watch: 'true',
      allowWatchBookmarks: 'true',
      sendInitialEvents: 'true',
      resourceVersionMatch: 'NotOlderThan',
    });
  });

  test('of an apply names the manager and says whether it forces', () => {
    const options = { fieldManager: 'keyturn', dryRun: true };
    expect(request.apply(SECRET, secret, options).query).toEqual({
      fieldManager: 'keyturn',
      dryRun: 'All',
      force: 'false',
    });
    expect(request.applyStatus(SECRET, secret, { ...options, force: true }).query['force']).toBe('true');
  });
});

describe('the body', () => {
  test('of an object is given the type of its resource', () => {
    expect(JSON.parse(request.apply(SECRET, secret, { fieldManager: 'k' }).body ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'Secret',
      ...secret,
    });
  });

  test.each([
    ['merge patch', request.mergePatch(SECRET, ref, { data: null }), 'application/merge-patch+json', { data: null }],
    [
      'JSON patch',
      request.jsonPatch(SECRET, ref, [{ op: 'remove', path: '/data' }]),
      'application/json-patch+json',
      [{ op: 'remove', path: '/data' }],
    ],
  ])('of a %s is the patch alone, with its own content type', (_, { headers, body }, type, expected) => {
    expect(headers['content-type']).toBe(type);
    expect(JSON.parse(body ?? '')).toEqual(expected);
  });

  test('of a delete carries the preconditions', () => {
    const { body } = request.remove(SECRET, ref, { uid: 'u', resourceVersion: '7', propagationPolicy: 'Background' });
    expect(JSON.parse(body ?? '')).toEqual({
      apiVersion: 'v1',
      kind: 'DeleteOptions',
      preconditions: { uid: 'u', resourceVersion: '7' },
      propagationPolicy: 'Background',
    });
    expect(JSON.parse(request.remove(SECRET, ref).body ?? '')).not.toHaveProperty('preconditions');
  });
});

test('only metadata is asked for where that is enough', () => {
  expect(request.get(SECRET, ref, { metadataOnly: true }).headers['accept']).toContain('as=PartialObjectMetadata;');
  expect(request.list(SECRET, { metadataOnly: true }).headers['accept']).toContain('as=PartialObjectMetadataList;');
  expect(request.watch(SECRET, { metadataOnly: true }).headers['accept']).toContain('as=PartialObjectMetadata;');
});

test('a key leads back to the place it was made of', () => {
  for (const place of [ref, { name: 'kcp' }]) expect(refFromKey(keyOf(place))).toEqual(place);
});
