import { expect, test } from 'vitest';
import { kindAudited, kindSeen, kindsOf } from './record-kinds.ts';

const seen = {
  verb: 'patch',
  method: 'PATCH',
  path: '/apis/cert-manager.io/v1/namespaces/a/certificates/b',
  query: { fieldManager: 'me', force: 'false' },
  contentType: 'application/apply-patch+yaml',
  accept: 'application/json',
  username: 'me',
  userAgent: '',
  code: 200,
  durationMs: 1,
};
const audited = (verb: string, requestURI: string, username = 'me') => ({ verb, requestURI, user: { username } });

test('an apply is of one kind by the embedded account and by an audit log', () => {
  const kind = 'patch certificates.cert-manager.io as apply ?fieldManager&force=false';
  expect(kindSeen(seen)).toBe(kind);
  expect(kindAudited(audited('patch', `${seen.path}?fieldManager=me&force=false`))).toBe(kind);
});

test('a read without a body has no form', () => {
  const { contentType: _, ...rest } = seen;
  expect(kindSeen({ ...rest, method: 'GET', query: {}, contentType: '' })).toBe('get certificates.cert-manager.io');
});

test('a patch whose body is a list is a JSON patch, and any other without force a merge patch', () => {
  const patch = audited('patch', '/api/v1/namespaces/a/secrets/b');
  expect(kindAudited({ ...patch, requestObject: [{ op: 'remove', path: '/data/a' }] })).toBe('patch secrets as json');
  expect(kindAudited(patch)).toBe('patch secrets as merge');
});

test('kinds are those of the given users, each once and in order', () => {
  const events = [
    audited('list', '/api/v1/namespaces/a/secrets'),
    audited('watch', '/api/v1/namespaces/a/secrets?watch=true'),
    audited('list', '/api/v1/namespaces/b/secrets'),
    audited('get', '/api/v1/namespaces/a/secrets/b', 'other'),
  ];
  expect(kindsOf(events, ['me'])).toEqual(['list secrets in a namespace', 'watch secrets in a namespace']);
});
