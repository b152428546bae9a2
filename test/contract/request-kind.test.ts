import { expect, test } from 'vitest';
import { requestKind } from './request-kind.ts';

test.each([
  ['GET', '/api/v1/namespaces/a/secrets/b', {}, 'get secrets'],
  ['GET', '/api/v1/namespaces/a', {}, 'get namespaces'],
  ['GET', '/api/v1/namespaces', {}, 'list namespaces in all'],
  ['GET', '/api/v1/secrets?limit=500', {}, 'list secrets in all ?limit'],
  [
    'GET',
    '/apis/g.example/v1/namespaces/a/kymas?watch=true&resourceVersion=7&labelSelector=a%3Db',
    {},
    'watch kymas.g.example in a namespace ?labelSelector&resourceVersion',
  ],
  [
    'GET',
    '/api/v1/namespaces/a/pods?fieldSelector=metadata.name%3Db',
    {},
    'list pods in a namespace ?fieldSelector(metadata.name)',
  ],
  ['DELETE', '/api/v1/namespaces/a/pods', {}, 'deletecollection pods in a namespace'],
  [
    'PATCH',
    '/apis/g.example/v1/namespaces/a/things/b/status?force=true&fieldManager=me',
    { contentType: 'application/apply-patch+yaml' },
    'patch things.g.example/status as apply ?fieldManager&force=true',
  ],
  [
    'GET',
    '/api/v1/pods',
    { accept: 'application/json;as=Table;v=v1;g=meta.k8s.io,application/json' },
    'list pods in all answered as Table',
  ],
  [
    'POST',
    '/api/v1/namespaces/a/secrets',
    { contentType: 'application/vnd.kubernetes.protobuf' },
    'create secrets in a namespace as protobuf',
  ],
  ['GET', '/apis/g.example/v1', {}, 'GET /apis/GROUP/VERSION'],
  ['GET', '/readyz', {}, 'GET /readyz'],
])('%s %s is of a kind of its own', (method, url, more, kind) => {
  expect(requestKind({ method, url, ...more })).toBe(kind);
});
